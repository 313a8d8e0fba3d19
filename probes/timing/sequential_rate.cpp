// SPDX-License-Identifier: BSD-2-Clause
// Question: how many bytes a second come from the medium in sequence, and how that falls from the outer to
// the inner zones of a rotating disk.
// Method: reads of 1 MiB in sequence, four in flight so that the device never waits for the host, in up to
// five zones spread over the device; each zone in pieces, and the rate of the zone is that of all its pieces
// together. Zones as in Worthington, Ganger, Patt, Wilkes: "On-line extraction of SCSI disk drive
// parameters" (SIGMETRICS 1995) and in diskinfo(8) -t of FreeBSD, which reads the outside, middle and inside.
// Cost: the time and the bytes given at most; no place is read twice.
// Cannot tell: read-ahead of the device from the medium where the device has a large cache, and what lies
// below a virtual disk (a host may answer from its memory).
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/grading.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t request_bytes = MiB;
constexpr unsigned depth = 4;
constexpr std::uint64_t most_zones = 5;
constexpr std::uint64_t least_zone_bytes = 64 * MiB;
constexpr std::uint64_t warm_up_bytes = 2 * MiB;
// Below this a zone is all start-up and read-ahead.
constexpr std::uint64_t least_bytes = 16 * MiB;
constexpr double pieces_wanted = 12;
// A shorter look at a zone of a rotating disk is mostly the seek to it.
constexpr std::chrono::milliseconds least_zone_time{400};

struct Zone {
    std::uint64_t at, end;
};

std::vector<Zone> zones_of(const TimedDevice& device, std::chrono::nanoseconds time) {
    const std::uint64_t size = device.size_bytes();
    const auto in_time = static_cast<std::uint64_t>(time / least_zone_time);
    const std::uint64_t count =
        std::clamp<std::uint64_t>(std::min(size / least_zone_bytes, in_time), 1, most_zones);
    const std::uint64_t length = size / count;
    std::vector<Zone> zones;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t start = i * length;
        start -= start % request_bytes;
        zones.push_back({start, start + length - length % request_bytes});
    }
    return zones;
}

class ZoneReader {
 public:
    ZoneReader(const ProbeContext& context, Zone zone) : context_(context), zone_(zone), next_(zone.at) {}

    /// Reads the next bytes of the zone, fewer at its end.
    Result<RunTiming> read(std::uint64_t bytes) {
        std::vector<ReadRequest> requests;
        const std::uint64_t end = next_ + std::min(bytes, left());
        for (; next_ < end; next_ += request_bytes) requests.push_back({next_, request_bytes});
        return context_.device.read(requests, depth);
    }
    std::uint64_t left() const { return zone_.end - next_; }

 private:
    const ProbeContext& context_;
    Zone zone_;
    std::uint64_t next_;
};

std::uint64_t whole_requests(double bytes) {
    constexpr double most = 256.0 * GiB;
    return std::max<std::uint64_t>(1,
                                   static_cast<std::uint64_t>(std::clamp(bytes, 0.0, most)) / request_bytes) *
           request_bytes;
}

struct ZoneRate {
    std::uint64_t bytes = 0;
    double elapsed = 0;
    std::vector<double> pieces;
    std::optional<Error> failure;  // that ended it
};

ZoneRate measure_zone(const ProbeContext& context, Zone zone, std::chrono::nanoseconds time,
                      std::uint64_t most_read) {
    Clock& clock = context.device.clock();
    ZoneReader reader(context, zone);
    ZoneRate out;
    const auto warm = reader.read(warm_up_bytes);
    if (!warm) {
        out.failure = warm.error();
        return out;
    }
    const auto end = clock.now() + time;
    most_read = std::min(most_read - std::min(most_read, warm_up_bytes), reader.left());
    const double most_bytes = static_cast<double>(most_read) / pieces_wanted;
    double rate = warm_up_bytes / std::max(seconds(warm->elapsed), 1e-9);

    while (reader.left() > 0 && out.bytes < most_read && clock.now() < end &&
           !context.progress.cancelled()) {
        const std::uint64_t before = reader.left();
        const auto piece =
            reader.read(whole_requests(std::min(rate * seconds(time) / pieces_wanted, most_bytes)));
        if (!piece) {
            out.failure = piece.error();
            break;
        }
        const std::uint64_t bytes = before - reader.left();
        const double elapsed = std::max(seconds(piece->elapsed), 1e-9);
        rate = static_cast<double>(bytes) / elapsed;
        out.pieces.push_back(rate);
        out.bytes += bytes;
        out.elapsed += elapsed;
    }
    return out;
}

}  // namespace

ProbeOutcome measure_sequential_rate(const ProbeContext& context) {
    constexpr std::string_view unit = "bytes/s";
    if (context.device.size_bytes() < least_bytes + warm_up_bytes)
        return {Measurement::inconclusive(
            unit, fmt::format("too small: {}", human_size(context.device.size_bytes())))};
    Measurement out;
    out.unit = unit;
    std::vector<Measurement::Point> curve;
    Grade sure;
    std::optional<Error> failure;
    const auto zones = zones_of(context.device, context.time);
    const auto count = static_cast<double>(zones.size());
    for (const Zone& zone : zones) {
        if (failure || context.progress.cancelled()) break;
        context.progress.at("sequential read", static_cast<double>(curve.size()), count);
        const auto rate = measure_zone(context, zone, context.time / static_cast<int>(zones.size()),
                                       context.bytes / zones.size());
        failure = rate.failure;
        const std::uint64_t from = context.device.first_byte() + zone.at;
        out.series.push_back({fmt::format("from {}", human_size(from)), rate.pieces});
        out.samples += rate.pieces.size();
        const Grade of_zone = grade(rate.pieces);
        // What an error cut short takes nothing from what was measured before.
        if (failure && of_zone.confidence == Confidence::inconclusive) break;
        sure = worse(sure, of_zone);
        if (rate.elapsed <= 0) continue;
        curve.push_back({static_cast<double>(from), static_cast<double>(rate.bytes) / rate.elapsed,
                         median_absolute_deviation(rate.pieces)});
    }
    context.progress.at("sequential read", count, count);
    if (curve.empty()) sure = {Confidence::inconclusive, fmt::format("too few samples: {}", out.samples)};
    out.value = std::move(curve);
    conclude(out, sure, context.device, {context.progress.cancelled(), failure});
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
