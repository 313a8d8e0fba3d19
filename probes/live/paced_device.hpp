// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "probes/timing/timed_device.hpp"

namespace diskwright {

/// A device that is left alone, after each run of reads and each flush, for as long as that took: half of its
/// time is the others'. Where the system has a class of requests that go last, this process's go there.
class PacedDevice final : public ScratchDevice {
 public:
    /// scratch: null, or the same device or another one; both outlive this.
    PacedDevice(TimedDevice& device, ScratchDevice* scratch);

    std::string name() const override { return device_.name(); }
    std::uint64_t size_bytes() const override { return device_.size_bytes(); }
    std::uint64_t first_byte() const override { return device_.first_byte(); }
    std::uint64_t logical_sector_bytes() const override { return device_.logical_sector_bytes(); }
    std::string cached_because() const override { return device_.cached_because(); }
    DeviceReport reported() const override { return device_.reported(); }
    Clock& clock() override { return device_.clock(); }
    unsigned most_in_flight() const override { return device_.most_in_flight(); }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth) override;
    std::optional<Error> begin_step() override { return scratch_->begin_step(); }
    Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) override;
    Result<RunTiming> run(std::span<const MixedRequest> requests, unsigned depth,
                          std::span<const std::byte> from) override;
    Result<std::chrono::nanoseconds> flush() override;

 private:
    TimedDevice& device_;
    ScratchDevice* scratch_;
};

}  // namespace diskwright
