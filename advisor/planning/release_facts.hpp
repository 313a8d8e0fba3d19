// SPDX-License-Identifier: BSD-2-Clause
// What newfs, mount and the tools around them of one release offer. Where the release is unknown, what all
// releases share.
#pragma once

#include <cstdint>
#include <string>

#include "advisor/commands/setup.hpp"
#include "probes/model/host_facts.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

// FFS of all three systems and of every release covered.
inline constexpr std::uint64_t least_block = 4096, largest_block = 65536, most_fragments = 8;

struct ReleaseFacts {
    Os os{};
    std::string name;  // "NetBSD 9.3"
    bool known = false;
    bool ext4 = false;         // instead of FFS
    bool wapbl = false;        // mount -o log
    bool softupdates = false;  // newfs -U
    bool su_journal = false;   // tunefs -j
    bool snapshots_with_journal = false;
    bool trim = false;                    // newfs -t
    bool softdep = false;                 // a mount option that does something
    Wedges wedges = Wedges::scanned;      // NetBSD
    std::uint64_t request_limit = 65536;  // MAXPHYS
    std::uint64_t minfree_percent = 5;
    std::uint64_t fragments_per_inode = 4;
    std::uint64_t block_from_zero = 16384;  // newfs's own below 128 GiB
};

/// usage: no system known (give --os); unavailable: a system that plan does not cover.
Result<ReleaseFacts> release_facts(const HostFacts& host);

}  // namespace diskwright
