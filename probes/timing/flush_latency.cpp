// SPDX-License-Identifier: BSD-2-Clause
// Question: how long the device takes to make a small write durable: what a commit of a journal or an
// fsync(2) of a database waits for.
// Method: one aligned write of 4 KiB (one sector where that is larger) at a changing place, then a flush;
// the time of the flush is the sample, as the fsync test of fio(1) and pg_test_fsync do it. The write is
// there so that the flush has something to do; its time is kept beside. The first commit after the interlocks
// were evaluated is kept apart: reading for them moved the heads. Cost: the time given; the scratch
// area is overwritten. Cannot tell: a device that keeps the write in a cache that survives a power failure
// from one that ignores the flush; both answer at once.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/filler.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t least_places = 16;
constexpr std::size_t warm_up = 5;
constexpr std::size_t most_samples = 20000;

struct Samples {
    std::vector<double> warm_up, after_check, flush, write;
};

struct Commit {
    double write = 0, flush = 0;
    bool after_check = false;
};

class Committer {
 public:
    Committer(ScratchDevice& device, std::uint64_t seed)
        : device_(device),
          block_(std::max<std::uint64_t>(4 * KiB, device.logical_sector_bytes())),
          places_(device.size_bytes() / block_.size(), seed),
          filler_(device.clock()) {}
    std::uint64_t places() const { return places_.size(); }

    /// Time of the write and of the flush after it.
    Result<Commit> commit() {
        filler_.fill(block_);
        const auto write = device_.write_at(places_[written_++ % places_.size()] * block_.size(), block_);
        if (!write) return write.error();
        const auto flush = device_.flush();
        if (!flush) return flush.error();
        return Commit{seconds(write->time), seconds(*flush), write->after_check};
    }

 private:
    ScratchDevice& device_;
    std::vector<std::byte> block_;
    Permutation places_;
    Filler filler_;
    std::uint64_t written_ = 0;
};

// Adds to the samples until the time is over.
std::optional<Error> take_samples(const ProbeContext& context, Committer& committer, Samples& out) {
    if (auto refusal = context.scratch->begin_step()) return refusal;
    Clock& clock = context.scratch->clock();
    const auto begin = clock.now();
    while (out.flush.size() < most_samples && clock.now() - begin < context.time &&
           !context.progress.cancelled()) {
        context.progress.at("write, then flush", seconds(clock.now() - begin), seconds(context.time));
        const auto times = committer.commit();
        if (!times) return times.error();
        if (times->after_check) {
            out.after_check.push_back(times->flush);
        } else if (out.warm_up.size() < warm_up) {
            out.warm_up.push_back(times->flush);
        } else {
            out.write.push_back(times->write);
            out.flush.push_back(times->flush);
        }
    }
    return std::nullopt;
}

}  // namespace

ProbeOutcome measure_flush_latency(const ProbeContext& context) {
    constexpr std::string_view unit = "s";
    Committer committer(*context.scratch, context.seed);
    if (committer.places() < least_places)
        return {Measurement::inconclusive(
            unit, fmt::format("too small: {}", human_size(context.scratch->size_bytes())))};
    Samples samples;
    auto failure = take_samples(context, committer, samples);
    if (failure && failure->kind == ErrorKind::unavailable)
        return {Measurement::inconclusive(unit, failure->message)};

    Measurement out;
    out.unit = unit;
    out.samples = samples.flush.size();
    if (const auto centre = median(samples.flush)) out.value = *centre;
    out.spread = median_absolute_deviation(samples.flush);
    conclude(out, grade(samples.flush), *context.scratch, {context.progress.cancelled(), failure});
    out.series = {{"write, then flush", std::move(samples.flush)},
                  {"write, time of the write", std::move(samples.write)},
                  {"warm-up, time of the flush", std::move(samples.warm_up)},
                  {"after a check of the interlocks, time of the flush", std::move(samples.after_check)}};
    return {std::move(out), std::move(failure)};
}

}  // namespace diskwright
