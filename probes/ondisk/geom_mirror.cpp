// SPDX-License-Identifier: BSD-2-Clause
// gmirror, versions 0 to 4. Layout: freebsd/freebsd-src:sys/geom/mirror/g_mirror.h: version 2 added the
// generation, 3 the size of the provider. Its components have no number: all hold the same bytes.
#include <algorithm>
#include <array>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/geom.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "GEOM::MIRROR";
constexpr std::uint64_t newest_version = 4;
constexpr std::array<std::string_view, 5> algorithms{"none", "round-robin", "load", "split", "prefer"};

namespace field {
constexpr std::size_t name = 20, mid = 36, all = 44, genid = 45;
}

// Where the fields stand that the generation moved on by four bytes.
struct Layout {
    std::size_t syncid, priority, slice, balance, mediasize, sectorsize, sync_offset, dflags, provider,
        provsize, hash;
};

Layout layout_of(std::uint64_t version) {
    const std::size_t moved = version >= 2 ? 4 : 0;
    Layout l{45 + moved, 49 + moved, 50 + moved, 54 + moved, 55 + moved, 63 + moved,
             67 + moved, 83 + moved, 91 + moved, 0,          107 + moved};
    if (version >= 3) l.provsize = l.hash, l.hash += 8;
    return l;
}

bool fits(const geom::Metadata& md, const Layout& l) {
    return md.in.u64(l.mediasize) <= md.provider_bytes - md.sector_bytes;
}

// What the class refuses a mirror for (g_mirror_create, g_mirror_check_metadata), and what no label of it
// says.
void find_faults(const geom::Metadata& md, const Layout& l, Volume& set, Found& found) {
    const Structure& in = md.in;
    const auto check = [&](bool right, std::size_t offset, std::string_view what) {
        if (!right) geom::refuse(md, offset, what, set);
    };
    check(in.u8(field::all) > 0, field::all, "a mirror of no components");
    check(power_of_two(in.u32(l.sectorsize)) && in.u32(l.sectorsize) >= 512, l.sectorsize,
          "no sector size that exists");
    check(fits(md, l), l.mediasize, "the mirror is larger than its component");
    const auto complain = [&](std::size_t offset, std::string_view what) {
        found.damage.push_back(geom::complaint(md, offset, what));
    };
    if (in.u8(l.balance) >= algorithms.size()) complain(l.balance, "no balance algorithm that exists");
    if (in.u64(l.sync_offset) > in.u64(l.mediasize))
        complain(l.sync_offset, "synchronized further than the mirror reaches");
}

std::optional<ComponentState> state_of(std::uint64_t flags) {
    if ((flags & geom::flag::inactive) != 0) return ComponentState::failed;
    if ((flags & (geom::flag::synchronizing | geom::flag::force_sync)) != 0)
        return ComponentState::rebuilding;
    return std::nullopt;
}

void describe_set(const geom::Metadata& md, const Layout& l, Volume& set) {
    const Structure& in = md.in;
    if (in.u8(field::all) > 0) set.columns = in.known<std::uint64_t>(in.u8(field::all), field::all, "md_all");
    const std::uint64_t balance = in.u8(l.balance);
    if (balance < algorithms.size())
        set.balance = in.known(std::string(algorithms[balance]), l.balance, "md_balance");
    set.balance_slice_bytes = in.known(in.u32(l.slice), l.slice, "md_slice");
    if (fits(md, l)) set.size_bytes = in.known(in.u64(l.mediasize), l.mediasize, "md_mediasize");
    set.logical_sector_bytes = in.known(in.u32(l.sectorsize), l.sectorsize, "md_sectorsize");
    geom::describe_synchronisation(md, l.dflags, l.sync_offset, in.u64(l.mediasize), set);
}

}  // namespace

Result<bool> read_gmirror(ByteSource& source, Found& found) {
    const auto head = geom::metadata(source, magic, newest_version);
    if (!head) return head.error();
    if (!*head) return false;
    const geom::Metadata& md = **head;
    const Structure& in = md.in;
    const Layout l = layout_of(md.version);
    if (const auto fault = geom::hash_fault(md, l.hash); !fault.empty())
        return geom::unusable(md, l.hash, fault);
    const std::string name = in.text(field::name, 16);
    const geom::Owner owner = geom::owner_of(md, l.provider, l.provsize);
    if (!geom::owns(source, md, owner, name, found)) return false;

    Member m =
        geom::member(source, md, VolumeKind::gmirror, RaidLevel::raid1, name, in.u32(field::mid), field::mid);
    find_faults(md, l, m.set, found);
    describe_set(md, l, m.set);
    m.data_bytes = std::min(in.u64(l.mediasize), md.provider_bytes - md.sector_bytes);
    m.state = state_of(in.u64(l.dflags));
    m.priority = in.u8(l.priority);
    geom::count_events(md, md.version >= 2 ? in.u32(field::genid) : 0, in.u32(l.syncid), m);
    suggest_os(source, found, Os::freebsd, m.from);
    found.members.push_back(std::move(m));
    return true;
}

}  // namespace diskwright
