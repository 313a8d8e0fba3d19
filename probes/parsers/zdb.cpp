// SPDX-License-Identifier: BSD-2-Clause
// zdb, zdb -C pool and zdb -l device (FreeBSD, NetBSD, Linux), whole or through grep:
//   name: 'tank'
//   vdev_tree:
//       type: 'root'
//       children[0]:
//           type: 'raidz'
//           nparity: 1
//           ashift: 12
//           children[0]:
//               type: 'disk'
//               path: '/dev/ada0p3'
// Of several top-level vdevs the smallest ashift counts, since that one decides what is written in too small
// pieces. Of "zdb | grep ashift" only the number is left, for the pool on the command line or an unnamed one.
// Source: openzfs/zfs cmd/zdb/zdb.c (dump_nvlist), include/sys/fs/zfs.h (ZPOOL_CONFIG names).
#include "probes/parsers/command.hpp"
#include "probes/parsers/zfs_names.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Pair {
    std::string_view key, value;
};

std::optional<Pair> pair_of(std::string_view line) {
    line = trim(line);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 ||
        line.substr(0, colon).find(' ') != std::string_view::npos)
        return std::nullopt;
    auto value = trim(line.substr(colon + 1));
    // "children[0]:" and "features_for_read:" have none; prose behind a colon is not quoted and has blanks.
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'')
        value = value.substr(1, value.size() - 2);
    else if (value.find(' ') != std::string_view::npos)
        return std::nullopt;
    return Pair{line.substr(0, colon), value};
}

bool is_filtered(const Output& out, std::size_t at) {
    return out.program() == "zdb" && trim(out.text(at)).starts_with("ashift:");
}

bool starts(const Output& out, std::size_t at) {
    if (is_filtered(out, at)) return true;
    const auto line = trim(out.text(at));
    if (!line.starts_with("name: '") || line.size() < 9 || !line.ends_with('\'')) return false;
    for (std::size_t i = at + 1; i < out.lines.size() && i < at + 16; ++i) {
        const auto pair = pair_of(out.text(i));
        if (!pair) return false;
        if (pair->key == "ashift" || pair->key == "vdev_tree" || pair->key == "pool_guid" ||
            pair->key == "txg")
            return true;
    }
    return false;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Volume set;
    const bool filtered = is_filtered(out, at);
    const auto pool = out.operand(0, "UpeoxtI");
    if (!filtered)
        set.name = std::string(pair_of(out.text(at))->value);
    else
        set.name = pool.empty() || pool.starts_with('/') ? unnamed_pool : pool;
    set.kind = scribe.known(VolumeKind::zfs, at);
    std::size_t line = filtered ? at : at + 1;
    for (; line < out.lines.size(); ++line) {
        const auto pair = pair_of(out.text(line));
        if (!pair || (pair->key == "name" && trim(out.text(line)).ends_with('\''))) break;
        if (pair->key == "ashift") {
            const auto shift = scribe.number(pair->value, line, "zdb: ashift");
            if (shift && *shift > 63)
                scribe.unparsed(line, line, "zdb: ashift is out of range");
            else if (shift && (!set.ashift || *shift < *set.ashift))
                set.ashift = scribe.known(*shift, line);
        }
        if (pair->key == "path" && !pair->value.empty()) component(set, pair->value);
    }
    scribe.facts.volumes.push_back(std::move(set));
    return line - at;
}

}  // namespace

extern const CommandParser zdb_parser{
    .id = "zdb",
    .programs = {"zdb"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"zdb"}, true}, {Os::linux_, {"zdb"}, true}},
};

}  // namespace diskwright
