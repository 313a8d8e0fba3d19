// SPDX-License-Identifier: BSD-2-Clause
// ccd: the concatenated disk has no metadata of its own; its data begins at byte 0 of the first component, on
// FreeBSD at sector 16. So the label that somebody wrote to the ccd stands there, and its d_type is "ccd".
// That tells there is a ccd that begins here, and its size; neither its unit nor its other components.
// Besides that, the type of the component's partition ("ccd") is what the tables say.
//
// Sources: NetBSD/src:sys/dev/ccd.c (ccdgetdefaultlabel), sys/sys/disklabel.h (DTYPE_CCD);
// freebsd/freebsd-src:sys/geom/geom_ccd.c (CCD_OFFSET), sys/sys/disk/bsd.h and
// openbsd/src:sys/sys/disklabel.h have the same number.
#include <algorithm>

#include "probes/model/device_names.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/label_search.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Sector 16 is farther in than any system but FreeBSD puts a label: by where it stands the data begins.
constexpr std::size_t freebsd_offset = 16 * 512, searched = freebsd_offset + 1024, label_head = 148,
                      partition_size = 16;
constexpr std::size_t type_at = 4, sector_at = 40, total_at = 60, magic2_at = 132, count_at = 138;
constexpr std::uint64_t dtype_ccd = 11, most_partitions = 64;
constexpr std::uint64_t clipped = 0xffffffff;  // what 32 bits hold of a larger ccd

bool sums_to_zero(const Structure& in, std::size_t at) {
    const std::size_t size = label_head + static_cast<std::size_t>(in.u16(at + count_at)) * partition_size;
    if (in.u16(at + count_at) > most_partitions || size > in.bytes().size() - at) return false;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; i += 2) sum ^= in.u16(at + i);
    return sum == 0;
}

bool is_label_of_ccd(const Structure& in, std::size_t at) {
    return in.u32(at) == disklabel_magic && in.u32(at + magic2_at) == disklabel_magic &&
           in.u16(at + type_at) == dtype_ccd && sums_to_zero(in, at);
}

void write_volume(const ByteSource& source, const Structure& in, std::size_t at, Found& found) {
    const Provenance from = in.from(at + type_at, "disk label of type ccd");
    Volume set;
    set.name = "ccd?";
    set.kind = Known<VolumeKind>(VolumeKind::ccd, from);
    const auto sector = in.u32(at + sector_at), total = in.u32(at + total_at);
    if (power_of_two(sector) && sector >= 512 && sector <= 65536) {
        set.logical_sector_bytes = in.known(sector, at + sector_at, "bytes/sector");
        if (total > 0 && total != clipped)
            set.size_bytes = Number(total * sector, in.from(at + total_at, "total sectors"));
    }
    Component first;
    first.name = source.name();
    first.slot = Number(0, from);
    first.data_offset_bytes = Number(at >= freebsd_offset ? freebsd_offset : 0, from);
    if (const auto size = source.size_bytes()) first.size_bytes = Number(*size, from);
    set.components.push_back(std::move(first));
    found.facts.volumes.push_back(std::move(set));
}

}  // namespace

Result<bool> read_ccd_label(ByteSource& source, Found& found) {
    if (volume_by_name(source.name()).kind == VolumeKind::ccd) return false;  // the ccd itself, and its label
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(
        source.readable_bytes(), searched + label_head + most_partitions * partition_size));
    const auto bytes = read_structure(source, 0, length);
    if (!bytes) return bytes.error();
    if (!*bytes) return false;
    const auto magics = label_magic_places((*bytes)->bytes(), searched);
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const Structure in = (*bytes)->in_order(order);
        for (const std::size_t at : magics) {
            if (at + label_head > length || !is_label_of_ccd(in, at)) continue;
            write_volume(source, in, at, found);
            return true;
        }
    }
    return false;
}

}  // namespace diskwright
