// SPDX-License-Identifier: BSD-2-Clause
// Question: how long one turn of the medium takes, and how many bytes pass under the head in it.
// Method: a read at a place that nothing was read near, then one a little before it. No drive has read
// backwards, so the medium must come round nearly once more; the time of the second read falls by the time of
// a sector for every sector that it lies further back. A line through these times meets distance 0 at the
// turn, and its slope is the time of a byte. Backward reads as in Worthington, Ganger, Patt, Wilkes:
// "On-line extraction of SCSI disk drive parameters" (SIGMETRICS 1995); the line as the slope of Skippy in
// Talagala, Arpaci-Dusseau, Patterson: "Microbenchmark-based extraction of local and global disk
// characteristics" (UCB/CSD-99-1063). That it is one turn and not several follows from the first reads of the
// pairs: they wait for any part of one.
// Cost: the time given at most, two small reads for a sample; ends when it is sure.
// Cannot tell: anything of a medium that does not rotate, of a device that keeps whole tracks it passed, or of
// several disks that answer as one.
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
constexpr std::array<std::uint64_t, 8> steps_back{8, 12, 16, 24, 32, 48, 64, 96};  // of 512 bytes
constexpr std::size_t pairs_at_once = 16, least_pairs = 96, most_pairs = 4000;
constexpr double fastest_turn_s = 0.002, slowest_turn_s = 0.030;  // 30,000 and 2,000 turns a minute
constexpr double sure_enough = 0.002;

struct Pairs {
    std::vector<double> first;                         // of all pairs
    std::map<std::uint64_t, std::vector<double>> back;  // by distance in bytes
    std::size_t count = 0;
};

// Alternates between the halves of a region, so that the first read of every pair seeks about as far.
class PairPlaces {
 public:
    PairPlaces(const TimedDevice& device, std::uint64_t seed)
        : sector_(device.logical_sector_bytes()),
          region_(std::min(device.size_bytes(),
                           std::max(device.size_bytes() / 20, 2 * most_pairs * granule)) /
                  2),
          order_(region_ / granule, seed),
          random_(seed + 1) {}
    std::array<ReadRequest, 2> next(std::uint64_t back) {
        const std::uint64_t half = (taken_ % 2) * region_;
        const std::uint64_t at = order_[taken_ / 2 % order_.size()] * granule;
        ++taken_;
        const std::uint64_t room = granule / sector_;
        std::uint64_t from = half + at + random_.below(room) * sector_;
        from -= from % sector_;
        from = std::max(from, back);
        return {ReadRequest{from, sector_}, ReadRequest{from - back, sector_}};
    }

 private:
    std::uint64_t sector_, region_;
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
    std::string why_not;                               // no turn
};

Turn turn_of(const Pairs& pairs) {
    Turn out;
    // First reads wait for any part of a turn; their seeks are short and alike.
    const double waited = (*percentile(pairs.first, 0.9) - *percentile(pairs.first, 0.1)) / 0.8;
    std::vector<double> distance, time;
    std::size_t all = 0, missed = 0;
    for (const auto& [back, times] : pairs.back)
        for (const double one : times) {
            ++all;
            if (one < fastest_turn_s / 2 || one < 0.3 * waited) continue;
            ++missed;
            distance.push_back(static_cast<double>(back));
            time.push_back(one);
        }
    if (missed * 5 < all || missed < least_pairs / 5) {
        out.why_not = waited < fastest_turn_s / 2 && *median(pairs.first) < fastest_turn_s
                          ? "no rotation: a read takes as long wherever the one before was"
                          : "cached: what lies just before a read is answered at once";
        return out;
    }
    // Medians by distance first: pairs on two tracks have another angle between them.
    std::vector<double> x, y;
    for (const auto& [back, times] : pairs.back) {
        std::vector<double> kept;
        for (const double one : times)
            if (one >= fastest_turn_s / 2 && one >= 0.3 * waited) kept.push_back(one);
        if (kept.size() < 3) continue;
        x.push_back(static_cast<double>(back));
        y.push_back(*median(kept));
    }
    const auto line = line_through(x, y);
    if (!line) {
        out.why_not = fmt::format("too few samples: {}", missed);
        return out;
    }
    double slope = std::min(0.0, line->slope);
    const double centre = *median(time), spread = 1.4826 * *median_absolute_deviation(time);
    // A slope that the noise of these samples could make by itself is none.
    const double reach = (x.back() - x.front()) / 2;
    if (-slope * reach < 2 * spread / std::sqrt(static_cast<double>(missed))) slope = 0;
    for (std::size_t i = 0; i < time.size(); ++i) out.samples.push_back(time[i] - slope * distance[i]);
    double turns = *median(out.samples);
    const double whole = std::max(1.0, std::round(turns / std::max(waited, fastest_turn_s)));
    turns /= whole;
    for (double& sample : out.samples) sample /= whole;
    out.error = 1.2533 * 1.4826 * *median_absolute_deviation(out.samples) /
                std::sqrt(static_cast<double>(out.samples.size()));
    out.byte_s = -slope;
    out.seconds = turns;
    if (turns < fastest_turn_s || turns > slowest_turn_s)
        out.why_not = "no rotation: " + fmt::format("{:.2f} ms is no turn of a disk", turns * 1e3);
    else if (waited < 0.6 * turns || waited > 1.8 * turns)
        out.why_not = fmt::format(
            "no single disk, or a noisy one: reads differ by {:.1f} ms where a turn would take {:.1f} ms",
            waited * 1e3, turns * 1e3);
    else if (spread > 0.25 * centre)
        out.why_not = fmt::format("too noisy: the times spread by {:.0f} %", 100 * spread / centre);
    return out;
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
    const TimeLeft left(context, context.time);
    while (pairs.count < most_pairs && left.any("rotation")) {
        failure = take_pairs(context, places, distances, pairs);
        if (failure) break;
        if (pairs.count < least_pairs || pairs.count % 64 != 0) continue;
        turn = turn_of(pairs);
        if (!turn.why_not.empty() || turn.error < sure_enough * turn.seconds) break;
    }
    if (pairs.first.size() < least_pairs / 2) {
        ProbeOutcome out = nothing(failure ? failure->message
                                           : fmt::format("too few samples: {}", pairs.first.size()));
        out.failure = std::move(failure);
        return out;
    }
    turn = turn_of(pairs);
    ProbeOutcome out = nothing(turn.why_not);
    out.measured.samples = pairs.first.size();
    if (turn.why_not.empty()) {
        out.measured.value = turn.seconds;
        out.measured.spread = median_absolute_deviation(turn.samples);
        conclude(out.measured, grade(turn.samples), context.device, {context.progress.cancelled(), failure});
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
