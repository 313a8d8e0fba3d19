// SPDX-License-Identifier: BSD-2-Clause
// Drive families whose properties their model name tells, one row each with its source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace diskwright {

struct DriveModel {
    /// Of one word of the model string, or of several when it contains a blank: '?' one character, '#' one
    /// digit, '[23]' one of these, '*' any run; case does not matter.
    std::string_view pattern;
    std::uint32_t physical_sector;  // bytes; 0: not told by this row
    std::optional<bool> rotational;
    std::optional<bool> shingled;
    std::string_view source;  // data sheet or quirk table
};

/// Where two rows match one model the earlier, more particular one counts; they never disagree on sector or
/// rotation (tested).
std::span<const DriveModel> drive_models();
/// The row for a model as printed (vendor word, firmware suffix and blanks tolerated); null when none.
const DriveModel* find_drive_model(std::string_view model);
/// Does `text` as a whole match a pattern of the table?
bool matches_model_pattern(std::string_view pattern, std::string_view text);

}  // namespace diskwright
