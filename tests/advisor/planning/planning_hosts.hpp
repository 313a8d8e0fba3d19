// SPDX-License-Identifier: BSD-2-Clause
// Hosts with one volume, as a listing would have shown them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "probes/model/host_facts.hpp"

namespace diskwright::test {

struct VolumeHost {
    Os os = Os::netbsd;
    std::string release;  // empty: unknown
    VolumeKind kind = VolumeKind::raidframe;
    RaidLevel level = RaidLevel::raid5;
    std::uint64_t unit = 0;  // 0: none
    std::uint64_t components = 5, data_disks = 4;
    std::uint64_t sector = 512;  // physical; 0: unknown
    bool flash = false;
    std::uint64_t disk_bytes = 1'000'204'886'016;
};

inline std::string volume_name(const VolumeHost& h) {
    switch (h.kind) {
        case VolumeKind::raidframe:
            return "raid0";
        case VolumeKind::gmirror:
            return "mirror/gm0";
        case VolumeKind::gstripe:
            return "stripe/st0";
        case VolumeKind::graid3:
            return "raid3/gr0";
        case VolumeKind::softraid:
            return "sd9";
        default:
            return "mfid0";
    }
}

inline HostFacts facts_of(const VolumeHost& h) {
    const Provenance from("host.txt", 1, "as listed");
    HostFacts facts;
    facts.os.name = Known<Os>(h.os, from);
    if (!h.release.empty()) facts.os.release = Text(h.release, from);
    Volume& v = volume(facts, volume_name(h));
    v.kind = Known<VolumeKind>(h.kind, from), v.level = Known<RaidLevel>(h.level, from);
    v.state = Known<VolumeState>(VolumeState::optimal, from);
    v.columns = Number(h.components, from), v.data_disks = Number(h.data_disks, from);
    v.size_bytes = Number(h.data_disks * (h.disk_bytes / 4194304 * 4194304 - 4194304), from);
    if (h.unit != 0) v.stripe_unit_bytes = Number(h.unit, from);
    const std::string_view prefix = h.os == Os::netbsd ? "wd" : h.os == Os::freebsd ? "ada" : "sd";
    for (std::uint64_t i = 0; i < h.components; ++i) {
        Disk& d = disk(facts, fmt::format("{}{}", prefix, i));
        d.size_bytes = Number(h.disk_bytes, from);
        d.rotational = Flag(!h.flash, from);
        if (h.sector != 0) d.physical_sector_bytes = Number(h.sector, from);
        if (h.sector != 0) d.logical_sector_bytes = Number(512, from);
        const bool gpt = h.os == Os::freebsd;
        Partition& p = partition(facts, d.name + (gpt ? "p1" : "e"));
        p.parent = d.name;
        p.scheme = Known<Scheme>(gpt ? Scheme::gpt : Scheme::disklabel, from);
        p.start_bytes = Number(1048576, from);
        p.size_bytes = Number(h.disk_bytes - 4194304, from);
        p.type = Text(gpt ? "freebsd-ufs" : "RAID", from);
        component(v, p.name).state = Known<ComponentState>(ComponentState::optimal, from);
    }
    v.components_complete = Flag(true, from);
    return facts;
}

}  // namespace diskwright::test
