// SPDX-License-Identifier: BSD-2-Clause
// Parts of a device, kept without the rest: what a capture has of a host's disks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

struct DeviceRegions {
    /// Of what was read, kept as pages: a page of zeros is known to be one, and takes no bytes.
    static constexpr std::uint64_t page_bytes = 4096;

    struct Region {
        std::uint64_t offset = 0, length = 0;
        bool zero = false;
        bool operator==(const Region&) const = default;
    };

    std::string device;
    std::uint64_t size_bytes = 0;
    std::uint64_t sector_bytes = 512;
    std::vector<Region> regions;  // in any order, none over another
    std::string bytes;            // of those that are not zero, one after the other as they are listed

    /// Adds what was read there, page by page from `offset`; neighbours of a kind become one region.
    void add(std::uint64_t offset, std::span<const std::byte> read);

    bool operator==(const DeviceRegions&) const = default;
};

class RegionSource final : public ByteSource {
 public:
    /// Far more than one discovery reads.
    static constexpr std::uint64_t most_bytes = 16 << 20;
    static constexpr std::size_t most_regions = 8192;

    /// bad_data for what no collection makes: a region outside the device or over another, more than the
    /// bounds above, other bytes than the regions have.
    static Result<std::shared_ptr<RegionSource>> make(DeviceRegions regions);

    const std::string& name() const override { return regions_.device; }
    std::optional<std::uint64_t> size_bytes() const override { return regions_.size_bytes; }
    std::uint64_t readable_bytes() const override { return regions_.size_bytes; }
    std::uint64_t sector_bytes() const override { return regions_.sector_bytes; }
    /// no_input for what was not collected.
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override;

    const DeviceRegions& regions() const { return regions_; }

 private:
    struct Place {
        DeviceRegions::Region region;
        std::size_t at = 0;  // in the bytes
    };

    explicit RegionSource(DeviceRegions regions) : regions_(std::move(regions)) {}

    DeviceRegions regions_;
    std::vector<Place> places_;  // by offset
    std::map<std::pair<std::uint64_t, std::size_t>, std::vector<std::byte>> joined_;
    std::uint64_t joined_bytes_ = 0;
};

}  // namespace diskwright
