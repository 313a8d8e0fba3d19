// SPDX-License-Identifier: BSD-2-Clause
// How FreeBSD's geom_part spells schemes and names the providers it makes
// (freebsd/freebsd-src:sys/geom/part).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/enums.hpp"

namespace diskwright {

/// "GPT", "MBR", "BSD", "BSD64", "EBR", "APM", "VTOC8"; nothing for another word.
std::optional<Scheme> gpart_scheme(std::string_view word);
/// ada0 and 2 -> ada0p2 (GPT), ada0s2 (MBR), ada0s1b (BSD on ada0s1), da0d (VTOC8).
std::string gpart_provider(std::string_view parent, Scheme scheme, std::uint64_t index);

}  // namespace diskwright
