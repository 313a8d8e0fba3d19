// SPDX-License-Identifier: BSD-2-Clause
// What differs between the FFS of NetBSD, FreeBSD and OpenBSD: sizes newfs takes, the delays and order of the
// syncer, the limits of the buffer cache, how much is transferred at a time.
#pragma once

#include <cstdint>

#include "probes/model/enums.hpp"
#include "tuner/simulator/ffs_geometry.hpp"
#include "tuner/simulator/ffs_model.hpp"

namespace diskwright {

struct FfsRelease {
    unsigned major = 0, minor = 0;
    bool at_least(unsigned wanted, unsigned minor_wanted) const {
        return major > wanted || (major == wanted && minor >= minor_wanted);
    }
};

/// Fills in what newfs of that system takes when one of bsize and fsize is missing, and its density of
/// inodes. NetBSD's depends on the size of the file system and is left to netbsd_ffs_geometry.
void default_sizes(Os os, const FfsRelease& release, FfsOptions& options);

/// All but what the mount options decide.
FfsRules ffs_rules(Os os, const FfsRelease& release, const FfsGeometry& geometry, std::uint64_t ram_bytes);

/// As tunefs -j makes it without -S (freebsd/freebsd-src sbin/tunefs/tunefs.c, journal_alloc): bytes.
std::uint64_t suj_bytes(const FfsRelease& release, const FfsGeometry& geometry);

}  // namespace diskwright
