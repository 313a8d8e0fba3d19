// SPDX-License-Identifier: BSD-2-Clause
// Question: how many small reads a second the device answers from random places, one at a time and with
// eight in flight.
// Method: aligned reads of 4 KiB (one sector where that is larger) at places in a random order over the
// whole device, in batches; the rate is that of all batches together. Depth as in Worthington et al. (see
// sequential_rate.cpp) and as iodepth of fio(1).
// Cost: the time given; no place is read twice, so that no cache of the first read answers the second.
// Cannot tell: a small device whose cache has read it already, or a host below a virtual disk that answers
// from its memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"

namespace diskwright {
namespace {

constexpr std::array<unsigned, 2> depths{1, 8};
constexpr std::uint64_t least_places = 1024;
constexpr std::uint64_t first_batch = 16;
constexpr std::uint64_t most_in_batch = 65536;
// Few, since at the end of each some of the requests in flight have run out.
constexpr double batches_wanted = 12;

struct DepthRate {
    std::uint64_t reads = 0;
    double elapsed = 0;
    std::vector<double> batches;
    std::optional<Error> failure;  // that ended it
};

/// Hands out places, each once.
class Places {
 public:
    Places(const TimedDevice& device, std::uint64_t seed)
        : length_(std::max<std::uint64_t>(4 * KiB, device.logical_sector_bytes())),
          order_(device.size_bytes() / length_, seed) {}
    std::uint64_t count() const { return order_.size(); }
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

DepthRate measure_depth(const ProbeContext& context, unsigned depth, Places& places, std::uint64_t limit,
                        std::chrono::nanoseconds time) {
    Clock& clock = context.device.clock();
    const auto begin = clock.now();
    const std::string step = fmt::format("random read, depth {}", depth);
    DepthRate out;
    const auto warm = context.device.read(places.take(first_batch, limit), depth);
    if (!warm) out.failure = warm.error();

    std::uint64_t batch = first_batch;
    while (!out.failure && clock.now() - begin < time && !context.progress.cancelled()) {
        context.progress.at(step, seconds(clock.now() - begin), seconds(time));
        const auto requests = places.take(batch, limit);
        if (requests.size() < batch) break;
        const auto run = context.device.read(requests, depth);
        if (!run) {
            out.failure = run.error();
            break;
        }
        const double elapsed = std::max(seconds(run->elapsed), 1e-9);
        const double rate = static_cast<double>(requests.size()) / elapsed;
        out.batches.push_back(rate);
        out.reads += requests.size();
        out.elapsed += elapsed;
        batch = static_cast<std::uint64_t>(std::clamp(rate * seconds(time) / batches_wanted,
                                                      static_cast<double>(depth),
                                                      static_cast<double>(most_in_batch)));
        batch = std::min(batch, std::max<std::uint64_t>(depth, places.count() / (4 * batches_wanted)));
    }
    context.progress.at(step, 1, 1);
    return out;
}

}  // namespace

ProbeOutcome measure_random_read(const ProbeContext& context) {
    constexpr std::string_view unit = "1/s";
    Places places(context.device, context.seed);
    if (places.count() < least_places)
        return {Measurement::inconclusive(
            unit, fmt::format("too small: {}", human_size(context.device.size_bytes())))};
    Measurement out;
    out.unit = unit;
    std::vector<Measurement::Point> curve;
    Grade sure;
    std::optional<Error> failure;
    for (std::size_t i = 0; i < depths.size() && !failure && !context.progress.cancelled(); ++i) {
        const std::uint64_t limit = places.count() * (i + 1) / depths.size();
        const auto rate =
            measure_depth(context, depths[i], places, limit, context.time / static_cast<int>(depths.size()));
        failure = rate.failure;
        out.series.push_back({fmt::format("depth {}", depths[i]), rate.batches});
        out.samples += rate.reads;
        const Grade of_depth = grade(rate.batches);
        // What an error cut short takes nothing from what was measured before.
        if (failure && of_depth.confidence == Confidence::inconclusive) break;
        sure = worse(sure, of_depth);
        if (rate.elapsed > 0)
            curve.push_back({static_cast<double>(depths[i]), static_cast<double>(rate.reads) / rate.elapsed,
                             median_absolute_deviation(rate.batches)});
    }
    if (curve.empty()) sure = {Confidence::inconclusive, fmt::format("too few samples: {}", out.samples)};
    out.value = std::move(curve);
    conclude(out, sure, context.device, {context.progress.cancelled(), failure});
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
