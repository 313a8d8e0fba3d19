// SPDX-License-Identifier: BSD-2-Clause
// FFS014: a file system that is nearly full.
#include <fmt/format.h>

#include <algorithm>

#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

bool read_only(const RuleContext& context, const Filesystem& fs) {
    const auto says_so = [](const TextList& options) {
        return options && std::any_of(options->begin(), options->end(), [](const std::string& o) {
                   return o == "ro" || o == "read-only" || o == "rdonly";
               });
    };
    const Mount* mount = context.graph.mount_of(fs.device);
    if (mount && says_so(mount->options)) return true;
    const FstabEntry* entry = context.graph.fstab_of(fs.device);
    return !mount && entry && says_so(entry->options);
}

bool judged_type(const RuleContext& context, const Filesystem& fs) {
    if (fs.type) return is_ffs(fs) || fs.type->starts_with("ext") || *fs.type == "xfs";
    // df alone does not tell the type. Discs and loop mounts are always full; pools and kernel file systems
    // are not named like partitions.
    for (const std::string_view never : {"cd", "sr", "acd", "loop", "vnd", "vn", "fd", "md"})
        if (disk_name(fs.device).starts_with(never) && !context.graph.volume(disk_name(fs.device)))
            return false;
    return !whole_device_name(fs.device).empty() || fs.device.starts_with("dk") ||
           context.graph.volume(fs.device);
}

std::string_view growing_tool(const HostFacts& host, const Filesystem& fs) {
    if (fs.type && *fs.type == "xfs") return "xfs_growfs";
    if (fs.type && fs.type->starts_with("ext")) return "resize2fs";
    if (host.is(Os::netbsd)) return "resize_ffs";
    return host.is(Os::linux_) ? "resize2fs or xfs_growfs" : "growfs";
}

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        if (is_ffs(fs) && !fs.used_percent && context.graph.mount_of(fs.device) && !read_only(context, fs))
            out.skip(fs.device, {"df -i"});
        if (!fs.used_percent || *fs.used_percent < context.thresholds.nearly_full_percent) continue;
        if (!judged_type(context, fs) || read_only(context, fs)) continue;
        const Mount* mount = context.graph.mount_of(fs.device);
        auto report = out.report(fs.device);
        report
            .message(fmt::format("{:.0f} % of its capacity is used{}", *fs.used_percent,
                                 mount ? " (" + mount->point + ")" : ""))
            .evidence(fs.used_percent)
            .note(fmt::format("remove or move data, or grow what it lies on and the file system ({}); over "
                              "100 % means that root has used the reserve",
                              growing_tool(context.host, fs)));
        if (fs.type && !is_ffs(fs))
            report.cost(
                "writes fail when it is full, and files written until then are scattered; no figure is "
                "published");
    }
}

}  // namespace

extern const Rule ffs_file_system_nearly_full;
const Rule ffs_file_system_nearly_full{
    {.code = "FFS014",
     .slug = "file-system-nearly-full",
     .severity = Severity::notice,
     .impact = 3,
     .summary = "a file system is nearly full",
     .why = "At 95 % of what df shows, the allocator searches long for free blocks and scatters what it "
            "writes; files written then stay scattered after space is freed. Soon writes fail, and mail, "
            "databases and logs with them. Soft updates free space late, so a nearly full file system can "
            "run out during large deletions and rewrites.",
     .cost = "tunefs(8): up to a factor of three in throughput when nothing is free; then failing writes.",
     .remedy = "Free or add space.",
     .bad =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "da0p2", "type": "ffs2", "used_percent": 97}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "filesystems": [{"device": "da0p2", "type": "ffs2", "used_percent": 71}]})",
     .references = "df(1), tunefs(8), growfs(8)"},
    check};

}  // namespace diskwright
