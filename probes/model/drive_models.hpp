// SPDX-License-Identifier: BSD-2-Clause
// Drive families whose properties their model name tells, one row each with its source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace diskwright {

struct DriveModel {
    std::string_view pattern;      // of the model string, '?' one character, '*' any run; case-insensitive
    std::uint32_t physical_sector; // bytes; 0: not told by this row
    std::optional<bool> rotational;
    std::optional<bool> shingled;
    std::string_view source;       // data sheet or quirk table
};

/// No two patterns match the same model (tested).
std::span<const DriveModel> drive_models();
/// The row for a model as printed (vendor word, firmware suffix and blanks tolerated); null when none.
const DriveModel* find_drive_model(std::string_view model);

}  // namespace diskwright
