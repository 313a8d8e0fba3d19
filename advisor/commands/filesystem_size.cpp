// SPDX-License-Identifier: BSD-2-Clause
// growfs(8) of FreeBSD and OpenBSD, resize_ffs(8) of NetBSD, resize2fs(8) and xfs_growfs(8) of Linux.
#include <fmt/format.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void shrink(FixBuilder& fix, const std::string& device, const Filesystem& fs, std::uint64_t bytes) {
    if (fix.is({Os::netbsd})) {
        const std::string raw = ffs_device(fix, device);
        while_unmounted(fix, device, Needs::unmounted, [&] {
            fix.run(Command("fsck_ffs").word("-f").name(raw));
            fix.run(Command("resize_ffs").word("-s").number(bytes / fs.sector_bytes.value_or(512)).name(raw));
        });
        fix.note("make a backup before shrinking");
    } else if (fix.is({Os::linux_}) && fs.type && fs.type->starts_with("ext")) {
        const std::string path = device_path(fix, device);
        while_unmounted(fix, device, Needs::unmounted, [&] {
            fix.run(Command("e2fsck").word("-f").name(path));
            fix.run(Command("resize2fs").name(path).word(fmt::format("{}K", bytes / KiB)));
        });
        fix.note("make a backup before shrinking");
    } else {
        fix.note(fmt::format("{} cannot be shrunk here: back up, make it again with {} bytes, restore",
                             escaped(device), bytes));
    }
}

void grow_linux(FixBuilder& fix, const std::string& device, const Filesystem& fs) {
    const Mount* mount = fix.graph().mount_of(device);
    if (fs.type && fs.type->starts_with("ext")) {
        fix.run(Command("resize2fs").name(device_path(fix, device)));
    } else if (fs.type.is("xfs") && mount) {
        fix.run(Command("xfs_growfs").name(mount->point));
    } else {
        fix.note(
            fmt::format("grow {} with its own tool; XFS is grown mounted, by xfs_growfs on its mount point",
                        escaped(device)));
    }
}

void grow(FixBuilder& fix, const std::string& device, const Filesystem& fs) {
    if (fix.is({Os::linux_})) return grow_linux(fix, device, fs);
    const std::string name = ffs_device(fix, device);
    if (fix.is({Os::freebsd})) {
        // Grows a mounted file system too, from 10.0 on.
        if (fix.at_least(10).value_or(true)) return fix.run(Command("growfs").name(name));
        while_unmounted(fix, device, Needs::unmounted, [&] { fix.run(Command("growfs").name(name)); });
    } else if (fix.is({Os::openbsd})) {
        while_unmounted(fix, device, Needs::unmounted, [&] {
            fix.run(Command("growfs").name(name));
            fix.run(Command("fsck").name(name));
        });
    } else if (fix.is({Os::netbsd})) {
        while_unmounted(fix, device, Needs::unmounted, [&] {
            fix.run(Command("fsck_ffs").word("-f").name(name));
            fix.run(Command("resize_ffs").name(name));
        });
    } else {
        fix.note(fmt::format("{} cannot be grown here: back up, make it again, restore", escaped(device)));
    }
}

}  // namespace

void generate_filesystem_size(FixBuilder& fix) {
    static const Filesystem unknown;
    for (const Job& job : fix.take({Setting::filesystem_size})) {
        const auto bytes = job.number(Setting::filesystem_size);
        if (!bytes) continue;
        const Filesystem* found = fix.graph().filesystem(job.subject);
        const Filesystem& fs = found ? *found : unknown;
        if (*bytes != 0 && fs.size_bytes && *bytes < *fs.size_bytes)
            shrink(fix, job.subject, fs, *bytes);
        else
            grow(fix, job.subject, fs);
    }
}

}  // namespace diskwright
