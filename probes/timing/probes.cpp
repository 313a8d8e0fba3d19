// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"
#include "probes/timing/grading.hpp"

namespace diskwright {
namespace {

constexpr std::string_view stopped_before = "interrupted before it was measured";
constexpr std::string_view too_slow = "the device answers so slowly that the time was over before";
constexpr int most_times_over = 2;  // of the time given

constexpr std::array track{Quantity{"track_bytes", "bytes"}};
constexpr std::array knee{Quantity{"random_read_knee", ""}};
constexpr std::array effect{Quantity{"write_cache_effect", "ratio"}};
constexpr std::array geometry{Quantity{"data_disks", ""}, Quantity{"redundancy", ""}, Quantity{"layout", ""}};
constexpr std::array offset{Quantity{"physical_offset_bytes", "bytes"}};

/// Shows how far all probes together are.
class Overall final : public ProgressMeter {
 public:
    Overall(ProgressMeter& shown, TimedDevice& device, std::chrono::nanoseconds time)
        : shown_(shown), device_(device), begin_(device.clock().now()), time_(time) {}
    void at(std::string_view step, double, double) override {
        shown_.at(fmt::format("probing ({})", step), seconds(elapsed()), seconds(time_));
    }
    bool cancelled() const override { return shown_.cancelled(); }
    std::chrono::nanoseconds elapsed() const { return device_.clock().now() - begin_; }

 private:
    ProgressMeter& shown_;
    TimedDevice& device_;
    std::chrono::nanoseconds begin_, time_;
};

bool runs(const Probe& probe, bool with_scratch, std::chrono::nanoseconds time) {
    return (with_scratch || !probe.writes) && time >= probe.least;
}

unsigned shares_from(std::size_t first, bool with_scratch, std::chrono::nanoseconds time) {
    unsigned sum = 0;
    for (const Probe& probe : probes().subspan(first))
        if (runs(probe, with_scratch, time)) sum += probe.share;
    return std::max(sum, 1U);
}

void leave_out(const Probe& probe, std::string_view why, DeviceProfile& profile) {
    profile[std::string(probe.quantity)] = Measurement::inconclusive(probe.unit, why);
    for (const Quantity& other : probe.also)
        profile[std::string(other.name)] = Measurement::inconclusive(other.unit, why);
}

// Why a probe is not even begun; empty: it is.
std::string hindrance(const Probe& probe, const ScratchDevice* scratch, const ProbeResults& results,
                      bool refused, const Overall& progress, std::chrono::nanoseconds time) {
    if (probe.writes && !scratch) return "needs a scratch area";
    if (time < probe.least) return fmt::format("takes longer: {} s are needed for all probes", probe.least.count());
    if (refused) return results.failure->message;
    if (probe.share == 0) return {};
    if (progress.cancelled()) return std::string(stopped_before);
    if (progress.elapsed() > most_times_over * time) return std::string(too_slow);
    return {};
}

void keep(const Probe& probe, ProbeOutcome& outcome, const TimedDevice& device, DeviceProfile& profile) {
    outcome.also[std::string(probe.quantity)] = std::move(outcome.measured);
    const std::string cache = device.cached_because();
    for (auto& [quantity, measured] : outcome.also) {
        if (!cache.empty() && measured.confidence == Confidence::inconclusive &&
            !contains(measured.reason, cache))
            measured.reason = "may be the time of a cache: " + cache;
        profile[quantity] = std::move(measured);
    }
}

}  // namespace

std::optional<double> ProbeContext::known(std::string_view quantity) const {
    if (!before) return std::nullopt;
    const auto at = before->find(std::string(quantity));
    if (at == before->end() || at->second.confidence == Confidence::inconclusive) return std::nullopt;
    const auto* number = std::get_if<double>(&at->second.value);
    return number ? std::optional(*number) : std::nullopt;
}

std::span<const Probe> probes() {
    static constexpr std::array list{
        Probe{"logical_sector_bytes", "bytes", false, 0, measure_logical_sector},
        Probe{"reported_physical_sector_bytes", "bytes", false, 0, measure_reported_sector},
        Probe{"sequential_read_bytes_per_s", "bytes/s", false, 4, measure_sequential_rate, 62},
        Probe{"rotation_s", "s", false, 2, measure_rotation, 2, track},
        Probe{"seek_s", "s", false, 6, measure_seek_curve, 3},
        Probe{"random_read_iops", "1/s", false, 4, measure_random_read, 25, knee},
        Probe{"erase_block_bytes", "bytes", false, 2, measure_alignment_step, 4},
        Probe{"stripe_unit_bytes", "bytes", false, 8, measure_stripe_unit, 4, geometry,
              std::chrono::seconds(60)},
        Probe{"write_cache", "", true, 2, measure_write_cache, 0, effect},
        Probe{"flush_latency_s", "s", true, 3, measure_flush_latency},
        Probe{"physical_sector_bytes", "bytes", false, 3, measure_physical_sector, 0, offset},
        Probe{"sequential_write_bytes_per_s", "bytes/s", true, 2, measure_sequential_write},
        Probe{"write_tail_s", "s", true, 3, measure_write_tail},
    };
    return list;
}

ProbeResults run_probes(TimedDevice& device, ScratchDevice* scratch, const ProbeBudget& budget,
                        ProgressMeter& shown) {
    ProbeResults results;
    Overall progress(shown, device, budget.time);
    const unsigned all_shares = shares_from(0, scratch != nullptr, budget.time);
    bool refused = false;
    for (std::size_t i = 0; i < probes().size(); ++i) {
        const Probe& probe = probes()[i];
        const std::string why = hindrance(probe, scratch, results, refused, progress, budget.time);
        if (!why.empty()) {
            leave_out(probe, why, results.profile);
            continue;
        }
        // What earlier ones did not need is for the later ones.
        const auto left = std::max(budget.time - progress.elapsed(), budget.time / (2 * all_shares));
        const auto time = left / shares_from(i, scratch != nullptr, budget.time) * probe.share;
        auto outcome = probe.measure({device, scratch, time, budget.seed, progress,
                                      budget.bytes / 100 * probe.percent, &results.profile});
        keep(probe, outcome, device, results.profile);
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
