// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ffs_systems.hpp"

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t kib = 1024, mib = kib * kib, bits = 8;

// NetBSD/src: vm.bufcache (sys/kern/vfs_bio.c, BUFCACHE), percent of memory; data of files is taken to fill
// half of it (FreeBSD likewise). 1 % of memory holds vnodes (sys/kern/init_main.c up to NetBSD 5), each taken
// to have 256 bytes, and soft updates four times as many inodes (softdep_initialize).
void set_netbsd(std::uint64_t ram_bytes, FfsRules& rules) {
    constexpr std::uint64_t buffer_percent = 15, vnode_bytes = 256, updates_per_vnode = 4;
    rules.cache_bytes = ram_bytes / 100 * buffer_percent;
    rules.dirty_data_bytes = rules.page_cache_bytes = ram_bytes / 2;
    rules.inode_updates = ram_bytes / 100 / vnode_bytes * updates_per_vnode;
}

// freebsd/freebsd-src sys/kern/vfs_bio.c, kern_vfs_bio_buffer_alloc.
std::uint64_t freebsd_buffers(std::uint64_t ram_bytes) {
    constexpr std::uint64_t factor = 4 * 16384 / 1024, first_kib = 4096, quarter_kib = 65536,
                            most_kib = 32 * 1024 * 1024;
    const std::uint64_t ram_kib = ram_bytes / kib;
    std::uint64_t buffers = 50;
    if (ram_kib > first_kib) buffers += std::min((ram_kib - first_kib) / factor, quarter_kib / factor);
    if (ram_kib > quarter_kib)
        buffers += std::min((ram_kib - quarter_kib) * 2 / (factor * 5), most_kib / (factor * 5));
    return buffers;
}

// bufinit of the same file; desiredvnodes of sys/kern/vfs_subr.c without the processes; MAXPHYS 1 MiB since
// 13.0; vfs.read_max of sys/kern/vfs_cluster.c. The device is synced through devfs, which passes nothing over
// (vop_stdfsync of sys/kern/vfs_default.c).
void set_freebsd(const FfsRelease& release, const FfsGeometry& geometry, std::uint64_t ram_bytes,
                 FfsRules& rules) {
    constexpr std::uint64_t buffer_bytes = 16384, updates_per_vnode = 4, blocks_ahead = 64;
    constexpr std::uint64_t many_kib = 98304 * 16;
    const std::uint64_t buffers = freebsd_buffers(ram_bytes), ram_kib = ram_bytes / kib;
    const std::uint64_t most_dirty = buffers / 4 + 20, enough = most_dirty / 2;
    rules.cache_bytes = buffers * buffer_bytes;
    rules.page_cache_bytes = ram_bytes / 2;
    rules.dirty = {most_dirty, (most_dirty + enough) / 2, enough, true};
    rules.syncer = {30, 30, 29, 28, false, false};
    rules.transfers.most = release.major >= 13 ? mib : 128 * kib;
    rules.transfers.read_ahead = blocks_ahead * geometry.bsize;
    rules.transfers.least_write = geometry.bsize;
    rules.transfers.gathers_synchronous = false;
    rules.inode_updates = (ram_kib / 64 + 3 * std::min(many_kib, ram_kib) / 64) * updates_per_vnode;
    rules.copies_groups = true;
}

// openbsd/src sys/kern/vfs_bio.c, bufinit: of memory the first 4 GiB; kern.bufcachepercent; the delays are
// syncdelay, a half and a third of it (sys/kern/vfs_subr.c, reassignbuf); vnodes of sys/conf/param.c with
// maxusers 80.
void set_openbsd(const FfsGeometry& geometry, std::uint64_t ram_bytes, FfsRules& rules) {
    constexpr std::uint64_t reachable = std::uint64_t{4} << 30, percent = 20, low_percent = 5;
    constexpr std::uint64_t processes = 30 + 16 * 80, vnodes = processes * 2 + 80 + processes / 8 + 100;
    const std::uint64_t memory = std::min(ram_bytes, reachable);
    rules.cache_bytes = rules.page_cache_bytes = memory / 100 * percent;
    const std::uint64_t low = memory / 100 * low_percent;
    rules.dirty = {low / 4 * 3, low / 4 * 3, low / 2, false};
    rules.transfers.read_ahead = rules.transfers.most;
    rules.transfers.least_write = geometry.bsize;
    rules.transfers.gathers_synchronous = false;
    rules.inode_updates = vnodes * 4;
}

}  // namespace

// freebsd/freebsd-src sbin/newfs/newfs.h (DFL_BLKSIZE, DFL_FRAGSIZE, NFPI: since 9.0) and newfs.c;
// openbsd/src sbin/newfs/newfs.c for a label without sizes.
void default_sizes(Os os, const FfsRelease& release, FfsOptions& options) {
    if (os == Os::netbsd) return;
    const bool large = os == Os::freebsd && release.major >= 9;
    const std::uint64_t block = large ? 32768 : 16384, fragment = large ? 4096 : 2048;
    options.frags_per_inode = large ? 2 : 4;
    if (!options.bsize) options.bsize = options.fsize ? std::min(block, *options.fsize * bits) : block;
    if (options.fsize) return;
    options.fsize = std::min(fragment, *options.bsize);
    if (os == Os::freebsd) options.fsize = std::max(*options.fsize, *options.bsize / bits);
}

FfsRules ffs_rules(Os os, const FfsRelease& release, const FfsGeometry& geometry, std::uint64_t ram_bytes) {
    FfsRules rules;
    if (os == Os::freebsd)
        set_freebsd(release, geometry, ram_bytes, rules);
    else if (os == Os::openbsd)
        set_openbsd(geometry, ram_bytes, rules);
    else
        set_netbsd(ram_bytes, rules);
    return rules;
}

std::uint64_t suj_bytes(const FfsRelease& release, const FfsGeometry& geometry) {
    constexpr std::uint64_t share = 1024, least = 4 * mib, most_before_13 = 32 * mib;
    std::uint64_t bytes = std::max(geometry.frags * geometry.bsize / share, least);
    if (release.major < 13) bytes = std::min(bytes, most_before_13);
    bytes = std::min(bytes, std::uint64_t{geometry.group_frags - geometry.data} * geometry.fsize);
    return bytes / geometry.bsize * geometry.bsize;
}

}  // namespace diskwright
