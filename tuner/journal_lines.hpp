// SPDX-License-Identifier: BSD-2-Clause
// The lines of a journal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/journal.hpp"

namespace diskwright {

/// With its line end. number counts trials from 1.
std::string trial_line(const SearchSpace& space, const Trial& trial, std::uint64_t number);
/// bad_data names the source: the journal and the line in it.
Result<Trial> trial_from_line(const SearchSpace& space, std::string_view line, std::uint64_t number,
                              std::string_view source);

/// Where a journal's header and that of this search part; nothing when they are the same.
std::optional<std::string> header_difference(std::string_view found, std::string_view wanted);

}  // namespace diskwright
