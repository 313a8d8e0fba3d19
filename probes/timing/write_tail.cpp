// SPDX-License-Identifier: BSD-2-Clause
// Question: how long the slowest of many small writes take: what a drive that collects garbage, cleans its
// shingles or empties a full cache makes of the writes that come meanwhile.
// Method: 4 KiB writes at random places, one after the other without flushes; the value is the time that one
// in a hundred exceeds, the percentiles tell the rest. Percentiles as fio(1) prints them.
// Cost: the time given; the scratch area is overwritten.
// Cannot tell: what begins only after hours of writing, or once a drive is full.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/committed_writes.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"

namespace diskwright {
namespace {

constexpr std::size_t least_samples = 200, many_samples = 2000, most_samples = 20'000;
constexpr double share = 0.99;

}  // namespace

ProbeOutcome measure_write_tail(const ProbeContext& context) {
    constexpr std::string_view unit = "s";
    ScratchDevice& device = *context.scratch;
    const std::uint64_t length = std::max<std::uint64_t>(4 * KiB, device.logical_sector_bytes());
    const std::uint64_t places = device.size_bytes() / length;
    if (places < least_samples)
        return {Measurement::inconclusive(unit, "too small: " + human_size(device.size_bytes()))};
    if (auto refusal = device.begin_step())
        return {Measurement::inconclusive(unit, refusal->message), refusal};
    const Permutation order(places, context.seed + 5);
    Committer committer(device);
    std::vector<double> times;
    std::optional<Error> failure;
    const TimeLeft left(context, context.time);
    for (std::uint64_t i = 0; times.size() < most_samples && left.any("small writes, one by one"); ++i) {
        const auto written = committer.write(order[i % places] * length, length);
        if (!written) {
            failure = written.error();
            break;
        }
        if (!written->after_check) times.push_back(seconds(written->time));
    }
    Measurement out;
    out.unit = unit;
    out.samples = times.size();
    Grade sure{Confidence::high, {}};
    if (times.size() < least_samples)
        sure = {Confidence::inconclusive, fmt::format("too few samples: {}", times.size())};
    else
        out.value = *percentile(times, share);
    if (times.size() >= least_samples && times.size() < many_samples)
        sure = {Confidence::low, fmt::format("few samples: {}", times.size())};
    out.spread = median_absolute_deviation(times);
    conclude(out, sure, device, {context.progress.cancelled(), failure});
    out.series = {{"write", std::move(times)}};
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
