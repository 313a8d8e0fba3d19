// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/probes.hpp"

#include <algorithm>
#include <array>

namespace diskwright {
namespace {

constexpr std::string_view stopped_before = "interrupted before it was measured";
constexpr std::string_view too_slow = "the device answers so slowly that the time was over before";
constexpr int most_times_over = 2;  // of the time given

unsigned shares(bool with_scratch) {
    unsigned sum = 0;
    for (const Probe& probe : probes())
        if (with_scratch || !probe.writes) sum += probe.share;
    return std::max(sum, 1U);
}

}  // namespace

std::span<const Probe> probes() {
    static constexpr std::array list{
        Probe{"logical_sector_bytes", "bytes", false, 0, measure_logical_sector},
        Probe{"sequential_read_bytes_per_s", "bytes/s", false, 1, measure_sequential_rate},
        Probe{"random_read_iops", "1/s", false, 1, measure_random_read},
        Probe{"flush_latency_s", "s", true, 1, measure_flush_latency},
    };
    return list;
}

ProbeResults run_probes(TimedDevice& device, ScratchDevice* scratch, const ProbeBudget& budget,
                        ProgressMeter& progress) {
    ProbeResults results;
    const auto unit_of_time = budget.time / shares(scratch != nullptr);
    const auto begin = device.clock().now();
    bool refused = false;
    for (const Probe& probe : probes()) {
        auto& result = results.profile[std::string(probe.quantity)];
        if (probe.writes && !scratch) {
            result = Measurement::inconclusive(probe.unit, "needs a scratch area");
            continue;
        }
        if (refused || (probe.share > 0 && progress.cancelled())) {
            result = Measurement::inconclusive(
                probe.unit, refused ? results.failure->message : std::string(stopped_before));
            continue;
        }
        if (probe.share > 0 && device.clock().now() - begin > most_times_over * budget.time) {
            result = Measurement::inconclusive(probe.unit, std::string(too_slow));
            continue;
        }
        auto outcome = probe.measure({device, scratch, unit_of_time * probe.share, budget.seed, progress});
        result = std::move(outcome.measured);
        if (!outcome.failure) continue;
        refused = outcome.failure->kind != ErrorKind::io_error;
        if (!results.failure || refused) results.failure = std::move(outcome.failure);
    }
    results.interrupted = progress.cancelled();
    return results;
}

void limit_confidence(DeviceProfile& profile, Confidence most, std::string_view reason) {
    for (auto& [quantity, measured] : profile) {
        if (measured.samples == 0 || measured.confidence >= most) continue;
        measured.confidence = most;
        if (!measured.reason.empty()) measured.reason += "; ";
        measured.reason += reason;
    }
}

}  // namespace diskwright
