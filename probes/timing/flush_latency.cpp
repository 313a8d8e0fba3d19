// SPDX-License-Identifier: BSD-2-Clause
// Question: how long the device takes to make a small write durable: what a commit of a journal or an
// fsync(2) of a database waits for.
// Method: one aligned write of 4 KiB (one sector where that is larger) at a changing place, then a flush;
// the time of the flush is the sample, as the fsync test of fio(1) and pg_test_fsync do it. The write is
// there so that the flush has something to do; its time is kept beside. Cost: the time given; the scratch
// area is overwritten. Cannot tell: a device that keeps the write in a cache that survives a power failure
// from one that ignores the flush; both answer at once.
#include <fmt/format.h>

#include <algorithm>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t least_places = 16;
constexpr std::size_t warm_up = 5;
constexpr std::size_t most_samples = 20000;

struct Samples {
    std::vector<double> warm_up, flush, write;
};

class Committer {
 public:
    Committer(ScratchDevice& device, std::uint64_t seed)
        : device_(device),
          block_(std::max<std::uint64_t>(4 * KiB, device.logical_sector_bytes())),
          places_(device.size_bytes() / block_.size(), seed) {}
    std::uint64_t places() const { return places_.size(); }

    /// Time of the write and of the flush after it.
    Result<std::pair<double, double>> commit() {
        const std::uint64_t count = written_++;
        // Another content each time, so that nothing below can leave the write out as a repetition. The top
        // bit of every byte is set: no signature of a structure on disk consists of such bytes alone.
        for (std::size_t i = 0; i < block_.size(); ++i)
            block_[i] = static_cast<std::byte>(0x80U | ((mixed(count) >> (i % 8 * 8)) & 0x7fU));
        const auto write = device_.write_at(places_[count % places_.size()] * block_.size(), block_);
        if (!write) return write.error();
        const auto flush = device_.flush();
        if (!flush) return flush.error();
        return std::pair{seconds(*write), seconds(*flush)};
    }

 private:
    ScratchDevice& device_;
    std::vector<std::byte> block_;
    Permutation places_;
    std::uint64_t written_ = 0;
};

Result<Samples> take_samples(const ProbeContext& context, Committer& committer) {
    Clock& clock = context.scratch->clock();
    const auto begin = clock.now();
    Samples out;
    while (out.flush.size() < most_samples && clock.now() - begin < context.time &&
           !context.progress.cancelled()) {
        context.progress.at("write, then flush", seconds(clock.now() - begin), seconds(context.time));
        const auto times = committer.commit();
        if (!times) return times.error();
        if (out.warm_up.size() < warm_up) {
            out.warm_up.push_back(times->second);
            continue;
        }
        out.write.push_back(times->first);
        out.flush.push_back(times->second);
    }
    return out;
}

}  // namespace

Result<Measurement> measure_flush_latency(const ProbeContext& context) {
    constexpr std::string_view unit = "s";
    Committer committer(*context.scratch, context.seed);
    if (committer.places() < least_places)
        return Measurement::inconclusive(
            unit, fmt::format("too small: {}", human_size(context.scratch->size_bytes())));
    const auto samples = take_samples(context, committer);
    if (!samples && samples.error().kind == ErrorKind::unavailable)
        return Measurement::inconclusive(unit, samples.error().message);
    if (!samples) return samples.error();

    Measurement out;
    out.unit = unit;
    out.series = {{"write, then flush", samples->flush},
                  {"write, time of the write", samples->write},
                  {"warm-up, time of the flush", samples->warm_up}};
    out.samples = samples->flush.size();
    if (const auto centre = median(samples->flush)) out.value = *centre;
    out.spread = median_absolute_deviation(samples->flush);
    conclude(out, grade(samples->flush), *context.scratch, context.progress.cancelled());
    return out;
}

}  // namespace diskwright
