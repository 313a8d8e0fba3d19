// SPDX-License-Identifier: BSD-2-Clause
// The list of timing probes: a probe is one file, one row in probes.cpp, one test.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "probes/model/device_profile.hpp"
#include "probes/support/progress.hpp"
#include "probes/timing/timed_device.hpp"

namespace diskwright {

struct ProbeBudget {
    std::chrono::nanoseconds time = std::chrono::seconds(12);  // all probes together
    std::uint64_t seed = 1;                                    // of the places read and written
    std::uint64_t bytes = std::uint64_t{1} << 30;              // read, all probes together
};
/// One disk, read only, in less than two minutes and with a gibibyte read; in a hurry; and at leisure.
inline constexpr std::chrono::seconds usual_time{90}, quick_time{13}, thorough_time{600};
inline constexpr std::uint64_t thorough_bytes = std::uint64_t{16} << 30;

/// What one probe works with. scratch is there for every probe whose row says that it writes.
struct ProbeContext {
    TimedDevice& device;
    ScratchDevice* scratch;
    std::chrono::nanoseconds time;
    std::uint64_t seed;
    ProgressMeter& progress;
    std::uint64_t bytes = std::uint64_t{1} << 30;  // at most to be read
    const DeviceProfile* before = nullptr;         // of the probes that ran earlier

    /// The value of a quantity measured before, if it is a number and conclusive.
    std::optional<double> known(std::string_view quantity) const;
};

/// What was measured until the failure, if there was one: an error of the device, or a write that was
/// refused.
struct ProbeOutcome {
    Measurement measured;
    std::optional<Error> failure = {};
    DeviceProfile also = {};  // what the same samples tell besides
};

struct Quantity {
    std::string_view name, unit;
};

struct Probe {
    std::string_view quantity, unit;
    bool writes = false;
    unsigned share = 0;  // of the time, against the other probes; 0: takes none
    ProbeOutcome (*measure)(const ProbeContext&);
    unsigned percent = 0;  // of the bytes that may be read
    std::span<const Quantity> also = {};
    std::chrono::seconds least{0};  // of all time given, below which it is left out
};
/// In the order in which they run: some use what an earlier one found.
std::span<const Probe> probes();

ProbeOutcome measure_logical_sector(const ProbeContext& context);
ProbeOutcome measure_reported_sector(const ProbeContext& context);
ProbeOutcome measure_rotation(const ProbeContext& context);
ProbeOutcome measure_seek_curve(const ProbeContext& context);
ProbeOutcome measure_alignment_step(const ProbeContext& context);
ProbeOutcome measure_stripe_unit(const ProbeContext& context);
ProbeOutcome measure_physical_sector(const ProbeContext& context);
ProbeOutcome measure_write_cache(const ProbeContext& context);
ProbeOutcome measure_sequential_write(const ProbeContext& context);
ProbeOutcome measure_write_tail(const ProbeContext& context);
ProbeOutcome measure_sequential_rate(const ProbeContext& context);
ProbeOutcome measure_random_read(const ProbeContext& context);
ProbeOutcome measure_flush_latency(const ProbeContext& context);

struct ProbeResults {
    DeviceProfile profile;         // every quantity of the list, with a value or the reason why not
    std::optional<Error> failure;  // the first one; a refusal ends the run, a device error only its probe
    bool interrupted = false;
};

/// Runs them one after the other. Without scratch the quantities that need it are inconclusive.
ProbeResults run_probes(TimedDevice& device, ScratchDevice* scratch, const ProbeBudget& budget,
                        ProgressMeter& progress);

/// Lowers what is surer than `most` to it, with the reason. Quantities that took no samples stay.
void limit_confidence(DeviceProfile& profile, Confidence most, std::string_view reason);

}  // namespace diskwright
