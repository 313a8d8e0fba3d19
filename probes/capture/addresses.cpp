// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "probes/capture/identity_forms.hpp"
#include "probes/capture/pseudonyms.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool all_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool is_ipv4(std::string_view text) {
    const auto numbers = split(text, '.');
    return numbers.size() == 4 && std::all_of(numbers.begin(), numbers.end(), [](std::string_view number) {
               const auto value = to_unsigned(number);
               return value && *value <= 255 && number.size() <= 3;
           });
}

// What every host has: this host, any host, masks.
bool is_common_ipv4(std::string_view text) {
    return text.starts_with("127.") || text.starts_with("0.") || text.starts_with("255.");
}

bool is_ipv6(std::string_view text) {
    const auto groups = split(text, ':');
    const bool gap = contains(text, "::");
    if (groups.size() < 3 || groups.size() > 9 || (groups.size() != 8 && !gap)) return false;
    std::size_t digits = 0;
    for (const auto group : groups) {
        if (group.size() > 4 || !all_hex(group)) return false;
        digits += group.size();
    }
    return digits > 1;  // "::" and "::1" are every host's
}

}  // namespace

std::vector<AddressSpan> addresses_in_line(std::string_view line) {
    std::vector<AddressSpan> out;
    const auto part_of = [](char c) { return is_identity_character(c) || c == '.' || c == ':'; };
    for (std::size_t at = 0; at < line.size();) {
        std::size_t end = at;
        while (end < line.size() && part_of(line[end])) ++end;
        if (end == at) {
            ++at;
            continue;
        }
        // A server before its path, and a stop at the end of a sentence.
        std::size_t last = end;
        while (last > at && (line[last - 1] == '.' ||
                             (line[last - 1] == ':' && !line.substr(at, last - at).ends_with("::"))))
            --last;
        auto word = line.substr(at, last - at);
        const auto port = word.rfind(':');
        if (port != std::string_view::npos && to_unsigned(word.substr(port + 1)) &&
            is_ipv4(word.substr(0, port))) {
            word = word.substr(0, port);
            last = at + port;
        }
        const auto before = line.substr(0, at);
        const bool version = (before.ends_with('-') && !before.ends_with("ip-")) ||
                             icontains(before.substr(at > 9 ? at - 9 : 0), "version ");
        if (is_ipv4(word) && !is_common_ipv4(word) && !version)
            out.push_back({at, last, false});
        else if (is_ipv6(word))
            out.push_back({at, last, true});
        at = end;
    }
    return out;
}

}  // namespace diskwright
