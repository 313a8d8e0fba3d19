// SPDX-License-Identifier: BSD-2-Clause
// Question: how long the arm takes to move by so many bytes, and to settle.
// Method: reads that go to and fro between two places that distance apart, each a little further than the
// last; all but the first wait for a seek of that distance and for a part of a turn that is as often short as
// long. The time of a read that the drive's buffer answers is taken off, and so is half a turn from the mean;
// where the times are steady enough, the middle between the shortest and the longest tells more than the
// mean. Distances as in Worthington, Ganger, Patt, Wilkes (see rotation.cpp), who waited for the shortest of
// many instead. A longer way does not take less time: neighbours that say so are levelled (pool adjacent
// violators, Ayer et al. 1955).
// Cost: the time given, some thousand small reads.
// Cannot tell: a seek to write, which settles longer; distances in cylinders; anything without the time of a
// turn, or of several disks that answer as one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t least_bytes = 256 * MiB, shortest = MiB;
constexpr std::size_t distances = 14, reads_at_once = 16, least_reads = 32;
constexpr double longest_share = 0.96;  // of the device

struct Distance {
    std::uint64_t bytes = 0;
    std::vector<double> times;
};

std::vector<Distance> distances_of(const TimedDevice& device) {
    const double size = static_cast<double>(device.size_bytes());
    const double least = std::max<double>(shortest, size / (1 << 17)), most = longest_share * size;
    const std::uint64_t sector = device.logical_sector_bytes();
    std::vector<Distance> out;
    for (std::size_t i = 0; i < distances; ++i) {
        const double at = least * std::pow(most / least, static_cast<double>(i) / (distances - 1));
        out.push_back({static_cast<std::uint64_t>(at) / sector * sector, {}});
    }
    return out;
}

// To and fro from a place of its own; the first read of a round only brings the arm there.
std::vector<ReadRequest> round_of(const TimedDevice& device, std::uint64_t distance, Random& random) {
    const std::uint64_t sector = device.logical_sector_bytes(), size = device.size_bytes();
    const std::uint64_t drift = std::min<std::uint64_t>(MiB, distance / reads_at_once / 4);
    const std::uint64_t room = size - distance - (reads_at_once + 1) * (drift + sector);
    std::uint64_t near = random.below(room / sector) * sector;
    std::vector<ReadRequest> out;
    for (std::size_t i = 0; i <= reads_at_once; ++i) {
        // The angle of the next place is any.
        near += random.below(drift / sector + 1) * sector;
        out.push_back({near + (i % 2) * distance, sector});
    }
    return out;
}

// What a read takes that the drive's buffer answers; 0 when it answers none.
Result<double> answer_time(const ProbeContext& context, double turn_s) {
    Random random(context.seed + 7);
    std::vector<double> again;
    const std::uint64_t sector = context.device.logical_sector_bytes();
    for (int i = 0; i < 12; ++i) {
        const std::uint64_t at = random.below(context.device.size_bytes() / sector) * sector;
        const std::vector<ReadRequest> twice{{at, sector}, {at, sector}};
        const auto times = timed_reads(context.device, twice);
        if (!times) return times.error();
        if ((*times)[1] < turn_s / 4) again.push_back((*times)[1]);
    }
    return again.size() >= 6 ? *median(again) : 0.0;
}

struct Estimate {
    double value = 0, error = INFINITY;
};

// Of times that are a constant and a part of a turn, each as likely; noise: relative, of each.
Estimate constant_of(std::span<const double> times, double turn_s, double noise) {
    const auto count = static_cast<double>(times.size());
    const double mean = steady_mean(times);
    const double own = std::sqrt(turn_s * turn_s / 12 + noise * noise * mean * mean) / std::sqrt(count);
    Estimate by_mean{mean - turn_s / 2, std::max(own, steady_error(times))};
    const double low = *percentile(times, 0), high = *percentile(times, 1);
    const Estimate by_ends{(low + high - turn_s) / 2,
                           std::max(turn_s / (count * std::sqrt(2.0)), std::abs(high - low - turn_s) / 2) +
                               noise * mean};
    return by_ends.error < by_mean.error ? by_ends : by_mean;
}

void level(std::vector<Measurement::Point>& curve) {
    for (std::size_t i = 1; i < curve.size(); ++i)
        for (std::size_t from = i; from > 0 && curve[from - 1].value > curve[from].value; --from) {
            double sum = 0;
            std::size_t begin = from - 1;
            while (begin > 0 && curve[begin - 1].value == curve[from - 1].value) --begin;
            for (std::size_t k = begin; k <= i; ++k) sum += curve[k].value;
            for (std::size_t k = begin; k <= i; ++k) curve[k].value = sum / static_cast<double>(i - begin + 1);
        }
}

}  // namespace

ProbeOutcome measure_seek_curve(const ProbeContext& context) {
    constexpr std::string_view unit = "s";
    if (context.device.size_bytes() < least_bytes)
        return {Measurement::inconclusive(unit, "too small: " + human_size(context.device.size_bytes()))};
    const auto turn_s = context.known("rotation_s");
    if (!turn_s) {
        const auto at = context.before ? context.before->find("rotation_s") : DeviceProfile::const_iterator{};
        const std::string why =
            context.before && at != context.before->end() ? at->second.reason : "it was not measured";
        return {Measurement::inconclusive(unit, "needs the time of a turn: " + why)};
    }
    const auto& turns = context.before->at("rotation_s");
    const double noise = 1.4826 * turns.spread.value_or(0) / *turn_s;
    const auto answer = answer_time(context, *turn_s);
    auto list = distances_of(context.device);
    Random random(context.seed);
    std::optional<Error> failure;
    if (!answer) failure = answer.error();
    const TimeLeft left(context, context.time);
    while (!failure && left.any("seeks"))
        for (Distance& distance : list) {
            const auto times = timed_reads(context.device, round_of(context.device, distance.bytes, random));
            if (!times) {
                failure = times.error();
                break;
            }
            distance.times.insert(distance.times.end(), times->begin() + 1, times->end());
            if (!left.any("seeks")) break;
        }

    Measurement out;
    out.unit = unit;
    std::vector<Measurement::Point> curve;
    double worst = 0;
    for (Distance& distance : list) {
        out.samples += distance.times.size();
        if (distance.times.size() >= least_reads) {
            const Estimate estimate = constant_of(distance.times, *turn_s, noise);
            const double seek_s = std::max(0.0, estimate.value - answer.value());
            curve.push_back({static_cast<double>(distance.bytes), seek_s, estimate.error});
            worst = std::max(worst, estimate.error / std::max(seek_s, *turn_s / 8));
        }
        out.series.push_back({fmt::format("over {}, turn included", human_size(distance.bytes)),
                              std::move(distance.times)});
    }
    level(curve);
    Grade sure{Confidence::high, {}};
    if (curve.size() < 3)
        sure = {Confidence::inconclusive, fmt::format("too few samples: {}", out.samples)};
    else if (worst > 0.30)
        sure = {Confidence::inconclusive, fmt::format("too noisy: an error of {:.0f} %", worst * 100)};
    else if (worst > 0.05 || *answer == 0)
        sure = {worst > 0.15 ? Confidence::low : Confidence::medium,
                *answer == 0 ? "the time of a command is not known and stays in it"
                             : fmt::format("an error of {:.0f} % at some distance", worst * 100)};
    out.value = std::move(curve);
    conclude(out, sure, context.device, {context.progress.cancelled(), failure});
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
