// SPDX-License-Identifier: BSD-2-Clause
// RAID geometry of ext (tune2fs -E, in blocks of the file system) and of XFS (mount options in units of 512
// bytes; the kernel writes them to the superblock: Linux Documentation/admin-guide/xfs.rst).
#include <fmt/format.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/fix_builder.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void ext_geometry(FixBuilder& fix, const Job& job) {
    const Filesystem* fs = fix.graph().filesystem(job.subject);
    if (!fs || !fs->bsize || *fs->bsize == 0) {
        fix.note(
            "tune2fs wants stride and stripe_width in blocks, and the input does not show the block size: "
            "tune2fs -l does");
        return;
    }
    std::string options;
    const auto option = [&](std::string_view name, Setting setting) {
        if (const auto bytes = job.number(setting))
            options += fmt::format("{}{}={}", options.empty() ? "" : ",", name, *bytes / *fs->bsize);
    };
    option("stride", Setting::ext_stride);
    option("stripe_width", Setting::ext_stripe_width);
    if (options.empty()) return;
    fix.run(Command("tune2fs").word("-E").word(options).name(device_path(fix, job.subject)));
    fix.note("the allocator follows it from the next mount on; files that are there stay where they are");
}

void xfs_geometry(FixBuilder& fix, const Job& job) {
    constexpr std::uint64_t unit = 512;
    std::string options;
    const auto option = [&](std::string_view name, Setting setting) {
        if (const auto bytes = job.number(setting))
            options += fmt::format("{}{}={}", options.empty() ? "" : ",", name, *bytes / unit);
    };
    option("sunit", Setting::xfs_sunit);
    option("swidth", Setting::xfs_swidth);
    if (options.empty()) return;
    const Mount* mount = fix.graph().mount_of(job.subject);
    if (!mount) {
        fix.note(fmt::format("mount {} once with -o {}; the kernel keeps the values", escaped(job.subject),
                             options));
    } else if (mount->point == "/") {
        fix.note(fmt::format("boot once with rootflags={}; the kernel keeps the values", options));
    } else {
        fix.run(Command("umount").name(mount->point));
        fix.run(Command("mount").word("-o").word(options).name(mount->point));
        fix.note(
            "the kernel keeps the values; it refuses a unit that the allocation groups are not aligned to");
    }
}

}  // namespace

void generate_ext_xfs(FixBuilder& fix) {
    if (!fix.is({Os::linux_})) return;
    for (const Job& job : fix.take({Setting::ext_stride, Setting::ext_stripe_width})) ext_geometry(fix, job);
    for (const Job& job : fix.take({Setting::xfs_sunit, Setting::xfs_swidth})) xfs_geometry(fix, job);
}

}  // namespace diskwright
