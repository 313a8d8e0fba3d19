// SPDX-License-Identifier: BSD-2-Clause
// Disks of known behaviour on a virtual clock, for the timing probes.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "probes/support/progress.hpp"
#include "probes/timing/timed_device.hpp"

namespace diskwright::test {

class VirtualClock final : public Clock {
 public:
    std::chrono::nanoseconds now() override { return now_; }
    void advance(double seconds) {
        now_ += std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    }

 private:
    std::chrono::nanoseconds now_{};
};

/// A request takes command_s, plus its bytes at the rate of its place; requests that do not follow the one
/// before pay seek_s too. Up to `parallel` requests overlap their command and seek times.
class SimulatedDisk final : public ScratchDevice {
 public:
    std::uint64_t size = std::uint64_t{1} << 40, sector = 512, first = 0;
    double command_s = 0, seek_s = 0;
    unsigned parallel = 1;
    std::function<double(std::uint64_t)> rate = [](std::uint64_t) { return 200e6; };
    std::function<double(std::uint64_t)> flush_s = [](std::uint64_t) { return 0.008; };  // of the n-th flush
    double write_s = 0.0001;
    std::string cache;
    std::optional<Error> read_error, write_error, flush_error, step_error;
    std::uint64_t good_reads = 0, good_writes = 0;  // before read_error and write_error
    std::uint64_t check_every = 0;                  // writes, within a step; 0: never

    // What was asked for.
    std::set<std::uint64_t> read_at, written_at;
    std::uint64_t reads = 0, writes = 0, flushes = 0, steps = 0, bytes_read = 0;
    std::set<std::vector<std::byte>> contents;  // of the writes
    bool well_formed = true;                    // every request within the device and on sectors

    std::string name() const override { return "simulated"; }
    std::uint64_t size_bytes() const override { return size; }
    std::uint64_t logical_sector_bytes() const override { return sector; }
    std::string cached_because() const override { return cache; }
    Clock& clock() override { return clock_; }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth) override;
    std::uint64_t first_byte() const override { return first; }
    std::optional<Error> begin_step() override;
    Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) override;
    Result<std::chrono::nanoseconds> flush() override;

 private:
    std::chrono::nanoseconds take(double seconds);
    void check(std::uint64_t offset, std::uint64_t length);
    VirtualClock clock_;
    std::uint64_t head_ = 0;
    bool after_check_ = false;
};

/// Asks to stop after so many reports.
class StopAfter final : public ProgressMeter {
 public:
    explicit StopAfter(std::uint64_t reports = UINT64_MAX) : left_(reports) {}
    void at(std::string_view, double, double) override {
        if (left_ > 0) --left_;
    }
    bool cancelled() const override { return left_ == 0; }

 private:
    std::uint64_t left_;
};

}  // namespace diskwright::test
