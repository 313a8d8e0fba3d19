// SPDX-License-Identifier: BSD-2-Clause
// What each system makes: NetBSD/src:sys/dev/raidframe/rf_archs.h (0 1 4 5), freebsd/freebsd-src:lib/geom
// (mirror, stripe, raid3; graid's RAID 5 is read-only), openbsd/src:sbin/bioctl/bioctl.c (0 1 5).
#include "advisor/planning/typed_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "advisor/planning/layout.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t softraid_unit = 65536;  // MAXPHYS, fixed
constexpr std::uint64_t usual_unit = 65536;
constexpr std::uint64_t data_boundary = 1 * MiB;
constexpr std::uint64_t raidframe_columns = 40;  // RF_MAXCOL, NetBSD/src:sys/dev/raidframe/raidframevar.h
constexpr std::uint64_t least_disk = 64 * MiB;
constexpr std::uint64_t replacement_slack = 1 * MiB;  // components are cut to whole MiB

struct Kind {
    Os os;
    std::string_view level;
    VolumeKind kind;
    std::string_view volume;  // empty: the next sd
    std::uint64_t least_disks;
};
constexpr std::array kinds{
    Kind{Os::netbsd, "0", VolumeKind::raidframe, "raid0", 2},
    Kind{Os::netbsd, "1", VolumeKind::raidframe, "raid0", 2},
    Kind{Os::netbsd, "10", VolumeKind::raidframe, "raid0", 4},
    Kind{Os::netbsd, "4", VolumeKind::raidframe, "raid0", 3},
    Kind{Os::netbsd, "5", VolumeKind::raidframe, "raid0", 3},
    Kind{Os::freebsd, "0", VolumeKind::gstripe, "stripe/st0", 2},
    Kind{Os::freebsd, "1", VolumeKind::gmirror, "mirror/gm0", 2},
    Kind{Os::freebsd, "3", VolumeKind::graid3, "raid3/gr0", 3},
    Kind{Os::openbsd, "0", VolumeKind::softraid, "", 2},
    Kind{Os::openbsd, "1", VolumeKind::softraid, "", 2},
    Kind{Os::openbsd, "5", VolumeKind::softraid, "", 3},
};

Error wrong(const std::string& raid, std::string_view why) {
    return {ErrorKind::usage, fmt::format("--raid {}: {}", escaped(raid), why)};
}

Result<const Kind*> kind_of(Os os, const std::string& raid, std::string_view level) {
    std::string levels;
    for (const Kind& k : kinds) {
        if (k.os != os) continue;
        if (k.level == level) return &k;
        levels += fmt::format("{}{}", levels.empty() ? "" : ", ", k.level);
    }
    return wrong(raid, fmt::format("{} makes the levels {} here", to_string(os), levels));
}

Result<bool> check_disks(const Kind& kind, const std::string& raid, const HostFacts& facts) {
    const std::uint64_t disks = facts.disks.size();
    if (std::any_of(facts.disks.begin(), facts.disks.end(),
                    [](const Disk& d) { return !d.size_bytes || *d.size_bytes < least_disk; }))
        return wrong(raid, fmt::format("needs disks of at least {} each", human_size(least_disk)));
    if (kind.kind == VolumeKind::raidframe && disks > raidframe_columns)
        return wrong(raid, fmt::format("RAIDframe takes at most {} components", raidframe_columns));
    if (disks < kind.least_disks) return wrong(raid, fmt::format("at least {} disks", kind.least_disks));
    const bool raidframe_mirror =
        kind.kind == VolumeKind::raidframe && (kind.level == "1" || kind.level == "10");
    if (raidframe_mirror && disks % 2 != 0)
        return wrong(raid, "RAIDframe mirrors pairs; an odd component stays unused");
    if (kind.kind == VolumeKind::graid3 && !std::has_single_bit(disks - 1))
        return wrong(raid, "graid3 takes 3, 5, 9 or 17 components");
    return true;
}

std::uint64_t data_disks(const Kind& kind, std::uint64_t disks) {
    if (kind.level == "0") return disks;
    if (kind.level == "1" || kind.level == "10") return kind.kind == VolumeKind::raidframe ? disks / 2 : 1;
    return disks - 1;
}

// Where nothing else is asked for: a full stripe of 64 KiB, the largest block, where the number of data disks
// allows one; else a unit that a block of 32 KiB lies in.
std::uint64_t default_unit(const Kind& kind, std::uint64_t data) {
    const bool parity = kind.level == "4" || kind.level == "5";
    if (kind.kind == VolumeKind::softraid || !parity) return usual_unit;
    return std::has_single_bit(data) && data <= 16 ? largest_block / data : 32 * KiB;
}

// Nothing: the kind has no unit.
Result<std::optional<std::uint64_t>> unit_of(const Kind& kind, const std::string& raid,
                                             std::optional<std::string_view> typed, std::uint64_t data,
                                             std::uint64_t sector) {
    const bool none = kind.kind == VolumeKind::gmirror || kind.kind == VolumeKind::graid3 ||
                      (kind.kind == VolumeKind::softraid && kind.level == "1");
    if (none) {
        if (typed) return wrong(raid, "this kind of set has no stripe unit");
        return std::optional<std::uint64_t>{};
    }
    if (!typed) return std::optional(default_unit(kind, data));
    const auto unit = to_size(*typed);
    if (!unit || *unit == 0 || *unit % sector != 0 || *unit > 64 * MiB)
        return wrong(raid, "the unit is a size of whole sectors, such as 16k");
    if (kind.kind == VolumeKind::softraid && *unit != softraid_unit)
        return wrong(raid, "softraid's unit is always 64 KiB");
    if (kind.kind == VolumeKind::gstripe && !std::has_single_bit(*unit))
        return wrong(raid, "gstripe takes powers of two only");
    return std::optional(*unit);
}

