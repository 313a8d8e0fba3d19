// SPDX-License-Identifier: BSD-2-Clause
// glabel, versions 1 and 2, without a checksum: a name for the provider less its last sector.
// Layout: freebsd/freebsd-src:sys/geom/label/g_label.h; version 2 added the size of the provider.
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/geom.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "GEOM::LABEL";
constexpr std::uint64_t newest_version = 2;

namespace field {
constexpr std::size_t label = 20, provsize = 36;
}

}  // namespace

Result<bool> read_glabel(ByteSource& source, Found& found) {
    const auto head = geom::metadata(source, magic, newest_version);
    if (!head) return head.error();
    if (!*head) return false;
    const geom::Metadata& md = **head;
    const std::string label = md.in.text(field::label, 16);
    if (label.empty()) return geom::unusable(md, field::label, "a label without a name");
    geom::Owner owner;
    if (md.version >= 2) owner.size = md.in.u64(field::provsize);
    if (!geom::owns(source, md, owner, label, found)) return false;
    suggest_os(source, found, Os::freebsd, md.in.from(0, "GEOM::LABEL " + label));
    found.slots.push_back(
        {"label/" + label, 0, md.provider_bytes - md.sector_bytes, Os::freebsd, source.tables()});
    return true;
}

}  // namespace diskwright
