// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/manifest_devices.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "probes/capture/manifest.hpp"
#include "probes/model/json_object.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;
using Region = DeviceRegions::Region;

}  // namespace

Json device_entry(const DeviceRegions& device, std::string_view file) {
    Json entry{{"device", device.device}};
    if (!device.bytes.empty()) entry["file"] = file;
    entry["size_bytes"] = device.size_bytes;
    entry["sector_bytes"] = device.sector_bytes;
    entry["regions"] = Json::array();
    for (const Region& r : device.regions) {
        Json region{{"offset", r.offset}, {"length", r.length}};
        if (r.zero) region["zero"] = true;
        entry["regions"].push_back(std::move(region));
    }
    return entry;
}

Result<StoredDevice> read_device_entry(const Json& json, std::string_view where) {
    JsonObject entry(json, where);
    StoredDevice out;
    DeviceRegions& device = out.regions;
    device.device = entry.text("device").value_or("");
    out.file = entry.text("file").value_or("");
    device.size_bytes = entry.count("size_bytes").value_or(0);
    device.sector_bytes = entry.count("sector_bytes").value_or(512);
    if (device.device.empty()) entry.fail("device", "missing");
    if (!out.file.empty() && !out.file.ends_with(regions_suffix))
        entry.fail("file", std::string("its name does not end in ") + std::string(regions_suffix));
    const auto regions = entry.list("regions");
    if (regions.size() > RegionSource::most_regions) entry.fail("regions", "more than any collection has");
    for (std::size_t i = 0; i < regions.size() && !entry.error(); ++i) {
        JsonObject region = entry.element("regions", i, *regions[i]);
        const auto offset = region.count("offset"), length = region.count("length");
        if (!offset || !length) region.fail("", "expected offset and length");
        device.regions.push_back(
            {offset.value_or(0), length.value_or(0), region.flag("zero").value_or(false)});
    }
    if (entry.error()) return *entry.error();
    return out;
}

std::string take_bytes(DeviceRegions& device, std::string bytes) {
    std::uint64_t room = bytes.size(), used = 0;
    bool short_file = false;
    std::vector<Region> kept;
    for (Region r : device.regions) {
        if (!r.zero) {
            short_file = short_file || r.length > room;
            r.length = std::min(r.length, room);
            room -= r.length, used += r.length;
        }
        if (r.length > 0) kept.push_back(r);
    }
    bytes.resize(static_cast<std::size_t>(used));
    device.bytes = std::move(bytes);
    if (short_file) {
        device.regions = std::move(kept);
        return "its file ends early; what lies behind is not there";
    }
    return room > 0 ? "its file is longer than its regions; the rest is left out" : "";
}

}  // namespace diskwright
