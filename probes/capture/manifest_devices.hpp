// SPDX-License-Identifier: BSD-2-Clause
// The entries of devices in the manifest of a capture, diskwright-capture(5).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "probes/capture/region_source.hpp"

namespace diskwright {

/// file: under which the bytes are stored.
nlohmann::ordered_json device_entry(const DeviceRegions& device, std::string_view file);

struct StoredDevice {
    DeviceRegions regions;  // without their bytes
    std::string file;       // empty: there are none
};

/// bad_data, with `where` and the key, for what is no such entry. Whether the regions can be those of a
/// device is RegionSource::make()'s to say.
Result<StoredDevice> read_device_entry(const nlohmann::ordered_json& entry, std::string_view where);

/// Gives the regions their bytes. Of a file that ends early the regions behind its end go; of one that is
/// longer, the rest. Returns what was wrong with it, or nothing.
std::string take_bytes(DeviceRegions& device, std::string bytes);

}  // namespace diskwright
