// SPDX-License-Identifier: BSD-2-Clause
// zpool list [-v] (FreeBSD, NetBSD, Linux):
//   NAME         SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT
//   tank        21.8T  12.1T  9.70T        -         -    12%    55%  1.00x  DEGRADED  -
//     raidz2-0  21.8T  12.1T  9.70T        -         -    12%  55.4%      -  DEGRADED
//       ada0p3  3.64T      -      -        -         -      -      -      -    ONLINE
// The columns differ between releases and are found by the header. Sizes are rounded and left out; the level
// is zpool status's to tell. Source: openzfs/zfs:cmd/zpool/zpool_main.c (print_list_stats).
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/parsers/zfs_names.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Words = std::vector<std::string_view>;

bool is_header(const Words& w) {
    const auto has = [&](std::string_view word) { return std::find(w.begin(), w.end(), word) != w.end(); };
    return w.size() >= 6 && w[0] == "NAME" && has("SIZE") && has("HEALTH") && (has("FREE") || has("AVAIL"));
}

bool starts(const Output& out, std::size_t at) {
    return is_header(words(out.text(at)));
}

std::optional<VolumeState> state_of(std::string_view word) {
    if (word == "ONLINE") return VolumeState::optimal;
    if (word == "DEGRADED") return VolumeState::degraded;
    if (word == "FAULTED" || word == "UNAVAIL" || word == "SUSPENDED" || word == "OFFLINE" ||
        word == "REMOVED")
        return VolumeState::failed;
    return std::nullopt;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const auto header = words(out.text(at));
    const auto column =
        static_cast<std::size_t>(std::find(header.begin(), header.end(), "HEALTH") - header.begin());
    Volume* pool = nullptr;
    std::size_t i = at + 1;
    for (; i < out.lines.size(); ++i) {
        const auto w = words(out.text(i));
        const bool indented = out.text(i).starts_with(' ');
        if (w.size() < 3 || (indented && !pool)) break;
        if (indented) {
            // Without states the class of a disk (log, cache, spare) cannot be told from its row.
            if (!is_vdev_group(w[0]) && w[0].find_first_of("0123456789") != std::string_view::npos)
                component(*pool, w[0]);
            continue;
        }
        // "logs", "cache" and "special" head rows of the pool above, without indentation and health.
        if (pool && (w.size() <= column || w[column] == "-")) break;
        const auto state = column < w.size() ? state_of(w[column]) : std::nullopt;
        if (!state) {
            scribe.unparsed(i, i, "zpool list: the health of a pool is not understood");
            break;
        }
        Volume& v = volume(scribe.facts, w[0]);
        v.kind = scribe.known(VolumeKind::zfs, i);
        v.state = scribe.known(*state, i);
        pool = &v;
    }
    return i - at;
}

}  // namespace

extern const CommandParser zpool_list_parser{
    .id = "zpool-list",
    .programs = {"zpool"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
