// SPDX-License-Identifier: BSD-2-Clause
// Question: how long one turn of the medium takes, and how many bytes pass under the head in it.
// Method: a read at a place that nothing was read near, then one a little before it. No drive has read
// backwards, so the medium must come round nearly once more; the time of the second read falls by the time of
// a sector for every sector that it lies further back. A line through these times meets distance 0 at the
// turn, and its slope is the time of a byte. Backward reads as in Worthington, Ganger, Patt, Wilkes:
// "On-line extraction of SCSI disk drive parameters" (SIGMETRICS 1995); the line as the slope of Skippy in
// Talagala, Arpaci-Dusseau, Patterson: "Microbenchmark-based extraction of local and global disk
// characteristics" (UCB/CSD-99-1063). The first reads of the pairs all seek as far and wait for any part of a
// turn, so their spread says, less exactly, what a turn is: it decides whether one or several passed, and is
// the answer for a drive that keeps what passes before the sector it was asked for.
// Cost: the time given at most, two small reads for a sample; ends when it is sure.
// Cannot tell: anything of a medium that does not rotate, or of several disks that answer as one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t least_bytes = 64 * MiB, granule = 64 * KiB;
constexpr std::uint64_t jitter = 8 * MiB;  // some tracks, so that every angle is as likely
constexpr std::array<std::uint64_t, 6> steps_back{2, 4, 8, 12, 16, 24};  // of 512 bytes
constexpr std::size_t pairs_at_once = 16, least_pairs = 128, most_pairs = 4000, enough_for_spread = 2000;
constexpr double fastest_turn_s = 0.002, slowest_turn_s = 0.030;  // 30,000 and 2,000 turns a minute
constexpr double sure_enough = 0.001;

struct Pairs {
    std::vector<double> first;                          // of all pairs
    std::map<std::uint64_t, std::vector<double>> back;  // by distance in bytes
    std::size_t count = 0;
};

// To and fro between the halves of a region, each pair as far from the one before.
class PairPlaces {
 public:
    PairPlaces(const TimedDevice& device, std::uint64_t seed)
        : sector_(device.logical_sector_bytes()),
          jitter_(std::min(jitter, device.size_bytes() / 16)),
          half_(std::min((device.size_bytes() - jitter_) / 2,
                         std::max(device.size_bytes() / 40, most_pairs * granule))),
          order_(std::max<std::uint64_t>(1, half_ / granule), seed),
          random_(seed + 1) {}
    std::array<ReadRequest, 2> next(std::uint64_t back) {
        std::uint64_t from = (taken_ % 2) * half_ + order_[taken_ / 2 % order_.size()] * granule +
                             random_.below(jitter_);
        ++taken_;
        from = std::max(from - from % sector_, back);
        return {ReadRequest{from, sector_}, ReadRequest{from - back, sector_}};
    }

 private:
    std::uint64_t sector_, jitter_, half_;
    Permutation order_;
    Random random_;
    std::uint64_t taken_ = 0;
};

std::vector<std::uint64_t> distances_of(const TimedDevice& device) {
    std::vector<std::uint64_t> out;
    for (const std::uint64_t step : steps_back)
        if (step * 512 % device.logical_sector_bytes() == 0) out.push_back(step * 512);
    return out;
}

std::optional<Error> take_pairs(const ProbeContext& context, PairPlaces& places,
                                std::span<const std::uint64_t> distances, Pairs& out) {
    std::vector<ReadRequest> requests;
    std::vector<std::uint64_t> back;
    for (std::size_t i = 0; i < pairs_at_once; ++i) {
        back.push_back(distances[out.count++ % distances.size()]);
        for (const auto& request : places.next(back.back())) requests.push_back(request);
    }
    const auto times = timed_reads(context.device, requests);
    if (!times) return times.error();
    for (std::size_t i = 0; i < pairs_at_once; ++i) {
        out.first.push_back((*times)[2 * i]);
        out.back[back[i]].push_back((*times)[2 * i + 1]);
    }
    return std::nullopt;
}

