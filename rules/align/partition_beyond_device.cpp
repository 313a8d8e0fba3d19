// SPDX-License-Identifier: BSD-2-Clause
// ALIGN006: a partition that ends past what holds it, or over metadata at the end of it.
#include <fmt/format.h>

#include <optional>

#include "probes/support/text.hpp"
#include "rules/align/placement.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

bool names(std::string_view text, std::uint64_t number) {
    return contains(text, std::to_string(number));
}

// A size that was read as a count of bytes, sectors or KiB. "5.5T" would do for most rules, not for this one:
// it is off by gigabytes.
bool exact(const Number& size) {
    if (!size) return false;
    if (size.from().kind() != Provenance::Kind::output && size.from().kind() != Provenance::Kind::prose)
        return true;
    const auto& text = size.from().text();
    return text.empty() || names(text, *size) || names(text, *size / 512) || names(text, *size / 1024) ||
           names(text, *size / 4096);
}

// Where the metadata begins that a driver keeps at the end of a component of that size; nothing for those
// that keep it at the head. GEOM classes: the last sector (gmirror(8), gstripe(8), graid3(8), gconcat(8));
// graid: the vendors' formats lie in the last sectors too. md 0.90: the last whole 64 KiB but one
// boundary; 1.0: at least 8 KiB from the end (md(4)).
std::optional<std::uint64_t> metadata_start(const Volume& volume, std::uint64_t size, std::uint64_t sector) {
    switch (volume.kind.value_or(VolumeKind::hardware)) {
        case VolumeKind::gmirror:
        case VolumeKind::gstripe:
        case VolumeKind::graid3:
        case VolumeKind::gconcat:
        case VolumeKind::graid:
            if (size < sector) return std::nullopt;
            return size - sector;
        case VolumeKind::md:
            if (!volume.metadata) return std::nullopt;
            if (volume.metadata->starts_with("0.90") && size >= 128 * KiB)
                return size / (64 * KiB) * (64 * KiB) - 64 * KiB;
            if (*volume.metadata == "1.0" && size >= 16 * KiB) return (size - 8 * KiB) / 4096 * 4096;
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

void judge_partition(const RuleContext& context, const Partition& p, Findings& out) {
    const auto role = role_of(context, p);
    if (role == PartitionRole::whole || role == PartitionRole::unused) return;
    if (p.parent.empty() || !exact(p.start_bytes) || !exact(p.size_bytes)) return;
    const auto end = add(*p.start_bytes, *p.size_bytes);
    const Number size = context.graph.size_of(p.parent);
    if (!end || !exact(size)) return;
    if (*end > *size) {
        auto report = out.report(p.name);
        report
            .message(
                fmt::format("ends at byte {}, {} bytes past the end of {}", *end, *end - *size, p.parent))
            .evidence(p.size_bytes)
            .evidence(size);
        if (*p.start_bytes < *size)
            report.change(Setting::partition_size, p.name, *size - *p.start_bytes)
                .note(
                    "first find out which is wrong: the entry, or the device that was cut or exchanged; a "
                    "file system in the partition must be smaller than what remains, or be made anew");
        else
            report.note(
                "the entry lies wholly behind the end: the device was cut or exchanged, or the table is of "
                "another one");
        return;
    }
    const Volume* over = context.graph.volume_with_component(p.parent);
    if (!over) return;
    const Disk* disk = context.graph.disk(p.parent);
    const std::uint64_t sector = disk ? disk->logical_sector_bytes.value_or(512) : 512;
    const auto metadata = metadata_start(*over, *size, sector);
    if (!metadata || *end <= *metadata) return;
    auto report = out.report(p.name);
    report
        .message(fmt::format("reaches byte {} of {} and covers the metadata of {} from byte {} on", *end,
                             p.parent, over->name, *metadata))
        .evidence(p.size_bytes)
        .evidence(size)
        .evidence(over->kind);
    if (*p.start_bytes < *metadata)
        report.change(Setting::partition_size, p.name, *metadata - *p.start_bytes);
    report.note(
        "what is written to the last sectors of the partition destroys the metadata; shrink the last file "
        "system with it");
}

void check(const RuleContext& context, Findings& out) {
    for (const Partition& p : context.host.partitions) judge_partition(context, p, out);
}

}  // namespace

extern const Rule align_partition_beyond_device;
const Rule align_partition_beyond_device{
    {.code = "ALIGN006",
     .slug = "partition-beyond-device",
     .severity = Severity::error,
     .impact = 500,
     .summary = "a partition ends past its device, or over RAID metadata at the end of it",
     .why = "A table can describe sectors that do not exist: it was copied from a larger disk, made before a "
            "mirror took the last sector, or the disk hides sectors (HPA). Reads and writes there fail, and "
            "a file system that uses them cannot be mounted or breaks when it is full. GEOM classes keep "
            "their metadata in the last sector of each component and md 0.90 and 1.0 near its end: a "
            "partition that covers it overwrites the set's own description.",
     .cost = "Data at risk: the set is lost or the file system stops at the missing sectors.",
     .remedy = "Shrink the last partition (and the file system in it) to end before the device or its "
               "metadata; make the table on the set (mirror/gm0), not on the disk below.",
     .bad =
         R"({"disks": [{"name": "ada0", "size_bytes": 1000204821504, "logical_sector_bytes": 512}], "partitions": [{"name": "ada0s1", "parent": "ada0", "scheme": "mbr", "start_bytes": 1048576, "size_bytes": 1000204853760, "type": "freebsd"}]})",
     .good =
         R"({"disks": [{"name": "ada0", "size_bytes": 1000204821504, "logical_sector_bytes": 512}], "partitions": [{"name": "ada0s1", "parent": "ada0", "scheme": "mbr", "start_bytes": 1048576, "size_bytes": 1000203772928, "type": "freebsd"}]})",
     .references = "gmirror(8), gstripe(8), graid3(8), gpart(8), md(4)"},
    check};

}  // namespace diskwright
