// SPDX-License-Identifier: BSD-2-Clause
// RAID008: every block, or most requests, fall on more than one disk.
#include <fmt/format.h>

#include <bit>

#include "probes/support/text.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

// Parity sets are FFS002's: one finding, not two. RAIDframe cuts the requests of a mirror at units too.
bool concerns(const Volume& set) {
    if (set.level.is(RaidLevel::raid0) || set.level.is(RaidLevel::raid10))
        return !set.kind.is(VolumeKind::zfs);
    return set.level.is(RaidLevel::raid1) && set.kind.is(VolumeKind::raidframe);
}

const Filesystem* split_filesystem(const RuleContext& context, const Volume& set) {
    for (const Filesystem& fs : context.host.filesystems)
        if (fs.bsize && *set.stripe_unit_bytes < *fs.bsize && set_below(context.graph, fs.device) == &set)
            return &fs;
    return nullptr;
}

struct Requests {
    double writes_per_s = 0, write_kb_per_s = 0;
    Provenance from;
};

// Means of one trace; intervals before the report since boot when there are any.
std::optional<Requests> writes_of(const IoTrace& trace) {
    for (const bool since_boot : {false, true}) {
        Requests sum;
        double samples = 0;
        for (const IoSample& s : trace.samples) {
            if (s.since_boot != since_boot || !s.writes_per_s || !s.write_kb_per_s) continue;
            sum.writes_per_s += *s.writes_per_s, sum.write_kb_per_s += *s.write_kb_per_s, ++samples;
            if (sum.from.empty()) sum.from = s.from;
        }
        if (samples == 0) continue;
        sum.writes_per_s /= samples, sum.write_kb_per_s /= samples;
        return sum;
    }
    return std::nullopt;
}

// Small requests to the set that reach the components as many more: cut, not merely mirrored.
std::optional<Requests> split_requests(const RuleContext& context, const Volume& set) {
    const std::uint64_t each = copies(set).value_or(2);
    for (const IoTrace& trace : context.host.io_traces) {
        if (!same_device(trace.device, set.name)) continue;
        const auto above = writes_of(trace);
        if (!above || above->writes_per_s < context.thresholds.small_write_rate) continue;
        if (above->write_kb_per_s * 1024 / above->writes_per_s > context.thresholds.small_write_bytes)
            continue;
        double below = 0;
        std::size_t seen = 0;
        for (const Component* c : data_components(set)) {
            if (c->name.empty()) continue;
            for (const IoTrace& t : context.host.io_traces) {
                if (t.run.value_or(0) != trace.run.value_or(0)) continue;
                if (!same_device(t.device, c->name) && device_name(t.device) != disk_name(c->name)) continue;
                if (const auto w = writes_of(t)) below += w->writes_per_s, ++seen;
                break;
            }
        }
        if (seen == 0 || seen != data_components(set).size()) continue;
        if (below > context.thresholds.split_request_ratio * static_cast<double>(each) * above->writes_per_s)
            return above;
    }
    return std::nullopt;
}

void check(const RuleContext& context, Findings& out) {
    constexpr std::uint64_t largest_sane_block = 1 * MiB;
    for (const Volume& set : context.host.volumes) {
        if (concerns(set) && !set.stripe_unit_bytes) out.skip(set.name, {status_command(set)});
        if (!concerns(set) || !set.stripe_unit_bytes || *set.stripe_unit_bytes == 0) continue;
        const std::uint64_t unit = *set.stripe_unit_bytes;
        const Filesystem* fs = split_filesystem(context, set);
        const auto split = split_requests(context, set);
        if (!fs && !split) continue;
        auto report = out.report(set.name);
        std::uint64_t wanted = 64 * KiB;
        if (fs) {
            const std::uint64_t pieces = (*fs->bsize + unit - 1) / unit;
            // A mirror sends all of them to each half.
            const std::string effect =
                set.level.is(RaidLevel::raid1)
                    ? fmt::format("each block is written in {} requests to every component", pieces)
                    : fmt::format("each block moves the heads of {} disks",
                                  std::min(pieces, set.data_disks.value_or(2)));
            report
                .message(fmt::format("the stripe unit of {} is smaller than the {} blocks of {}: {}",
                                     human_size(unit), human_size(*fs->bsize), device_name(fs->device),
                                     effect))
                .evidence(fs->bsize);
            if (*fs->bsize <= largest_sane_block) wanted = std::max(wanted, std::bit_ceil(*fs->bsize));
        } else {
            report.message(fmt::format(
                "most requests are cut in two or more: the stripe unit is {} and writes are {} on "
                "average",
                human_size(unit),
                human_size(static_cast<std::uint64_t>(split->write_kb_per_s * 1024 / split->writes_per_s))));
        }
        if (split) report.evidence(split->from);
        report.evidence(set.stripe_unit_bytes);
        if (set.kind.is(VolumeKind::softraid)) {
            report.note(
                "softraid's unit is fixed at 64 KiB: make the file system with blocks of at most that");
        } else {
            report.change(Setting::raid_stripe_unit, set.name, wanted)
                .note(
                    "the set has to be made again for that. A new file system with smaller blocks would fit "
                    "the unit as it is");
        }
        if (context.graph.medium(set.name).rotational.is(false)) report.at_most(Severity::notice);
    }
}

}  // namespace

extern const Rule raid_stripe_unit_too_small;
const Rule raid_stripe_unit_too_small{
    {.code = "RAID008",
     .slug = "stripe-unit-too-small",
     .severity = Severity::warning,
     .impact = 2.5,
     .summary = "the stripe unit is smaller than a block, so each block lies on several disks",
     .why = "A request that is cut over several disks waits for the slowest of them and keeps all of them "
            "from doing something else; with many small files the set then does hardly more operations a "
            "second than one disk. The unit should hold a whole block, better several. RAIDframe cuts the "
            "requests of a mirror at units as well. Large sequential requests are meant to be spread: they "
            "are no reason to worry. Parity sets are judged by FFS002.",
     .cost = "RAIDframe RAID 1, unit of 32 against 128 sectors: 430 against 291 seconds with blocks and "
             "fragments of 16 KiB, 285 against 239 with 8 and 1 KiB (published grid). A RAID 0 of n disks "
             "does up to n times fewer small operations.",
     .remedy = "A unit of at least the block, a multiple of it, commonly 64 to 128 KiB (raidctl sectPerSU "
               "128, gstripe -s 131072, mdadm --chunk); or a file system with blocks that fit.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "columns": 4, "data_disks": 4, "stripe_unit_bytes": 8192, "autoconfigure": true, "state": "optimal"}], "filesystems": [{"device": "raid0a", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "0", "columns": 4, "data_disks": 4, "stripe_unit_bytes": 65536, "autoconfigure": true, "state": "optimal"}], "filesystems": [{"device": "raid0a", "type": "ffs2", "bsize": 32768, "fsize": 4096}]})",
     .references = "raidctl(8), gstripe(8), mdadm(8); Chen and Lee, SIGMETRICS 1995"},
    check};

}  // namespace diskwright
