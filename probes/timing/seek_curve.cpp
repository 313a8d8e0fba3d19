// SPDX-License-Identifier: BSD-2-Clause
// Question: how long the arm takes to move by so many bytes, and to settle.
// Method: reads that go to and fro between two places that distance apart, as in Worthington, Ganger, Patt,
// Wilkes (see rotation.cpp). Each waits for the arm and for a part of a turn; within a round the angle from
// each read to the next is another sixteenth of a turn, so that the waits of a round average half a turn.
// That and what an answer from the drive's buffer takes come off the mean. A longer way does not take less
// time: neighbours that say so are levelled (pool adjacent violators, Ayer et al. 1955).
// Cost: the time given, some thousand small reads.
// Cannot tell: what the drive's controller needs to begin, which stays in it; a seek to write, which settles longer; distances in cylinders; anything without the time of a
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
constexpr std::size_t distances = 14, reads_at_once = 16, least_rounds = 3;
constexpr double longest_share = 0.96;  // of the device

struct Distance {
    std::uint64_t bytes = 0;
    std::vector<double> rounds;  // means
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

// Bytes that pass in a turn at a place, by the sequential rate of the zones.
class TrackLength {
 public:
    TrackLength(const ProbeContext& context, double turn_s) : turn_s_(turn_s) {
        const auto at = context.before->find("sequential_read_bytes_per_s");
        if (at == context.before->end()) return;
        if (const auto* zones = std::get_if<std::vector<Measurement::Point>>(&at->second.value)) zones_ = *zones;
    }
    double at(double byte) const {
        double rate = MiB / turn_s_;
        for (std::size_t i = 0; i < zones_.size(); ++i) {
            if (zones_[i].at > byte && i > 0) {
                const auto &a = zones_[i - 1], &b = zones_[i];
                rate = a.value + (b.value - a.value) * (byte - a.at) / (b.at - a.at);
                break;
            }
            rate = zones_[i].value;
        }
        return std::max(rate * turn_s_, 8192.0);
    }

 private:
    double turn_s_;
    std::vector<Measurement::Point> zones_;
};

// To and fro from a place of its own; the first read of a round only brings the arm there. Triangular
// numbers, modulo a power of two, are all different and so are their differences.
std::vector<ReadRequest> round_of(const TimedDevice& device, std::uint64_t distance, const TrackLength& track,
                                  Random& random) {
    const std::uint64_t sector = device.logical_sector_bytes(), size = device.size_bytes();
    const std::uint64_t kept = distance + 16 * MiB;
    const std::uint64_t near = size > kept ? random.below(size - kept) : 0;
    std::vector<ReadRequest> out;
    for (std::size_t i = 0; i <= reads_at_once; ++i) {
        const std::uint64_t base = near + (i % 2) * distance;
        const double part = static_cast<double>(i * (i + 1) / 2 % reads_at_once) / reads_at_once;
        auto at = base + static_cast<std::uint64_t>(part * track.at(static_cast<double>(base)));
        at = std::min(at, size - sector);
        out.push_back({at - at % sector, sector});
    }
    return out;
}

// What a read takes that the drive's buffer answers; 0 when it answers none.
Result<double> answer_time(const ProbeContext& context, double turn_s) {
    Random random(context.seed + 7);
    std::vector<double> again;
    const std::uint64_t sector = context.device.logical_sector_bytes();
    for (int i = 0; i < 24; ++i) {
        const std::uint64_t at = random.below(context.device.size_bytes() / sector) * sector;
        const std::vector<ReadRequest> twice{{at, sector}, {at, sector}};
        const auto times = timed_reads(context.device, twice);
        if (!times) return times.error();
        if ((*times)[1] < turn_s / 4) again.push_back((*times)[1]);
    }
    return again.size() >= 12 ? *median(again) : 0.0;
}

// Mean of the reads of a round that went to the medium; nothing when the buffer answered too many of them.
std::optional<double> mean_of_round(std::span<const double> times, double answer_s, double turn_s) {
    double sum = 0;
    std::size_t count = 0;
    for (const double time : times)
        if (time > 2 * answer_s || time > turn_s / 8) sum += time, ++count;
    if (count < times.size() * 3 / 4) return std::nullopt;
    return sum / static_cast<double>(count);
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
    const TrackLength track(context, *turn_s);
    const auto answer = answer_time(context, *turn_s);
    auto list = distances_of(context.device);
    Random random(context.seed);
    std::optional<Error> failure;
    if (!answer) failure = answer.error();
    const TimeLeft left(context, context.time);
    while (!failure && left.any("seeks"))
        for (Distance& distance : list) {
            const auto times =
                timed_reads(context.device, round_of(context.device, distance.bytes, track, random));
            if (!times) {
                failure = times.error();
                break;
            }
            if (const auto mean = mean_of_round(std::span(*times).subspan(1), *answer, *turn_s))
                distance.rounds.push_back(*mean);
            if (!left.any("seeks")) break;
        }

    Measurement out;
    out.unit = unit;
    std::vector<Measurement::Point> curve;
    double worst = 0;
    for (Distance& distance : list) {
        out.samples += distance.rounds.size() * reads_at_once;
        if (distance.rounds.size() >= least_rounds) {
            const double error = steady_error(distance.rounds);
            const double seek_s = std::max(0.0, steady_mean(distance.rounds) - *turn_s / 2 - *answer);
            curve.push_back({static_cast<double>(distance.bytes), seek_s, error});
            worst = std::max(worst, error / std::max(seek_s, *turn_s / 8));
        }
        out.series.push_back({fmt::format("over {} and half a turn", human_size(distance.bytes)),
                              std::move(distance.rounds)});
    }
    level(curve);
    Grade sure{Confidence::high, {}};
    if (curve.size() < 3)
        sure = {Confidence::inconclusive, fmt::format("too few samples: {}", out.samples)};
    else if (worst > 0.30)
        sure = {Confidence::inconclusive, fmt::format("too noisy: an error of {:.0f} %", worst * 100)};
    else if (worst > 0.05 || *answer <= 0)
        sure = {worst > 0.15 ? Confidence::low : Confidence::medium,
                *answer <= 0 ? "the time of a command is not known and stays in it"
                             : fmt::format("an error of {:.0f} % at some distance", worst * 100)};
    out.value = std::move(curve);
    conclude(out, sure, context.device, {context.progress.cancelled(), failure});
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
