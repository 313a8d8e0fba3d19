// SPDX-License-Identifier: BSD-2-Clause
// What in a capture tells whose host it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/capture/document.hpp"

namespace diskwright {

struct Identity {
    enum class Kind {
        hex,     // WWN, UUID, DUID, MAC: any separators or none between the digits
        serial,  // likewise
        name,    // of hosts, users, labels, sets: separators stand where the original has them
    };
    std::string text;  // one spelling
    Kind kind = Kind::name;
    /// Too short or too common to be replaced wherever it stands: only where a host's or user's name stands,
    /// or with this behind it (".acme.example").
    bool guarded = false;
    std::string domain = {};
    bool in_path = false;  // only behind a slash: the part of a mount point may be any word
};

/// Every identity that the facts or the forms of the tools show, without what other hosts have too: words
/// such as root or swap, the build machines of the systems, GUIDs that name a type.
std::vector<Identity> identities_of(const Capture& capture);

}  // namespace diskwright
