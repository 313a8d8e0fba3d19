// SPDX-License-Identifier: BSD-2-Clause
// diskwright probe --format json: an object keyed by quantity, "device" first.
//   {
//     "device": {
//       "value": "/dev/rwd0d",
//       "samples": 0,
//       "confidence": "high"
//     },
// Of a partition, the place of its sectors is left out: it is another one than the disk's.
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

// The disk that the device is or is a part of; empty for a volume or a file.
std::string disk_of(const std::string& device) {
    const std::string disk = disk_name(device);
    constexpr std::string_view families[] = {"sd",   "wd",   "ada", "da",  "nda",    "nvd",   "ld", "nvme", "hd",
                                             "vd",   "vtbd", "xbd", "xvd", "mmcblk", "mmcsd", "ad", "aacd"};
    for (const auto family : families)
        if (disk.starts_with(family) && disk.size() > family.size() && !contains(disk, "/")) return disk;
    return "";
}

// The raw partition is the disk under another name: d of NetBSD on a PC, c elsewhere and of OpenBSD.
bool is_raw_partition(std::string_view device, std::string_view disk) {
    const bool of_bsd = disk.starts_with("wd") || disk.starts_with("sd") || disk.starts_with("ld");
    return of_bsd && disk.back() >= '0' && disk.back() <= '9' && device.size() == disk.size() + 1 &&
           (device.back() == 'd' || device.back() == 'c');
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
    std::string device = device_name(*path);
    const std::string disk = disk_of(device);
    if (!disk.empty() && is_raw_partition(device, disk)) device = disk;
    note_profile(scribe.facts, device, *profile,
                 fmt::format("{}:{}", scribe.output().source, out.lines[at].number), disk);
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
