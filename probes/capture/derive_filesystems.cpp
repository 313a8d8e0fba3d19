// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "probes/capture/derive.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_ffs_mount(const Mount& m) {
    return m.type && (*m.type == "ufs" || *m.type == "ffs" || *m.type == "4.2bsd");
}

bool has_option(const Mount& m, std::string_view option) {
    return m.options && std::find(m.options->begin(), m.options->end(), option) != m.options->end();
}

// mount(8) lists what is in force, so what is not listed is off: soft updates on FreeBSD, the log on NetBSD.
void flags_from_mounts(HostFacts& facts) {
    for (const Mount& m : facts.mounts) {
        if (!m.device || !m.options || !is_ffs_mount(m)) continue;
        Filesystem& f = filesystem(facts, *m.device);
        const Provenance from = inferred_from(m.options.from());
        set_if_unknown(f.type, std::string("ffs"), from);
        if (facts.is(Os::netbsd)) set_if_unknown(f.wapbl, has_option(m, "log"), from);
        if (facts.is(Os::freebsd) || facts.is(Os::dragonfly)) {
            // mount -p prints fstab's options, which leave the superblock's flags out.
            if (has_option(m, "rw") || has_option(m, "ro")) continue;
            const bool journaled = has_option(m, "journaled soft-updates");
            set_if_unknown(f.softupdates, journaled || has_option(m, "soft-updates"), from);
            set_if_unknown(f.su_journal, journaled, from);
            set_if_unknown(f.gjournal, has_option(m, "gjournal"), from);
        }
    }
    // Other types are facts of their own.
    for (const Mount& m : facts.mounts) {
        if (!m.device || !m.type || is_ffs_mount(m)) continue;
        for (Filesystem& f : facts.filesystems)
            if (same_device(f.device, *m.device))
                set_if_unknown(f.type, *m.type, inferred_from(m.type.from()));
    }
}

// tunefs -p /mnt and df speak of the mount point; the mount table knows the device. Without one, two
// descriptions of the only FFS of the input are one file system when none of their values disagree.
void join_mount_points(HostFacts& facts) {
    for (std::size_t i = 0; i < facts.filesystems.size();) {
        Filesystem& by_point = facts.filesystems[i];
        if (!by_point.device.starts_with('/')) {
            ++i;
            continue;
        }
        std::string device;
        for (const Mount& m : facts.mounts)
            if (m.point == by_point.device && m.device) device = device_name(*m.device);
        for (const FstabEntry& e : facts.fstab)
            if (device.empty() && e.point == by_point.device) device = device_name(e.device);
        if (device.empty()) {
            const Filesystem* other = nullptr;
            std::size_t candidates = 0;
            for (const Filesystem& f : facts.filesystems)
                if (!f.device.starts_with('/') && f.bsize) ++candidates, other = &f;
            const auto agrees = [&](const Filesystem& f) {
                const auto clash = [](const auto& a, const auto& b) { return a && b && !(*a == *b); };
                return !clash(f.label, by_point.label) &&
                       !clash(f.minfree_percent, by_point.minfree_percent) &&
                       !clash(f.maxbpg, by_point.maxbpg) && !clash(f.avgfilesize, by_point.avgfilesize) &&
                       !clash(f.softupdates, by_point.softupdates) &&
                       !clash(f.optimization, by_point.optimization);
            };
            if (candidates == 1 && agrees(*other)) device = other->device;
        }
        if (device.empty()) {
            ++i;
            continue;
        }
        HostFacts one;
        one.filesystems.push_back(std::move(by_point));
        one.filesystems.back().last_mounted_on =
            Text(one.filesystems.back().device, one.filesystems.back().minfree_percent.from());
        one.filesystems.back().device = device;
        facts.filesystems.erase(facts.filesystems.begin() + static_cast<std::ptrdiff_t>(i));
        merge(facts, std::move(one));
    }
}

// Only FFS has these settings, whoever printed them.
void type_from_settings(HostFacts& facts) {
    for (Filesystem& f : facts.filesystems) {
        if (f.type) continue;
        for (const Provenance& from :
             {f.maxbpg.from(), f.avgfpdir.from(), f.optimization.from(), f.softupdates.from()})
            if (!from.empty()) {
                f.type = Text("ffs", inferred_from(from));
                break;
            }
    }
}

void inodes_from_geometry(HostFacts& facts) {
    for (Filesystem& f : facts.filesystems) {
        if (f.inodes || !f.cylinder_groups || !f.inodes_per_group) continue;
        if (const auto count = multiply(*f.cylinder_groups, *f.inodes_per_group))
            f.inodes = Number(*count, inferred_from(f.inodes_per_group.from()));
    }
}

}  // namespace

void derive_filesystems(HostFacts& facts) {
    join_mount_points(facts);
    flags_from_mounts(facts);
    type_from_settings(facts);
    inodes_from_geometry(facts);
}

}  // namespace diskwright
