// SPDX-License-Identifier: BSD-2-Clause
// graid3, versions 0 to 5. Layout: freebsd/freebsd-src:sys/geom/raid3/g_raid3.h: version 3 added the
// generation, 4 the size of the provider. The last component holds the parity; a sector of the set is cut
// into as many parts as there are others (g_raid3.c).
#include <algorithm>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/geom.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "GEOM::RAID3";
constexpr std::uint64_t newest_version = 5;

namespace field {
constexpr std::size_t name = 20, id = 36, no = 40, all = 42, genid = 44;
}

struct Layout {
    std::size_t syncid, mediasize, sectorsize, sync_offset, dflags, provider, provsize, hash;
};

Layout layout_of(std::uint64_t version) {
    const std::size_t moved = version >= 3 ? 4 : 0;
    Layout l{44 + moved, 48 + moved, 56 + moved, 60 + moved, 76 + moved, 84 + moved, 0, 100 + moved};
    if (version >= 4) l.provsize = l.hash, l.hash += 8;
    return l;
}

std::uint64_t size_on_each(const geom::Metadata& md, const Layout& l) {
    return md.in.u64(l.mediasize) / (md.in.u16(field::all) - 1);
}

// What the class refuses a set for, and what no label of it says.
void find_faults(const geom::Metadata& md, const Layout& l, Volume& set, Found& found) {
    const Structure& in = md.in;
    const std::uint64_t data = in.u16(field::all) - 1;
    const auto check = [&](bool right, std::size_t offset, std::string_view what) {
        if (!right) geom::refuse(md, offset, what, set);
    };
    check(power_of_two(data) && data >= 2, field::all,
          fmt::format("a set of {} components, which are not 2^n + 1", data + 1));
    check(power_of_two(in.u32(l.sectorsize)) && in.u32(l.sectorsize) / data >= 512, l.sectorsize,
          "the parts of a sector are no sectors");
    check(in.u64(l.mediasize) % data == 0, l.mediasize, "the size is not a multiple of the data components");
    check(size_on_each(md, l) <= md.provider_bytes - md.sector_bytes, l.mediasize,
          "the set is larger than its components");
    if (in.u64(l.sync_offset) > size_on_each(md, l))
        found.damage.push_back(
            geom::complaint(md, l.sync_offset, "synchronized further than the component reaches"));
}

void describe_set(const geom::Metadata& md, const Layout& l, Volume& set) {
    const Structure& in = md.in;
    set.columns = in.known(in.u16(field::all), field::all, "md_all");
    if (size_on_each(md, l) <= md.provider_bytes - md.sector_bytes)
        set.size_bytes = in.known(in.u64(l.mediasize), l.mediasize, "md_mediasize");
    set.logical_sector_bytes = in.known(in.u32(l.sectorsize), l.sectorsize, "md_sectorsize");
    geom::describe_synchronisation(md, l.dflags, l.sync_offset, size_on_each(md, l), set);
}

}  // namespace

Result<bool> read_graid3(ByteSource& source, Found& found) {
    const auto head = geom::metadata(source, magic, newest_version);
    if (!head) return head.error();
    if (!*head) return false;
    const geom::Metadata& md = **head;
    const Structure& in = md.in;
    const Layout l = layout_of(md.version);
    if (const auto fault = geom::hash_fault(md, l.hash); !fault.empty())
        return geom::unusable(md, l.hash, fault);
    const std::uint64_t no = in.u16(field::no), all = in.u16(field::all);
    if (all < 2 || no >= all || all > geom::most_components)
        return geom::unusable(md, field::no, fmt::format("component {} of a set of {}", no, all));
    const std::string name = in.text(field::name, 16);
    const geom::Owner owner = geom::owner_of(md, l.provider, l.provsize);
    if (!geom::owns(source, md, owner, name, found)) return false;

    Member m =
        geom::member(source, md, VolumeKind::graid3, RaidLevel::raid3, name, in.u32(field::id), field::id);
    find_faults(md, l, m.set, found);
    describe_set(md, l, m.set);
    m.column = no;
    m.role = no + 1 == all ? "parity" : "data";
    m.data_bytes = std::min(size_on_each(md, l), md.provider_bytes - md.sector_bytes);
    if ((in.u64(l.dflags) & (geom::flag::synchronizing | geom::flag::force_sync)) != 0)
        m.state = ComponentState::rebuilding;
    geom::count_events(md, md.version >= 3 ? in.u32(field::genid) : 0, in.u32(l.syncid), m);
    suggest_os(source, found, Os::freebsd, m.from);
    found.members.push_back(std::move(m));
    return true;
}

}  // namespace diskwright
