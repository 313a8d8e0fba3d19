// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/gpart_names.hpp"

namespace diskwright {

std::optional<Scheme> gpart_scheme(std::string_view word) {
    if (word == "GPT") return Scheme::gpt;
    if (word == "MBR" || word == "LDM") return Scheme::mbr;
    if (word == "BSD" || word == "BSD64") return Scheme::disklabel;
    if (word == "EBR") return Scheme::ebr;
    if (word == "APM") return Scheme::apm;
    if (word == "VTOC8") return Scheme::vtoc8;
    return std::nullopt;
}

}  // namespace diskwright
