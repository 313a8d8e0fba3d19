// SPDX-License-Identifier: BSD-2-Clause
// Question: the size of the erase blocks (or of what else the translation of a flash medium is cut into).
// Method: flashbench -a (bradfa/flashbench: README, main.c time_rw_interval): for each power of two, reads
// that end at a multiple of it, that lie across one, and that begin at one. Where pieces meet that the medium
// keeps apart, the read across takes longer than its neighbours; the extra time falls by a step below the
// size of the piece. The largest such step is the answer.
// Cost: the time given, some thousand small reads.
// Cannot tell: a medium that hides its pieces behind striping or a cache, as most SSDs do; sizes above half
// of the largest power of two that fits the device often enough.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "probes/support/random.hpp"
#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/alignment_step.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/grading.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t largest = 128 * MiB, smallest = 2 * KiB, least_multiples = 8;
constexpr std::size_t least_rounds = 8;
constexpr double kept_share = 0.75;  // of the extra time at the top; below it, a step was passed

struct Times {
    std::vector<double> before, across, after;
};

double extra(double before, double across, double after) {
    return across - (before + after) / 2;
}

}  // namespace

std::optional<std::uint64_t> step_of(std::span<const AlignmentRow> rows) {
    if (rows.size() < 4) return std::nullopt;
    std::vector<AlignmentRow> sorted(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.align > b.align; });
    std::vector<double> top{sorted[0].extra_s, sorted[1].extra_s};
    for (std::size_t i = 2; i < sorted.size(); ++i) {
        const double plateau = *median(top);
        const auto errors = [&](const AlignmentRow& row) { return row.error_s; };
        const double error = std::hypot(errors(sorted[i]), errors(sorted[i - 1]));
        if (plateau <= 4 * sorted[0].error_s || plateau <= 4 * sorted[1].error_s) return std::nullopt;
        const bool falls = sorted[i].extra_s < kept_share * plateau;
        if (falls && plateau - sorted[i].extra_s > 4 * error) return sorted[i - 1].align;
        top.push_back(sorted[i].extra_s);
    }
    return std::nullopt;
}

ProbeOutcome measure_alignment_step(const ProbeContext& context) {
    constexpr std::string_view unit = "bytes";
    if (context.known("rotation_s"))
        return {Measurement::inconclusive(unit, "the medium rotates: there is nothing to erase")};
    const std::uint64_t size = context.device.size_bytes(), sector = context.device.logical_sector_bytes();
    const std::uint64_t half = sector;  // the smallest read across
    std::map<std::uint64_t, Times> rows;
    for (std::uint64_t align = std::max(smallest, 2 * half); align <= largest; align *= 2)
        if (size / align >= least_multiples) rows[align];
    if (rows.size() < 4) return {Measurement::inconclusive(unit, "too small: " + human_size(size))};

    Random random(context.seed);
    std::optional<Error> failure;
    std::uint64_t read = 0, rounds = 0;
    const TimeLeft left(context, context.time);
    while (!failure && left.any("reads across powers of two") && read < context.bytes) {
        ++rounds;
        for (auto& [align, times] : rows) {
            // An odd multiple: no larger power of two meets there.
            const std::uint64_t multiple = 2 * random.below((size / align - 1) / 2) + 1;
            const std::uint64_t at = multiple * align;
            const std::vector<ReadRequest> three{
                {at - 2 * half, 2 * half}, {at - half, 2 * half}, {at, 2 * half}};
            // Each has its turn to be the first, which pays for what the reads before it left.
            std::vector<ReadRequest> turned;
            for (std::size_t i = 0; i < 3; ++i) turned.push_back(three[(i + rounds) % 3]);
            const auto taken = timed_reads(context.device, turned);
            if (!taken) {
                failure = taken.error();
                break;
            }
            std::vector<double>* into[3] = {&times.before, &times.across, &times.after};
            for (std::size_t i = 0; i < 3; ++i) into[(i + rounds) % 3]->push_back((*taken)[i]);
            read += 6 * half;
        }
    }
    Measurement out;
    out.unit = unit;
    std::vector<AlignmentRow> found;
    for (auto& [align, times] : rows) {
        out.samples += times.across.size();
        if (times.across.size() >= least_rounds) {
            const double e = std::hypot(steady_error(times.across), steady_error(times.before) / 2,
                                        steady_error(times.after) / 2);
            found.push_back(
                {align, extra(steady_mean(times.before), steady_mean(times.across), steady_mean(times.after)),
                 e});
        }
        out.series.push_back({fmt::format("across multiples of {}, s", human_size(align)), times.across});
    }
    Grade sure{Confidence::medium, "by the largest step of the time of reads across powers of two"};
    const auto step = step_of(found);
    if (step)
        out.value = static_cast<double>(*step);
    else
        sure = {Confidence::inconclusive, found.size() < 4
                                              ? fmt::format("too few samples: {}", out.samples)
                                              : "no step: reads across powers of two take no longer"};
    conclude(out, sure, context.device, {context.progress.cancelled(), failure});
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
