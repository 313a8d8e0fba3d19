// SPDX-License-Identifier: BSD-2-Clause
// gconcat, versions 1 to 4, without a checksum. Layout: freebsd/freebsd-src:sys/geom/concat/g_concat.h:
// version 3 added the hard-coded provider, 4 its size. A component contributes all but its last sector.
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/geom.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "GEOM::CONCAT";
constexpr std::uint64_t newest_version = 4;

namespace field {
constexpr std::size_t name = 20, id = 36, no = 40, all = 42, provider = 44, provsize = 60;
}

}  // namespace

Result<bool> read_gconcat(ByteSource& source, Found& found) {
    const auto head = geom::metadata(source, magic, newest_version);
    if (!head) return head.error();
    if (!*head) return false;
    const geom::Metadata& md = **head;
    const Structure& in = md.in;
    const std::uint64_t no = in.u16(field::no), all = in.u16(field::all);
    if (no >= all) return geom::unusable(md, field::no, fmt::format("component {} of a set of {}", no, all));
    const std::string name = in.text(field::name, 16);
    geom::Owner owner;
    if (md.version >= 3) owner.provider = in.text(field::provider, 16);
    if (md.version >= 4) owner.size = in.u64(field::provsize);
    if (!geom::owns(source, md, owner, name, found)) return false;

    Member m =
        geom::member(source, md, VolumeKind::gconcat, RaidLevel::concat, name, in.u32(field::id), field::id);
    if (all > geom::most_components)
        geom::refuse(md, field::all, fmt::format("a concatenation of {} components", all), m.set);
    else
        m.set.columns = in.known(all, field::all, "md_all");
    m.column = no;
    m.data_bytes = md.provider_bytes - md.sector_bytes;
    suggest_os(source, found, Os::freebsd, m.from);
    found.members.push_back(std::move(m));
    return true;
}

}  // namespace diskwright
