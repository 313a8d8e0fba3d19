// SPDX-License-Identifier: BSD-2-Clause
// FFS012: a superblock that describes more than its partition holds.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/ffs/ffs.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// "1.8T" is no size to hold against a superblock: only what was read as a count.
bool exact(const Number& size) {
    const auto kind = size.from().kind();
    if (kind != Provenance::Kind::output && kind != Provenance::Kind::prose) return true;
    const auto& text = size.from().text();
    if (text.empty()) return true;
    for (const std::uint64_t unit : {1, 512, 1024, 4096})
        if (contains(text, std::to_string(*size / unit))) return true;
    return false;
}

// Is the room behind the partition free up to `end` (relative to its parent)?
bool room_until(const RuleContext& context, const Partition& p, std::uint64_t end) {
    const Number parent = context.graph.size_of(p.parent);
    if (!parent || *parent < end) return false;
    for (const Partition& other : context.host.partitions)
        if (other.parent == p.parent && &other != &p && other.start_bytes &&
            *other.start_bytes > *p.start_bytes && *other.start_bytes < end)
            return false;
    return true;
}

void check(const RuleContext& context, Findings& out) {
    for (const Filesystem& fs : context.host.filesystems) {
        const Number device = context.graph.size_of(fs.device);
        if (is_ffs(fs) && device && !fs.size_bytes) out.skip(fs.device, {superblock_command(context, fs)});
        if (!fs.size_bytes) continue;
        if (!device || !exact(device) || *device == 0 || *fs.size_bytes <= *device) continue;
        auto report = out.report(fs.device);
        report
            .message(fmt::format("the file system is made for {} bytes, but {} has {}", *fs.size_bytes,
                                 fs.device, *device))
            .evidence(fs.size_bytes)
            .evidence(device);
        const Partition* p = context.graph.partition(fs.device);
        const auto end = p && p->start_bytes ? add(*p->start_bytes, *fs.size_bytes) : std::nullopt;
        if (end && room_until(context, *p, *end))
            report.change(Setting::partition_size, p->name, *fs.size_bytes)
                .note(
                    "unmount it first and do not write to it until the partition has its size back; then run "
                    "fsck");
        else
            report.note(
                "unmount it, give the partition its old size back before anything is written (what was put "
                "behind it must go), then run fsck; otherwise save what can be read and make a smaller file "
                "system");
    }
}

}  // namespace

extern const Rule ffs_file_system_exceeds_partition;
const Rule ffs_file_system_exceeds_partition{
    {.code = "FFS012",
     .slug = "file-system-exceeds-partition",
     .severity = Severity::error,
     .impact = 500,
     .summary = "the file system is larger than its partition",
     .why = "The superblock counts blocks that the partition no longer has: it was shrunk under the file "
            "system, or the file system was copied to a smaller one. Reads past the end fail; when another "
            "partition was made in the gap, writing files there is impossible and what fsck repairs can "
            "destroy the rest.",
     .cost =
         "Data at risk: everything beyond the end is gone, and allocation fails as soon as it reaches it.",
     .remedy = "Give the partition its size back, or restore from backup on a file system that fits. FFS "
               "cannot be shrunk in place on FreeBSD and OpenBSD (NetBSD: resize_ffs).",
     .bad =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "da0", "size_bytes": 214748364800}], "partitions": [{"name": "da0p2", "parent": "da0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 204800000000, "type": "freebsd-ufs"}], "filesystems": [{"device": "da0p2", "type": "ffs2", "bsize": 32768, "fsize": 4096, "size_bytes": 214700000000}]})",
     .good =
         R"({"os": {"name": "freebsd"}, "disks": [{"name": "da0", "size_bytes": 214748364800}], "partitions": [{"name": "da0p2", "parent": "da0", "scheme": "gpt", "start_bytes": 1048576, "size_bytes": 214700000256, "type": "freebsd-ufs"}], "filesystems": [{"device": "da0p2", "type": "ffs2", "bsize": 32768, "fsize": 4096, "size_bytes": 214700000256}]})",
     .references = "gpart(8) resize, growfs(8), resize_ffs(8), fsck_ffs(8)"},
    check};

}  // namespace diskwright
