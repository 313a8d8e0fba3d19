// SPDX-License-Identifier: BSD-2-Clause
// gstripe, versions 0 to 3, without a checksum. Layout: freebsd/freebsd-src:sys/geom/stripe/g_stripe.h:
// version 2 added the hard-coded provider, 3 its size; g_stripe.c says what each component contributes.
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/geom.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "GEOM::STRIPE";
constexpr std::uint64_t newest_version = 3;

namespace field {
constexpr std::size_t name = 20, id = 36, no = 40, all = 42, stripesize = 44, provider = 48, provsize = 64;
}

}  // namespace

Result<bool> read_gstripe(ByteSource& source, Found& found) {
    const auto head = geom::metadata(source, magic, newest_version);
    if (!head) return head.error();
    if (!*head) return false;
    const geom::Metadata& md = **head;
    const Structure& in = md.in;
    const std::uint64_t no = in.u16(field::no), all = in.u16(field::all);
    const std::uint64_t unit = in.u32(field::stripesize);
    if (no >= all) return geom::unusable(md, field::no, fmt::format("component {} of a set of {}", no, all));
    if (unit == 0) return geom::unusable(md, field::stripesize, "a stripe size of 0");
    const std::string name = in.text(field::name, 16);
    geom::Owner owner;
    if (md.version >= 2) owner.provider = in.text(field::provider, 16);
    if (md.version >= 3) owner.size = in.u64(field::provsize);
    if (!geom::owns(source, md, owner, name, found)) return false;
    if (all < 2) found.damage.push_back(geom::complaint(md, field::all, "a stripe of one component"));

    Member m =
        geom::member(source, md, VolumeKind::gstripe, RaidLevel::raid0, name, in.u32(field::id), field::id);
    if (all > geom::most_components)
        geom::refuse(md, field::all, fmt::format("a stripe of {} components", all), m.set);
    else
        m.set.columns = in.known(all, field::all, "md_all");
    m.set.stripe_unit_bytes = in.known(unit, field::stripesize, "md_stripesize");
    // gstripe label stores such a size; the kernel does not take it.
    if (!power_of_two(unit) || unit < md.sector_bytes)
        geom::refuse(
            md, field::stripesize,
            fmt::format("a stripe size of {} bytes, which is no power of two of at least a sector", unit),
            m.set);
    m.column = no;
    m.data_bytes = (md.provider_bytes - md.sector_bytes) / unit * unit;
    suggest_os(source, found, Os::freebsd, m.from);
    found.members.push_back(std::move(m));
    return true;
}

}  // namespace diskwright
