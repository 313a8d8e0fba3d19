// SPDX-License-Identifier: BSD-2-Clause
// Question: how many bytes a second the device takes in sequence.
// Method: direct writes of 1 MiB in sequence over the scratch area, round again at its end, in pieces of
// which each is a sample; four in flight where the device takes several, as in sequential_rate.cpp.
// Cost: the time given, or a gibibyte; the scratch area is overwritten.
// Cannot tell: the medium from a cache as large as what was written; the first pieces show one that fills.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/filler.hpp"
#include "probes/timing/grading.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t request_bytes = MiB, least_bytes = 16 * MiB, most_piece = 32 * MiB;
constexpr double most_bytes = 1024.0 * MiB;
constexpr unsigned depth = 4;
constexpr double pieces_wanted = 24;

class Stream {
 public:
    explicit Stream(ScratchDevice& device)
        : device_(device), filler_(device.clock()), end_(device.size_bytes() / request_bytes * request_bytes) {}

    /// Seconds for the next `count` requests.
    Result<double> write(std::uint64_t count, bool& after_check) {
        block_.resize(count * request_bytes);
        filler_.fill(block_);
        std::vector<MixedRequest> requests;
        for (std::uint64_t i = 0; i < count; ++i, next_ = (next_ + request_bytes) % end_)
            requests.push_back({next_, request_bytes, true});
        const auto run = device_.run(requests, depth, block_);
        if (run) {
            after_check = run->after_check;
            return seconds(run->elapsed);
        }
        if (run.error().kind != ErrorKind::unavailable) return run.error();
        double sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto bytes = std::span(block_).subspan(i * request_bytes, request_bytes);
            const auto written = device_.write_at(requests[i].offset, bytes);
            if (!written) return written.error();
            sum += seconds(written->time);
            after_check = after_check || written->after_check;
        }
        return sum;
    }

 private:
    ScratchDevice& device_;
    Filler filler_;
    std::vector<std::byte> block_;
    std::uint64_t next_ = 0, end_;
};

}  // namespace

ProbeOutcome measure_sequential_write(const ProbeContext& context) {
    constexpr std::string_view unit = "bytes/s";
    if (context.scratch->size_bytes() < least_bytes)
        return {Measurement::inconclusive(unit, "too small: " + human_size(context.scratch->size_bytes()))};
    if (auto refusal = context.scratch->begin_step())
        return {Measurement::inconclusive(unit, refusal->message), refusal};
    Stream stream(*context.scratch);
    std::vector<double> rates;
    double bytes = 0, elapsed = 0;
    std::optional<Error> failure;
    std::uint64_t count = 2;
    const TimeLeft left(context, context.time);
    for (bool first = true; left.any("sequential write") && bytes < most_bytes; first = false) {
        bool after_check = false;
        const auto took = stream.write(count, after_check);
        if (!took) {
            failure = took.error();
            break;
        }
        const double rate = static_cast<double>(count * request_bytes) / std::max(*took, 1e-9);
        if (!first && !after_check) {
            rates.push_back(rate);
            bytes += static_cast<double>(count * request_bytes);
            elapsed += *took;
        }
        count = static_cast<std::uint64_t>(
            std::clamp(rate * seconds(context.time) / pieces_wanted / request_bytes, 1.0,
                       static_cast<double>(most_piece / request_bytes)));
    }
    Measurement out;
    out.unit = unit;
    out.samples = rates.size();
    if (elapsed > 0) out.value = bytes / elapsed;
    out.spread = median_absolute_deviation(rates);
    conclude(out, grade(rates), *context.scratch, {context.progress.cancelled(), failure});
    out.series = {{"in sequence", std::move(rates)}};
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
