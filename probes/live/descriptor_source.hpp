// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <vector>

#include "probes/live/device_system.hpp"
#include "probes/ondisk/byte_source.hpp"

namespace diskwright {

/// The bytes of an opened device for the readers of on-disk structures, read in whole sectors as direct I/O
/// wants it. Both arguments outlive it.
class DescriptorSource final : public ByteSource {
 public:
    DescriptorSource(const OpenedDevice& device, const DeviceGeometry& geometry)
        : device_(device), geometry_(geometry) {}

    const std::string& name() const override { return device_.path; }
    std::optional<std::uint64_t> size_bytes() const override { return geometry_.size_bytes; }
    std::uint64_t readable_bytes() const override { return geometry_.size_bytes; }
    std::uint64_t sector_bytes() const override { return geometry_.sector_bytes; }
    /// no_input after 16 MiB, more than any table takes.
    Result<std::span<const std::byte>> read(std::uint64_t offset, std::size_t length) override;

 private:
    const OpenedDevice& device_;
    const DeviceGeometry& geometry_;
    std::vector<AlignedBuffer> read_;
    std::uint64_t bytes_read_ = 0;
};

}  // namespace diskwright