struct Turn {
    double seconds = 0, error = INFINITY, byte_s = 0;  // byte_s: 0 when the slope is lost in the noise
    std::vector<double> samples;                       // each pair's, with its distance added
    Grade sure;                                        // inconclusive: no turn
};

Turn none(std::string why) {
    Turn out;
    out.sure = {Confidence::inconclusive, std::move(why)};
    return out;
}

// Relative spread of one and the same time.
double noise_of(std::span<const double> alike) {
    return alike.size() < 8 ? INFINITY : 1.4826 * *median_absolute_deviation(alike) / *median(alike);
}

// What a turn is when the waits are any part of it: the variance of equal chances is a twelfth of the square.
double turn_by_spread(std::span<const double> first, double noise) {
    const double mean = steady_mean(first);
    double squares = 0;
    std::size_t count = 0;
    for (const double one : first)
        if (std::abs(one - mean) < mean) squares += (one - mean) * (one - mean), ++count;
    const double variance = squares / static_cast<double>(std::max<std::size_t>(count, 1));
    return std::sqrt(12 * std::max(0.0, variance - noise * noise * mean * mean));
}

// By the pairs whose second read waited: times by distance, and the line through their medians.
Turn turn_by_line(const std::map<std::uint64_t, std::vector<double>>& missed, double spread_s,
                  double known_byte_s) {
    std::vector<double> x, y, residual, residual_at;
    for (const auto& [back, times] : missed) {
        if (times.size() < 3) continue;
        x.push_back(static_cast<double>(back));
        y.push_back(*median(times));
        for (const double one : times) residual.push_back(one), residual_at.push_back(x.back());
    }
    const auto line = line_through(x, y);
    if (!line) return none(fmt::format("too few samples: {}", residual.size()));
    const double noise_s = 1.4826 * *median_absolute_deviation(residual);
    const double needed = 4 * noise_s / std::sqrt(static_cast<double>(residual.size()));
    Turn out;
    // A slope that the noise of these samples could make by itself is none.
    if (-line->slope * (x.back() - x.front()) / 2 > needed) out.byte_s = -line->slope;
    const double byte_s = out.byte_s > 0 ? out.byte_s : known_byte_s;
    for (std::size_t i = 0; i < residual.size(); ++i)
        out.samples.push_back(residual[i] + byte_s * residual_at[i]);
    const double turns = *median(out.samples);
    const double whole = std::max(1.0, std::round(turns / spread_s));
    out.seconds = turns / whole;
    for (double& sample : out.samples) sample /= whole;
    const double spread = *median_absolute_deviation(out.samples);
    out.error = 1.2533 * 1.4826 * spread / std::sqrt(static_cast<double>(out.samples.size()));
    out.sure = grade(out.samples);
    if (spread > 0.2 * out.seconds) return none(fmt::format("too noisy: the times spread by {:.0f} %", 100 * spread / out.seconds));
    return out;
}

// byte_s: of the sequential rate, where it is known.
Turn turn_of(const Pairs& pairs, double byte_s) {
    const double first_s = *median(pairs.first);
    std::map<std::uint64_t, std::vector<double>> missed;
    std::vector<double> answered, waited;
    std::size_t all = 0;
    for (const auto& [back, times] : pairs.back)
        for (const double one : times) {
            ++all;
            if (one < fastest_turn_s / 2 || one < first_s / 8) {
                answered.push_back(one);
            } else {
                missed[back].push_back(one);
                waited.push_back(one);
            }
        }
    if (first_s < fastest_turn_s) return none("no rotation: a read takes too short a time to wait for a turn");
    const bool keeps = waited.size() * 3 < all;  // what passed before the sector
    double noise = noise_of(answered);
    if (!keeps) {
        noise = INFINITY;
        for (const auto& [back, times] : missed) noise = std::min(noise, noise_of(times));
    }
    const double spread_s = turn_by_spread(pairs.first, std::isfinite(noise) ? noise : 0);
    if (spread_s < fastest_turn_s) return none("no rotation: reads after a seek do not wait differently");
    Turn out;
    if (keeps) {
        out.seconds = spread_s;
        out.error = spread_s / std::sqrt(static_cast<double>(pairs.first.size()));
        out.samples = {spread_s};
        out.sure = {Confidence::medium, "from the spread of the waits: the drive keeps what passed before a sector"};
    } else {
        out = turn_by_line(missed, spread_s, byte_s);
    }
    if (out.sure.confidence == Confidence::inconclusive) return out;
    if (out.seconds < fastest_turn_s || out.seconds > slowest_turn_s)
        return none(fmt::format("no rotation: {:.2f} ms is no turn of a disk", out.seconds * 1e3));
    if (spread_s < 0.6 * out.seconds || spread_s > 1.7 * out.seconds)
        return none(
            fmt::format("several disks, or a noisy one: reads spread over {:.1f} ms where a turn takes {:.1f} ms",
                        spread_s * 1e3, out.seconds * 1e3));
    return out;
}

