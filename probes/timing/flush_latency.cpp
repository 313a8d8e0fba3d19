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
#include "probes/timing/committed_writes.hpp"
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

// Places of one write each, in a random order.
class CommitPlaces {
 public:
    CommitPlaces(const ScratchDevice& device, std::uint64_t seed)
        : length_(std::max<std::uint64_t>(4 * KiB, device.logical_sector_bytes())),
          places_(device.size_bytes() / length_, seed) {}
    std::uint64_t count() const { return places_.size(); }
    std::uint64_t length() const { return length_; }
    std::uint64_t next() { return places_[taken_++ % places_.size()] * length_; }

 private:
    std::uint64_t length_;
    Permutation places_;
    std::uint64_t taken_ = 0;
};

// Adds to the samples until the time is over.
std::optional<Error> take_samples(const ProbeContext& context, CommitPlaces& places, Samples& out) {
    if (auto refusal = context.scratch->begin_step()) return refusal;
    Committer committer(*context.scratch);
    Clock& clock = context.scratch->clock();
    const auto begin = clock.now();
    while (out.flush.size() < most_samples && clock.now() - begin < context.time &&
           !context.progress.cancelled()) {
        context.progress.at("write, then flush", seconds(clock.now() - begin), seconds(context.time));
        const auto times = committer.commit(places.next(), places.length());
        if (!times) return times.error();
        if (!committer.no_flush().empty()) return Error{ErrorKind::unavailable, committer.no_flush()};
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
    CommitPlaces places(*context.scratch, context.seed);
    if (places.count() < least_places)
        return {Measurement::inconclusive(
            unit, fmt::format("too small: {}", human_size(context.scratch->size_bytes())))};
    Samples samples;
    auto failure = take_samples(context, places, samples);
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
