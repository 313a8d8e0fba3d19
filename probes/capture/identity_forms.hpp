// SPDX-License-Identifier: BSD-2-Clause
// The forms in which tools print identities, line by line, whether or not a parser makes a fact of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace diskwright {

struct FoundIdentity {
    enum class Form {
        hex,
        short_hex,  // fewer digits than a name that is worldwide: of a table, of a FAT, the end of a WWN
        serial,
        label,
        host,
        user,
        set,
        path,  // a mount point: its parts
        guid,  // of a pool or device of ZFS, a number in decimal
    } form;
    std::string text;
};

std::vector<FoundIdentity> identities_in_line(std::string_view line);

/// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text);

/// Where a line holds an address of the Internet protocol, as [first, last).
struct AddressSpan {
    std::size_t first, last;
    bool six;
};
std::vector<AddressSpan> addresses_in_line(std::string_view line);

}  // namespace diskwright
