// SPDX-License-Identifier: BSD-2-Clause
// Question: the sector of the medium, and where on the device its boundaries lie.
// Method: small writes, each followed by a flush. One that does not cover whole sectors makes the drive read
// the rest first: on a rotating disk a turn longer (as in Worthington, Ganger, Patt, Wilkes, see rotation.cpp,
// and in the measurement of phybs, lulf.no 2010), on flash a page. Writes of 4 KiB begin at each place within
// 4 KiB; where none is cheaper than the rest, 8 and 16 KiB follow; the places that are cheaper tell the sector
// by their distance and the offset by the first of them.
// Cost: the time given; the scratch area is overwritten. Without scratch, nothing: what is reported is the
// value then, and the reason says so.
// Cannot tell: sectors behind a cache that takes writes and answers flushes at once, behind parity, or of a
// flash device that gathers small writes before it stores them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/committed_writes.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/sector_phases.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t first_length = 4 * KiB, last_length = 16 * KiB;
// Apart so far that a write within the first part of it lies in one page of most flash.
constexpr std::uint64_t stride = 64 * KiB, window = 256 * MiB, least_window = MiB;
constexpr std::size_t least_rounds = 6, most_rounds = 200;
constexpr double turn_share = 0.5, cost_share = 0.05;

struct Samples {
    std::uint64_t length = 0;
    std::vector<std::uint64_t> from;
    std::vector<std::vector<double>> cost;
};

Samples samples_for(std::uint64_t length, std::uint64_t sector) {
    Samples out{length, {}, {}};
    for (std::uint64_t from = 0; from < length; from += sector) out.from.push_back(from);
    out.cost.resize(out.from.size());
    return out;
}

// In turns, so that a drift of the device meets all of them; fresh places, since what was just written may
// still be known to the drive.
std::optional<Error> take(const ProbeContext& context, Committer& committer, Samples& out,
                          std::chrono::nanoseconds time) {
    if (auto refusal = context.scratch->begin_step()) return refusal;
    const std::uint64_t size = context.scratch->size_bytes();
    const std::uint64_t room = std::min(size, window) / stride;
    Random random(context.seed + out.length);
    const TimeLeft left(context, time);
    std::vector<std::size_t> order(out.from.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t round = 0; round < most_rounds; ++round) {
        random.shuffle(order);
        for (const std::size_t i : order) {
            if (!left.any("small writes") && round >= least_rounds) return std::nullopt;
            if (context.progress.cancelled()) return std::nullopt;
            const auto done = committer.commit(random.below(room) * stride + out.from[i], out.length);
            if (!done) return done.error();
            if (!done->after_check) out.cost[i].push_back(done->write + done->flush);
        }
        if (!left.any("small writes") && round + 1 >= least_rounds) break;
    }
    return std::nullopt;
}

std::vector<Phase> phases_of(const Samples& samples) {
    std::vector<Phase> out;
    for (std::size_t i = 0; i < samples.from.size(); ++i)
        if (samples.cost[i].size() >= least_rounds)
            out.push_back({samples.from[i], steady_mean(samples.cost[i]), steady_error(samples.cost[i])});
    return out;
}

void tell_reported(const ProbeContext& context, const std::string& not_measured, ProbeOutcome& out) {
    const DeviceReport report = context.device.reported();
    Measurement& offset = out.also["physical_offset_bytes"];
    offset = Measurement::inconclusive("bytes", not_measured);
    out.measured.reason = not_measured;
    if (!report.physical_sector_bytes) return;
    const auto value = [&](Measurement& to, std::uint64_t bytes) {
        to.value = static_cast<double>(bytes);
        conclude(to, {Confidence::low, "as the device reports it; " + not_measured}, context.device, {});
    };
    value(out.measured, *report.physical_sector_bytes);
    if (report.physical_offset_bytes) value(offset, *report.physical_offset_bytes);
}

}  // namespace

