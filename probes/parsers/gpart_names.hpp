// SPDX-License-Identifier: BSD-2-Clause
// How FreeBSD's geom_part spells schemes; device_names.hpp has the providers it makes
// (freebsd/freebsd-src:sys/geom/part).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probes/model/device_names.hpp"

namespace diskwright {

/// "GPT", "MBR", "BSD", "BSD64", "EBR", "APM", "VTOC8"; nothing for another word.
std::optional<Scheme> gpart_scheme(std::string_view word);

}  // namespace diskwright
