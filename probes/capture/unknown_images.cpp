// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/unknown_images.hpp"

#include <algorithm>

#include "probes/capture/file_source.hpp"
#include "probes/capture/region_source.hpp"

namespace diskwright {
namespace {

constexpr std::string_view unknown =
    "binary data in which no partition table, no set's metadata and no file system is recognised";
constexpr std::string_view blank = "blank: only zeros where tables, metadata and superblocks lie";

bool all_zero(const DeviceRegions& read) {
    return !read.regions.empty() && std::all_of(read.regions.begin(), read.regions.end(),
                                                [](const DeviceRegions::Region& r) { return r.zero; });
}

bool is_blank(ByteSource& source) {
    if (const auto* file = dynamic_cast<const FileSource*>(&source))
        return file->failures().empty() && all_zero(file->regions());
    if (const auto* collected = dynamic_cast<const RegionSource*>(&source))
        return all_zero(collected->regions());
    const auto bytes = source.read(0, static_cast<std::size_t>(source.readable_bytes()));
    return bytes && !bytes->empty() &&
           std::all_of(bytes->begin(), bytes->end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

std::string_view what_is_unknown(ByteSource& source) {
    return is_blank(source) ? blank : unknown;
}

std::string_view what_is_unknown(const Capture& capture) {
    const bool all = std::all_of(capture.images.begin(), capture.images.end(),
                                 [](const auto& image) { return is_blank(*image); });
    return all && !capture.images.empty() ? blank : unknown;
}

}  // namespace diskwright
