// SPDX-License-Identifier: BSD-2-Clause
// What time(1) and the shells' own time print, as figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "probes/parsers/command.hpp"

namespace diskwright {

struct TimeReading {
    std::optional<double> real_s, user_s, sys_s;
    std::optional<std::uint64_t> inputs, outputs;
    std::string_view command;  // where the format prints it (zsh, GNU time -v)
    std::size_t lines = 1;
};

/// The reading that begins at that line, if one does.
std::optional<TimeReading> time_reading(const Output& out, std::size_t at);

}  // namespace diskwright
