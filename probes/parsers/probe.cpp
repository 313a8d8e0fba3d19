// SPDX-License-Identifier: BSD-2-Clause
// diskwright probe --format json: an object keyed by quantity, "device" first.
//   {
//     "device": {
//       "value": "/dev/rwd0d",
//       "samples": 0,
//       "confidence": "high"
//     },
// Of a partition only rates and times are taken: its sectors are the disk's, at another offset.
#include <fmt/format.h>

#include "probes/model/device_names.hpp"
#include "probes/model/profile_facts.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/parsers/json_text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool starts(const Output& out, std::size_t at) {
    return trim(out.text(at)) == "{" && trim(out.text(at + 1)).starts_with("\"device\": {") &&
           trim(out.text(at + 2)).starts_with("\"value\":");
}

// A volume has its parts of names too (raid0, gm0), and its rates are no disk's.
bool is_disk(const std::string& name) {
    if (disk_name(name) != name) return false;
    constexpr std::string_view families[] = {"sd", "wd", "ada", "da", "nda", "nvd", "ld", "nvme", "hd",
                                             "vd", "vtbd", "xbd", "xvd", "mmcblk", "mmcsd", "ad", "aacd"};
    for (const auto family : families)
        if (name.starts_with(family) && name.size() > family.size()) return true;
    return false;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const JsonText extent = json_text_at(out, at);
    if (extent.lines == 0) return 0;
    const auto damaged = [&](const std::string& what) {
        scribe.damage(at, "probe: " + what);
        return extent.lines;
    };
    const auto json = json_value(extent);
    if (!json) return damaged("cut or damaged JSON");
    const auto profile = profile_from_json(*json, scribe.output().source);
    if (!profile) return damaged(profile.error().message);
    const auto named = profile->find("device");
    const auto* path =
        named == profile->end() ? nullptr : std::get_if<std::string>(&named->second.value);
    if (!path || path->empty()) return damaged("no device");
    const std::string device = device_name(*path);
    note_profile(scribe.facts, device, *profile, fmt::format("{}:{}", scribe.output().source, out.lines[at].number),
                 is_disk(device));
    return extent.lines;
}

}  // namespace

extern const CommandParser probe_parser{
    .id = "probe",
    .programs = {"diskwright"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
