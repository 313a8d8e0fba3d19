// SPDX-License-Identifier: BSD-2-Clause
// Printed spellings: FreeBSD sbin/mount/mount.c (optnames), NetBSD sys/sys/fstypes.h (__MNT_FLAGS), OpenBSD
// sbin/mount/mount.c, Linux mount(8).
#include "probes/model/mount_options.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {

std::string canonical_mount_option(std::string_view option) {
    struct Spelling {
        std::string_view printed, canonical;
    };
    static constexpr std::array<Spelling, 10> spellings{{{"asynchronous", "async"},
                                                         {"synchronous", "sync"},
                                                         {"read-only", "ro"},
                                                         {"rdonly", "ro"},
                                                         {"soft-updates", "softdep"},
                                                         {"soft updates", "softdep"},
                                                         {"soft dependencies", "softdep"},
                                                         {"journaled soft-updates", "suj"},
                                                         {"nfs exported", "exported"},
                                                         {"barrier=0", "nobarrier"}}};
    std::string name = lowercase(trim(option));
    const auto at = std::find_if(spellings.begin(), spellings.end(),
                                 [&](const Spelling& s) { return s.printed == name; });
    return at == spellings.end() ? name : std::string(at->canonical);
}

bool has_mount_option(const TextList& options, std::string_view canonical) {
    return options && std::any_of(options->begin(), options->end(), [&](const std::string& option) {
               return canonical_mount_option(option) == canonical;
           });
}

}  // namespace diskwright
