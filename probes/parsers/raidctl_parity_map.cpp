// SPDX-License-Identifier: BSD-2-Clause
// raidctl -m raid0 and -M yes|no raid0 (NetBSD 6.0 and later):
//   raid0: parity map enabled with 4096 regions of 466MB
//   raid0: regions marked clean after 8 intervals of 40.000s
//   raid0: write/sync/clean counters 0/4/3
//   raid0: 0 dirty regions
//   raid0: parity map will remain enabled on next configure
// Also "parity map disabled" and, for RAID 0, "has no parity; parity map disabled", which is no setting of
// the set. Source: NetBSD/src sbin/raidctl/raidctl.c (rf_output_pmstat, rf_pm_configure).
#include "probes/parsers/raidframe_text.hpp"

namespace diskwright {
namespace {

std::string_view body_of(std::string_view line, std::string& unit) {
    line = trim(line);
    unit.clear();
    const auto end = line.find(": ");
    if (!line.starts_with("raid") || end == std::string_view::npos) return {};
    unit = raidframe::unit_name(line.substr(0, end));
    return unit.empty() ? std::string_view{} : trim(line.substr(end + 1));
}

bool is_map_line(std::string_view body) {
    return body.starts_with("parity map ") || body.starts_with("has no parity; parity map") ||
           body.starts_with("regions marked clean after ") ||
           body.starts_with("write/sync/clean counters ") || body.starts_with("parity cleaned after ") ||
           (body.starts_with("will use ") && contains(body, "regions")) || body.ends_with(" dirty regions") ||
           body.ends_with(" dirty region");
}

bool starts(const Output& out, std::size_t at) {
    std::string unit;
    return is_map_line(body_of(out.text(at), unit));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    Volume set;
    body_of(out.text(at), set.name);
    set.kind = scribe.known(VolumeKind::raidframe, at);
    std::size_t line = at;
    for (; line < out.lines.size(); ++line) {
        std::string unit;
        const auto body = body_of(out.text(line), unit);
        if (unit != set.name || !is_map_line(body)) break;
        if (body.starts_with("parity map enabled"))
            set.parity_map = scribe.known(true, line);
        else if (body == "parity map disabled")
            set.parity_map = scribe.known(false, line);
        else if (body.starts_with("parity map") && !contains(body, " on next configur"))
            scribe.unparsed(line, line, "raidctl: state of the parity map not understood");
    }
    scribe.suggest_os(Os::netbsd, at);
    scribe.facts.volumes.push_back(std::move(set));
    return line - at;
}

}  // namespace

extern const CommandParser raidctl_parity_map_parser{
    .id = "raidctl-parity-map",
    .programs = {"raidctl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"raidctl", "-m", "{volume:raidframe}"}, true}},
};

}  // namespace diskwright