Scheme component_scheme(Os os, std::uint64_t sectors) {
    if (os == Os::freebsd) return Scheme::gpt;
    // disklabel -i of NetBSD reads sector numbers into an int.
    return os == Os::netbsd && sectors >= std::uint64_t{1} << 31 ? Scheme::gpt : Scheme::disklabel;
}

std::string component_name(Os os, Scheme scheme, const std::string& disk, std::size_t index) {
    if (scheme == Scheme::disklabel) return disk + "a";
    return os == Os::netbsd ? fmt::format("dk{}", index) : disk + "p1";
}

/// One partition for each disk; their common size, which the smallest disk decides.
std::uint64_t put_components(HostFacts& facts, Volume& set, const Provenance& from) {
    const Os os = *facts.os.name;
    std::uint64_t least = ~std::uint64_t{0};
    for (const Disk& d : facts.disks) least = std::min(least, *d.size_bytes);
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < facts.disks.size(); ++i) {
        const Disk& d = facts.disks[i];
        const std::uint64_t sector = d.logical_sector_bytes.value_or(512);
        const Scheme scheme = component_scheme(os, *d.size_bytes / sector);
        Component member;
        member.name = component_name(os, scheme, d.name, i);
        if (d.logical_sector_bytes) member.logical_sector_bytes = d.logical_sector_bytes;
        member.state = Known<ComponentState>(ComponentState::optimal, from);
        const std::uint64_t reserved = reserved_bytes(set, member).value_or(0);
        const std::uint64_t start = data_boundary - reserved % data_boundary;
        size = (least - start) / replacement_slack * replacement_slack - replacement_slack;
        Partition& p = partition(facts, member.name);
        p.parent = d.name;
        p.scheme = Known<Scheme>(scheme, from);
        p.index = Number(1, from);
        p.start_bytes = Number(start, from), p.size_bytes = Number(size, from);
        p.type = Text(os == Os::freebsd ? "freebsd-ufs" : scheme == Scheme::gpt ? "raid" : "RAID", from);
        if (scheme == Scheme::gpt)
            p.label = Text(fmt::format("{}-{}", set.name.substr(set.name.rfind('/') + 1), i), from);
        set.components.push_back(std::move(member));
    }
    return size;
}

// What the driver makes of components of that size.
std::uint64_t volume_size(const Volume& set, std::uint64_t component, std::uint64_t sector) {
    const std::uint64_t data = *set.data_disks;
    const std::uint64_t reserved = set.kind.is(VolumeKind::raidframe) || set.kind.is(VolumeKind::softraid)
                                       ? reserved_bytes(set, set.components.front()).value_or(0)
                                       : sector;  // GEOM keeps its metadata in the last sector
    const std::uint64_t usable = component - reserved;
    const std::uint64_t unit = set.stripe_unit_bytes.value_or(sector);
    return usable / unit * unit * data;
}

RaidLevel level_of(const Kind& kind) {
    // RAIDframe calls a stripe of mirrors level 1.
    if (kind.level == "10") return RaidLevel::raid1;
    return from_string<RaidLevel>(kind.level).value_or(RaidLevel::raid0);
}

}  // namespace

Result<bool> put_typed_set(HostFacts& facts, const std::string& raid) {
    const Provenance from("--raid", 0, raid, Provenance::Kind::user);
    const auto colon = raid.find(':');
    const auto kind = kind_of(*facts.os.name, raid, std::string_view(raid).substr(0, colon));
    if (!kind) return kind.error();
    const std::uint64_t disks = facts.disks.size();
    if (const auto count = check_disks(**kind, raid, facts); !count) return count.error();
    const std::uint64_t sector = facts.disks.front().logical_sector_bytes.value_or(512);
    const std::uint64_t data = data_disks(**kind, disks);
    const auto typed =
        colon == std::string::npos ? std::nullopt : std::optional(std::string_view(raid).substr(colon + 1));
    const auto unit = unit_of(**kind, raid, typed, data, sector);
    if (!unit) return unit.error();

    Volume set;
    set.name = (*kind)->volume.empty() ? fmt::format("sd{}", disks) : std::string((*kind)->volume);
    set.kind = Known<VolumeKind>((*kind)->kind, from);
    set.level = Known<RaidLevel>(level_of(**kind), from);
    set.columns = Number(disks, from), set.data_disks = Number(data, from);
    if (*unit) set.stripe_unit_bytes = Number(**unit, from);
    set.state = Known<VolumeState>(VolumeState::optimal, from);
    if (set.kind.is(VolumeKind::raidframe)) {
        set.autoconfigure = Flag(true, from);
        if (!set.level.is(RaidLevel::raid0)) set.parity_clean = Flag(true, from);
    }
    const std::uint64_t component = put_components(facts, set, from);
    set.components_complete = Flag(true, from);
    set.size_bytes = Number(volume_size(set, component, sector), from);
    facts.volumes.push_back(std::move(set));
    return true;
}

}  // namespace diskwright
