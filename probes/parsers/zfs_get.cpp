// SPDX-License-Identifier: BSD-2-Clause
// zpool get and zfs get (FreeBSD, NetBSD, Linux):
//   NAME     PROPERTY    VALUE    SOURCE
//   tank     ashift      12       local
//   tank/db  recordsize  16K      local
// The ashift of a pool is what its vdevs were made with unless it was set later; 0 leaves it to the disks and
// tells nothing. Source: openzfs/zfs:lib/libzfs/libzfs_util.c (zprop_print_one_property),
// man/man7/zpoolprops.7.
#include "probes/parsers/command.hpp"
#include "probes/parsers/zfs_names.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool starts(const Output& out, std::size_t at) {
    const auto w = words(out.text(at));
    return w.size() == 4 && w[0] == "NAME" && w[1] == "PROPERTY" && w[2] == "VALUE" && w[3] == "SOURCE";
}

void take(const std::vector<std::string_view>& w, std::size_t i, Scribe& scribe) {
    if (w[1] == "ashift") {
        if (is_vdev_group(w[0]) || w[2] == "0") return;
        const auto shift = to_unsigned(w[2]);
        if (!shift || *shift < 9 || *shift > 16)
            return scribe.unparsed(i, i, "zpool get: the ashift is out of range");
        Volume& v = volume(scribe.facts, w[0]);
        v.kind = scribe.known(VolumeKind::zfs, i);
        v.ashift = scribe.known(*shift, i);
    } else if (w[1] == "recordsize") {
        const auto size = to_size(w[2]);
        if (!size || *size < 512) return scribe.unparsed(i, i, "zfs get: the recordsize is no size");
        Filesystem& f = filesystem(scribe.facts, w[0]);
        f.type = scribe.text("zfs", i);
        f.bsize = scribe.known(*size, i);
    }
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t i = at + 1;
    for (; i < out.lines.size(); ++i) {
        const auto w = words(out.text(i));
        if (w.size() < 3) break;
        take(w, i, scribe);
    }
    return i - at;
}

}  // namespace

extern const CommandParser zfs_get_parser{
    .id = "zfs-get",
    .programs = {"zpool", "zfs"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
