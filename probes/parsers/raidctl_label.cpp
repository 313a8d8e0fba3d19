// SPDX-License-Identifier: BSD-2-Clause
// raidctl -g /dev/sd0e raid0 (NetBSD, OpenBSD up to 5.1): the label of one component, and labels in a listing
// of raidctl -s whose head was cut off.
//   Component label for /dev/sd0e:
//      Row: 0, Column: 0, Num Rows: 1, Num Columns: 3
//      Version: 2, Serial Number: 20261130, Mod Counter: 5
//      Clean: No, Status: 0
//      sectPerSU: 32, SUsPerPU: 1, SUsPerRU: 1
//      Queue size: 100, blocksize: 512, numBlocks: 131008
//      RAID Level: 5
//      Autoconfig: No
//      Root partition: No
//      Last configured as: raid0
// "Clean" and "Status" are those of the last time the label was written: a failed component keeps its old
// ones. Source: NetBSD/src sbin/raidctl/raidctl.c (print_component_label).
#include "probes/parsers/raidframe_text.hpp"

namespace diskwright {
namespace {

bool starts(const Output& out, std::size_t at) {
    if (!contains(out.text(at), "Component label for")) return false;
    WordReader in(out, at);
    return raidframe::at_label(in);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    WordReader in(out, at);
    Volume set;
    std::string last;
    while (raidframe::at_label(in)) {
        const auto name = raidframe::read_label(in, scribe, set);
        if (last.empty()) last = name;
    }
    // Each call rewrites the labels and counts them up by two, so what one -s shows of all components at one
    // moment must stand against counters that were read one after the other.
    for (Component& c : set.components)
        if (c.events) {
            const Provenance& from = c.events.from();
            c.events = Number(
                *c.events, Provenance(from.source(), from.line(), from.text(), Provenance::Kind::inferred));
        }
    set.name = raidframe::unit_at_prompt(out);
    if (set.name.empty()) set.name = last;
    if (set.name.empty()) set.name = raidframe::unnamed;
    set.kind = scribe.known(VolumeKind::raidframe, at);
    scribe.suggest_os(Os::netbsd, at);
    scribe.facts.volumes.push_back(std::move(set));
    return in.end_line() - at;
}

}  // namespace

extern const CommandParser raidctl_label_parser{
    .id = "raidctl-label",
    .programs = {"raidctl"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
