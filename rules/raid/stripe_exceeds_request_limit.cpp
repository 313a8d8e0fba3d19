// SPDX-License-Identifier: BSD-2-Clause
// RAID012: no request can ever fill a stripe.
// MAXPHYS: NetBSD sys/arch/amd64/include/param.h and OpenBSD sys/sys/param.h 64 KiB; FreeBSD sys/sys/param.h
// 128 KiB up to 12, from 13 on kern.maxphys, 1 MiB on 64-bit machines.
#include <fmt/format.h>

#include "probes/support/text.hpp"
#include "rules/align/stripe_start.hpp"
#include "rules/raid/set_facts.hpp"
#include "rules/rule.hpp"

namespace diskwright {
namespace {

bool is_32_bit(const HostFacts& host) {
    return host.os.machine &&
           (*host.os.machine == "i386" || *host.os.machine == "armv7" || *host.os.machine == "armv6" ||
            *host.os.machine == "powerpc" || *host.os.machine == "mips");
}

// Unknown when the release decides and is not known.
std::optional<std::uint64_t> request_limit(const HostFacts& host, const Volume& set) {
    const bool freebsd = host.is(Os::freebsd) || set.kind.is(VolumeKind::graid3);
    if (!freebsd) return 64 * KiB;
    const auto release = major_release(host);
    if (!release) return std::nullopt;
    return *release >= 13 && !is_32_bit(host) ? 1 * MiB : 128 * KiB;
}

// The file system on the set whose blocks have to become a stripe as well, or FFS002 would take the finding's
// place.
const Filesystem* ffs_on(const RuleContext& context, const Volume& set) {
    for (const Filesystem& fs : context.host.filesystems)
        if (fs.type && fs.type->starts_with("ffs") && set_below(context.graph, fs.device) == &set) return &fs;
    return nullptr;
}

bool power_of_two(std::uint64_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

void check_set(const RuleContext& context, const Volume& set, Findings& out) {
    const Number stripe = full_stripe_bytes(set);
    if (!stripe) return;
    const bool softraid = set.kind.is(VolumeKind::softraid);
    const auto limit = request_limit(context.host, set);
    if (!limit) {
        if (*stripe > 128 * KiB) out.skip(set.name, {"uname -r"});
        return;
    }
    if (*stripe <= *limit) return;
    auto report = out.report(set.name);
    report
        .message(fmt::format("a full stripe is {}, the largest request the kernel passes on is {}: every "
                             "write is a partial one",
                             human_size(*stripe), human_size(*limit)))
        .evidence(set.stripe_unit_bytes)
        .evidence(set.data_disks)
        .evidence(context.host.os.release);
    if (softraid) {
        report.at_most(Severity::info)
            .note("softraid's unit is fixed at 64 KiB; with more than one data disk it is always so");
        return;
    }
    const std::uint64_t disks = set.data_disks.value_or(0);
    constexpr std::uint64_t smallest_unit = 4 * KiB;
    if (!set.kind.is(VolumeKind::raidframe) || !power_of_two(disks) || *limit / disks < smallest_unit) {
        report.note(fmt::format(
            "with {} data disks no block of a file system equals a stripe (FFS004); a smaller unit gains "
            "nothing before the number of disks is a power of two and one",
            disks));
        return;
    }
    const std::uint64_t unit = *limit / disks;
    report.change(Setting::raid_stripe_unit, set.name, unit);
    move_to_new_stripe(context, set, unit, report);
    std::string note = fmt::format(
        "the set has to be made again, with sectPerSU {}; blocks of {} on a partition that starts on a "
        "stripe then make full stripes. Blocks that lie within one unit are the other good choice: where "
        "those are in use, leave it as it is",
        unit / 512, human_size(*limit));
    if (const Filesystem* fs = ffs_on(context, set);
        fs && fs->bsize && *fs->bsize != *limit && *limit <= 64 * KiB) {
        report.change(Setting::ffs_bsize, fs->device, *limit)
            .change(Setting::ffs_fsize, fs->device, *limit / 8);
    }
    report.note(note);
}

void check(const RuleContext& context, Findings& out) {
    for (const Volume& set : context.host.volumes) {
        // md, ZFS and controllers gather requests; these decide for each one.
        const bool per_request = set.kind.is(VolumeKind::raidframe) || set.kind.is(VolumeKind::softraid) ||
                                 set.kind.is(VolumeKind::graid3);
        if (per_request && is_parity(set)) check_set(context, set, out);
    }
}

}  // namespace

extern const Rule raid_stripe_exceeds_request_limit;
const Rule raid_stripe_exceeds_request_limit{
    {.code = "RAID012",
     .slug = "stripe-exceeds-request-limit",
     .severity = Severity::notice,
     .impact = 2,
     .summary = "a full stripe is larger than the largest request of the kernel",
     .why = "RAIDframe, softraid and graid3 decide for every request by itself how to keep the parity. The "
            "kernel cuts requests at MAXPHYS: 64 KiB on NetBSD and OpenBSD, 128 KiB on FreeBSD up to 12, 1 "
            "MiB from 13 on. A stripe larger than that is never written whole, and each sequential write "
            "reads first. md, ZFS and hardware gather requests and are not concerned.",
     .cost =
         "raidctl(8): a write below a full stripe takes 2 to 4 times as long. NetBSD's own code over "
         "modelled disks, RAID 5 of five with 64 KiB blocks: unit 32 sectors 412 MB/s sequential, unit 128 "
         "sectors 12 MB/s.",
     .remedy = "Unit x data disks at most MAXPHYS: on NetBSD with 4 data disks sectPerSU 32, with 2 64, with "
               "8 16; and file system blocks of that size.",
     .bad =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 65536, "spares": 1, "autoconfigure": true, "parity_map": true, "state": "optimal"}]})",
     .good =
         R"({"os": {"name": "netbsd"}, "volumes": [{"name": "raid0", "kind": "raidframe", "level": "5", "columns": 5, "data_disks": 4, "stripe_unit_bytes": 16384, "spares": 1, "autoconfigure": true, "parity_map": true, "state": "optimal"}]})",
     .references = "raidctl(8), softraid(4), graid3(8), NetBSD sys/dev/raidframe/rf_raid5.c"},
    check};

}  // namespace diskwright
