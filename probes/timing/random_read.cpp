// SPDX-License-Identifier: BSD-2-Clause
// Question: how many small reads a second the device answers from random places with 1 to 32 of them in
// flight, and from which number on more of them gain nothing (the knee).
// Method: aligned reads of 4 KiB (one sector where that is larger) at places in a random order over the
// whole device, in a few runs for each depth. Depth as in Worthington et al. (see
// sequential_rate.cpp) and as iodepth of fio(1).
// Cost: the time and the bytes given at most; no place is read twice, so that no cache
// of the first read answers the second.
// Cannot tell: a small device whose cache has read it already, or a host below a virtual disk that answers
// from its memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"

namespace diskwright {
namespace {

constexpr std::array<unsigned, 6> depths{1, 2, 4, 8, 16, 32};
// Of the time: the more are in flight, the more of a run is its begin and end.
constexpr std::array<int, 6> weights{2, 1, 1, 1, 2, 3};
constexpr int all_weights = 10;
constexpr std::uint64_t least_places = 1024;
constexpr std::uint64_t first_batch = 16;
constexpr std::uint64_t most_in_run = 65536;
constexpr double least_runs = 2, longest_run_s = 3;
constexpr std::size_t parts_of_run = 8;
constexpr unsigned least_depths = 8;  // a run is so many times its depth at least
constexpr double knee_share = 0.9;

struct DepthRate {
    std::uint64_t reads = 0;
    std::vector<double> rates;       // of parts of the runs
    std::optional<Error> failure;    // that ended it
};

/// Hands out places, each once.
class Places {
 public:
    Places(const TimedDevice& device, std::uint64_t seed)
        : length_(std::max<std::uint64_t>(4 * KiB, device.logical_sector_bytes())),
          order_(device.size_bytes() / length_, seed) {}
    std::uint64_t count() const { return order_.size(); }
    std::uint64_t length() const { return length_; }
    std::vector<ReadRequest> take(std::uint64_t count, std::uint64_t limit) {
        std::vector<ReadRequest> out;
        for (; out.size() < count && next_ < limit; ++next_)
            out.push_back({order_[next_] * length_, length_});
        return out;
    }

 private:
    std::uint64_t length_;
    Permutation order_;
    std::uint64_t next_ = 0;
};

// By the law of Little (Operations Research 9, 1961): so many in flight, over the time each takes. What was
// issued while the queue filled or ran dry is left out.
void add_rates(const RunTiming& run, unsigned depth, std::vector<double>& rates) {
    const std::size_t count = run.service.size(), edge = depth > 1 ? depth : 0;
    const std::size_t used = count - std::min(count, 2 * edge), part = used / parts_of_run;
    for (std::size_t i = 0; i < parts_of_run && part > 0; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < part; ++k) sum += seconds(run.service[edge + i * part + k]);
        rates.push_back(depth * static_cast<double>(part) / std::max(sum, 1e-9));
    }
}

DepthRate measure_depth(const ProbeContext& context, unsigned depth, Places& places, std::uint64_t limit,
                        std::chrono::nanoseconds time, std::uint64_t most_reads) {
    const std::string step = fmt::format("random read, depth {}", depth);
    DepthRate out;
    const auto warm = context.device.read(places.take(std::max<std::uint64_t>(first_batch, depth), limit), depth);
    if (!warm) {
        out.failure = warm.error();
        return out;
    }
    double rate = static_cast<double>(warm->service.size()) / std::max(seconds(warm->elapsed), 1e-9);
    const double fits = static_cast<double>(std::min(places.count() / (2 * depths.size()), most_reads));
    const double runs = std::max(least_runs, seconds(time) / longest_run_s);
    const TimeLeft left(context, time);
    for (bool some = true; some && left.any(step) && out.reads < most_reads;) {
        const double wanted = std::min(rate * seconds(time), fits) / runs;
        const auto batch = static_cast<std::uint64_t>(std::max(wanted, double(least_depths) * depth));
        const auto requests = places.take(std::min(batch, most_in_run), limit);
        some = requests.size() > 2 * depth;
        if (!some) break;
        const auto run = context.device.read(requests, depth);
        if (!run) {
            out.failure = run.error();
            break;
        }
        rate = static_cast<double>(requests.size()) / std::max(seconds(run->elapsed), 1e-9);
        add_rates(*run, depth, out.rates);
        out.reads += requests.size();
    }
    context.progress.at(step, 1, 1);
    return out;
}

ProbeOutcome too_small(const ProbeContext& context) {
    const std::string why = "too small: " + human_size(context.device.size_bytes());
    ProbeOutcome out{Measurement::inconclusive("1/s", why)};
    out.also["random_read_knee"] = Measurement::inconclusive("", why);
    return out;
}

// The first depth that reaches what later ones do not exceed by more than a tenth.
Measurement knee_of(std::span<const Measurement::Point> curve, const Measurement& rates) {
    Measurement out = Measurement::inconclusive("", rates.reason);
    out.samples = rates.samples;
    if (rates.confidence == Confidence::inconclusive) return out;
    if (curve.size() < depths.size()) {
        out.reason = "not all depths were measured";
        return out;
    }
    double most = 0;
    for (const auto& point : curve) most = std::max(most, point.value);
    const auto at = std::find_if(curve.begin(), curve.end(),
                                 [&](const auto& point) { return point.value >= knee_share * most; });
    if (at + 1 == curve.end()) {
        out.reason = fmt::format("the rate still rises at {:g} in flight", at->at);
        return out;
    }
    out.value = at->at;
    out.confidence = rates.confidence;
    return out;
}

}  // namespace

ProbeOutcome measure_random_read(const ProbeContext& context) {
    constexpr std::string_view unit = "1/s";
    Places places(context.device, context.seed);
    if (places.count() < least_places)
        return too_small(context);
    Measurement out;
    out.unit = unit;
    std::vector<Measurement::Point> curve;
    Grade sure;
    std::optional<Error> failure;
    for (std::size_t i = 0; i < depths.size() && !failure && !context.progress.cancelled(); ++i) {
        const std::uint64_t limit = places.count() * (i + 1) / depths.size();
        std::vector<Measurement::Point> points;
        auto rate =
            measure_depth(context, depths[i], places, limit, context.time / all_weights * weights[i],
                          context.bytes / places.length() / depths.size());
        failure = rate.failure;
        out.samples += rate.reads;
        const Grade of_depth = grade(rate.rates);
        if (const double of_all = steady_mean(rate.rates); !rate.rates.empty())
            points.push_back({static_cast<double>(depths[i]), of_all, median_absolute_deviation(rate.rates)});
        out.series.push_back({fmt::format("depth {}", depths[i]), std::move(rate.rates)});
        // What an error cut short takes nothing from what was measured before.
        if (failure && of_depth.confidence == Confidence::inconclusive) break;
        sure = worse(sure, of_depth);
        curve.insert(curve.end(), points.begin(), points.end());
    }
    if (curve.empty()) sure = {Confidence::inconclusive, fmt::format("too few samples: {}", out.samples)};
    out.value = curve;
    conclude(out, sure, context.device, {context.progress.cancelled(), failure});
    ProbeOutcome outcome{std::move(out), std::move(failure)};
    outcome.also["random_read_knee"] = knee_of(curve, outcome.measured);
    return outcome;
}

}  // namespace diskwright
