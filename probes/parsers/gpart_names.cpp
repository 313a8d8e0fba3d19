// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/gpart_names.hpp"

#include <fmt/format.h>

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

std::string gpart_provider(std::string_view parent, Scheme scheme, std::uint64_t index) {
    switch (scheme) {
        case Scheme::gpt:
            return fmt::format("{}p{}", parent, index);
        case Scheme::mbr:
        case Scheme::apm:
            return fmt::format("{}s{}", parent, index);
        case Scheme::ebr:
            return fmt::format("{}+{:08}", parent, index);
        case Scheme::disklabel:
        case Scheme::vtoc8:
            if (index >= 1 && index <= 26)
                return fmt::format("{}{}", parent, static_cast<char>('a' + index - 1));
            break;
    }
    return fmt::format("{}#{}", parent, index);
}

}  // namespace diskwright