// Of a byte in sequence at the outside; 0 when it is not known.
double byte_time(const ProbeContext& context) {
    if (!context.before) return 0;
    const auto at = context.before->find("sequential_read_bytes_per_s");
    if (at == context.before->end() || at->second.confidence == Confidence::inconclusive) return 0;
    const auto* zones = std::get_if<std::vector<Measurement::Point>>(&at->second.value);
    return zones && !zones->empty() && zones->front().value > 0 ? 1 / zones->front().value : 0;
}

}  // namespace

ProbeOutcome measure_rotation(const ProbeContext& context) {
    const auto nothing = [](const std::string& why) {
        ProbeOutcome out{Measurement::inconclusive("s", why)};
        out.also["track_bytes"] = Measurement::inconclusive("bytes", why);
        return out;
    };
    if (context.device.size_bytes() < least_bytes)
        return nothing("too small: " + human_size(context.device.size_bytes()));
    const auto distances = distances_of(context.device);
    if (distances.size() < 2) return nothing("sectors too large to tell places on a track apart");
    PairPlaces places(context.device, context.seed);
    Pairs pairs;
    Turn turn;
    std::optional<Error> failure;
    const double byte_s = byte_time(context);
    const TimeLeft left(context, context.time);
    while (pairs.count < most_pairs && left.any("rotation")) {
        failure = take_pairs(context, places, distances, pairs);
        if (failure) break;
        if (pairs.count < least_pairs || pairs.count % 64 != 0) continue;
        turn = turn_of(pairs, byte_s);
        if (turn.sure.confidence == Confidence::inconclusive && pairs.count >= 2 * least_pairs) break;
        if (turn.error < sure_enough * turn.seconds || pairs.count >= enough_for_spread) break;
    }
    if (pairs.first.size() < least_pairs / 2) {
        ProbeOutcome out = nothing(failure ? failure->message
                                           : fmt::format("too few samples: {}", pairs.first.size()));
        out.failure = std::move(failure);
        return out;
    }
    turn = turn_of(pairs, byte_s);
    ProbeOutcome out = nothing(turn.sure.reason);
    out.measured.samples = pairs.first.size();
    if (turn.sure.confidence != Confidence::inconclusive) {
        out.measured.value = turn.seconds;
        out.measured.spread = median_absolute_deviation(turn.samples);
        conclude(out.measured, turn.sure, context.device, {context.progress.cancelled(), failure});
        Measurement& track = out.also["track_bytes"];
        track.samples = pairs.first.size();
        if (turn.byte_s > 0) {
            track.value = turn.seconds / turn.byte_s;
            conclude(track, {Confidence::low, "from the slope of short distances"}, context.device, {});
        } else {
            track.reason = "the distances are too short to tell by";
        }
    }
    out.measured.series = {{"a little back, with the distance added", std::move(turn.samples)},
                           {"somewhere else before it", std::move(pairs.first)}};
    out.failure = std::move(failure);
    return out;
}

}  // namespace diskwright
