// SPDX-License-Identifier: BSD-2-Clause
// A simulated drive behind the probes' interfaces: what they measure on it is known beforehand.
#pragma once

#include <memory>
#include <string>

#include "probes/support/random.hpp"
#include "probes/timing/timed_device.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

class SimulatedDevice final : public ScratchDevice {
 public:
    /// noise: relative spread of the log-normal factor on each measured time; 0 for none.
    SimulatedDevice(std::string name, std::unique_ptr<SimulatedDrive> drive, double noise = 0,
                    std::uint64_t seed = 1);

    std::string name() const override { return name_; }
    std::uint64_t size_bytes() const override;
    std::uint64_t logical_sector_bytes() const override;
    std::string cached_because() const override { return ""; }
    DeviceReport reported() const override { return report_; }
    void report(const DeviceReport& report) { report_ = report; }
    /// From now on flushes are unavailable, for that reason.
    void forbid_flush(std::string why) { no_flush_ = std::move(why); }
    Clock& clock() override { return clock_; }
    unsigned most_in_flight() const override { return 256; }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth) override;
    Result<RunTiming> run(std::span<const MixedRequest> requests, unsigned depth,
                          std::span<const std::byte> from) override;
    /// Nothing real is written to.
    std::optional<Error> begin_step() override { return std::nullopt; }
    Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) override;
    Result<std::chrono::nanoseconds> flush() override;

    const SimulatedDrive& drive() const { return *drive_; }

 private:
    class VirtualClock final : public Clock {
     public:
        std::chrono::nanoseconds now() override;
        double seconds = 0;
    };
    std::optional<Error> misplaced(std::uint64_t offset, std::uint64_t length) const;
    Result<RunTiming> in_flight(std::span<const MixedRequest> requests, unsigned depth);
    DriveRequest request(DriveOperation operation, std::uint64_t offset, std::uint64_t length);
    Result<double> alone(const DriveRequest& request);
    double noisy(double seconds);

    std::string name_;
    std::unique_ptr<SimulatedDrive> drive_;
    DeviceReport report_;
    std::string no_flush_;
    double noise_;
    Random random_;
    VirtualClock clock_;
    std::uint64_t next_id_ = 0;
};

}  // namespace diskwright