PhasePattern pattern_of(std::span<const Phase> phases, std::uint64_t length, double turn_s) {
    PhasePattern out;
    if (phases.size() < 2) {
        out.why = "too few samples";
        return out;
    }
    std::vector<Phase> sorted(phases.begin(), phases.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.cost_s < b.cost_s; });
    std::vector<double> costs, errors;
    for (const Phase& phase : sorted) costs.push_back(phase.cost_s), errors.push_back(phase.error_s);
    const double error = *median(errors);
    const double expected = turn_s > 0 ? turn_share * turn_s : cost_share * *median(costs);
    std::size_t cheap = 1;
    double gap = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (costs[i] - costs[i - 1] > gap) gap = costs[i] - costs[i - 1], cheap = i;
    if (expected < 3 * error) {
        out.why = fmt::format("too noisy: writes differ by {:.2f} ms by themselves", error * 1e3);
        return out;
    }
    if (gap < expected) {
        if (costs.back() - costs.front() > 2 * expected + 4 * error) {
            out.why = "the places cost differently, but not in two groups";
            return out;
        }
        out.kind = PhasePattern::Kind::alike;
        return out;
    }
    std::set<std::uint64_t> from;
    for (std::size_t i = 0; i < cheap; ++i) from.insert(sorted[i].from);
    out.sector = length / cheap;
    out.offset = *from.begin();
    bool regular = length % cheap == 0 && (out.sector & (out.sector - 1)) == 0;
    for (const std::uint64_t one : from) regular = regular && one % out.sector == out.offset % out.sector;
    if (!regular)
        out.why = "the places that cost less do not lie regularly";
    else
        out.kind = PhasePattern::Kind::aligned;
    return out;
}

ProbeOutcome measure_physical_sector(const ProbeContext& context) {
    ProbeOutcome out{Measurement::inconclusive("bytes", "")};
    if (!context.scratch) {
        tell_reported(context, "needs a scratch area to be measured", out);
        return out;
    }
    const std::uint64_t sector = context.scratch->logical_sector_bytes();
    if (context.scratch->size_bytes() < least_window) {
        tell_reported(context, "too small: " + human_size(context.scratch->size_bytes()), out);
        return out;
    }
    const double turn_s = context.known("rotation_s").value_or(0);
    const auto cache = context.before ? context.before->find("write_cache") : DeviceProfile::const_iterator{};
    if (context.before && cache != context.before->end())
        if (const auto* word = std::get_if<std::string>(&cache->second.value);
            word && (*word == "protected" || *word == "ignores-flush")) {
            tell_reported(context, "a cache takes the writes: " + *word, out);
            return out;
        }
    Committer committer(*context.scratch);
    PhasePattern pattern;
    std::uint64_t checked = 0;
    for (std::uint64_t length = first_length; length <= last_length && !out.failure; length *= 2) {
        if (length <= sector || context.progress.cancelled()) continue;
        Samples samples = samples_for(length, std::max(sector, length / 8));
        out.failure = take(context, committer, samples, context.time / (length == first_length ? 2 : 4));
        for (std::size_t i = 0; i < samples.from.size(); ++i) {
            out.measured.samples += samples.cost[i].size();
            out.measured.series.push_back(
                {fmt::format("{} at {}, s", human_size(length), samples.from[i]), samples.cost[i]});
        }
        if (out.failure) break;
        const auto phases = phases_of(samples);
        pattern = pattern_of(phases, length, turn_s);
        if (!phases.empty() && phases.front().cost_s < turn_s / 4)
            pattern = {PhasePattern::Kind::unclear, 0, 0, "a cache takes the writes"};
        checked = length;
        if (pattern.kind != PhasePattern::Kind::alike) break;
    }
    if (out.failure && out.failure->kind != ErrorKind::io_error) {
        out.measured.reason = out.failure->message;
        out.also["physical_offset_bytes"] = Measurement::inconclusive("bytes", out.failure->message);
        return out;
    }
    const Ending ending{context.progress.cancelled(), out.failure};
    if (out.failure || ending.interrupted || pattern.kind == PhasePattern::Kind::unclear) {
        const std::string why = out.failure ? out.failure->message
                                : ending.interrupted ? "interrupted early"
                                                     : pattern.why;
        tell_reported(context, why.empty() ? "sectors too large to be told apart" : why, out);
        return out;
    }
    const bool same = pattern.kind == PhasePattern::Kind::alike;
    if (const auto reported = context.device.reported().physical_sector_bytes;
        same && reported && *reported > sector) {
        tell_reported(context, "writes cost the same wherever they begin, as behind a cache", out);
        return out;
    }
    Measurement& offset = out.also["physical_offset_bytes"];
    offset.unit = "bytes";
    offset.samples = out.measured.samples;
    out.measured.value = static_cast<double>(same ? sector : pattern.sector);
    offset.value = static_cast<double>(same ? 0 : pattern.offset);
    // That no place is cheaper is what a device with hidden sectors shows, too.
    const Grade sure = !same        ? Grade{Confidence::high, {}}
                       : turn_s > 0 ? Grade{Confidence::high, {}}
                                    : Grade{Confidence::medium,
                                            fmt::format("no place within {} is cheaper; flash may hide it",
                                                        human_size(checked))};
    conclude(out.measured, sure, *context.scratch, ending);
    conclude(offset, sure, *context.scratch, ending);
    return out;
}

}  // namespace diskwright
