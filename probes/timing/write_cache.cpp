// SPDX-License-Identifier: BSD-2-Clause
// Question: where a write is when the device says it is done - in a cache that loses it with the power, in one
// that keeps it, on the medium - and whether a flush moves it there; and what the cache is worth.
// Method: small writes at random places, each followed by a flush and that by another one, beside random
// reads. A read tells what the medium takes; a write that takes much less went to a cache, a flush that takes
// much longer than the empty one after it brought it to the medium. A device whose writes and flushes both
// return at once keeps its cache alive or ignores the flush: then what it says of itself decides, for a drive
// that says its cache is volatile and yet flushes in no time cannot have done it. Writes and fsync(2) in turns
// as in pg_test_fsync and diskchecker.pl, which pulls the plug to be sure.
// Cost: the time given; the scratch area is overwritten.
// Cannot tell: what only pulling the plug shows. A controller that reports a volatile cache and has a battery
// looks like one that ignores flushes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/committed_writes.hpp"
#include "probes/timing/estimates.hpp"
#include "probes/timing/grading.hpp"
#include "probes/timing/places.hpp"
#include "probes/timing/write_cache.hpp"

namespace diskwright {
namespace {

constexpr std::size_t least_samples = 12, most_samples = 400;
constexpr double mechanical_s = 0.002;  // what no flash needs for a read, and every arm and turn does
constexpr double at_once = 0.25, as_long = 0.5;

struct Samples {
    std::vector<double> read, write, flush, empty;
};

std::optional<Error> take(const ProbeContext& context, Samples& out, std::string& no_flush) {
    ScratchDevice& device = *context.scratch;
    if (auto refusal = device.begin_step()) return refusal;
    const std::uint64_t length = std::max<std::uint64_t>(4 * KiB, device.logical_sector_bytes());
    const Permutation order(device.size_bytes() / length, context.seed + 3);
    Committer committer(device);
    const TimeLeft left(context, context.time);
    for (std::uint64_t i = 0; out.write.size() < most_samples && left.any("writes and flushes"); ++i) {
        const ReadRequest there{order[2 * i % order.size()] * length, length};
        const auto read = timed_reads(device, std::span(&there, 1));
        if (!read) return read.error();
        const auto commit = committer.commit(order[(2 * i + 1) % order.size()] * length, length);
        if (!commit) return commit.error();
        no_flush = committer.no_flush();
        if (!no_flush.empty()) return std::nullopt;
        const auto again = device.flush();
        if (!again) return again.error();
        // The first of a drive is all start-up.
        if (commit->after_check || i == 0) continue;
        out.read.push_back(read->front());
        out.write.push_back(commit->write);
        out.flush.push_back(commit->flush);
        out.empty.push_back(seconds(*again));
    }
    return std::nullopt;
}

CacheVerdict verdict(std::string_view word, Confidence confidence, std::string reason = {}) {
    return {word, {confidence, std::move(reason)}};
}

CacheVerdict no_verdict(std::string why) {
    return {"", {Confidence::inconclusive, std::move(why)}};
}

// Both return at once: only what the device says of its cache is left.
CacheVerdict by_report(const CacheTimes& t, std::optional<bool> volatile_cache, bool mechanical) {
    const std::string times = fmt::format("a write and its flush take {:.3f} ms, a read {:.3f} ms",
                                          (t.write_s + t.flush_s) * 1e3, t.read_s * 1e3);
    if (!volatile_cache)
        return no_verdict(times + ": a protected cache, or one that ignores flushes; the device does not say");
    if (!*volatile_cache)
        return verdict("protected", Confidence::medium, times + ", and it reports no volatile cache");
    if (mechanical)
        return verdict("ignores-flush", Confidence::medium,
                       times + ", and it reports a volatile cache: the data cannot be on the medium");
    return verdict("ignores-flush", Confidence::low,
                   times + ", and it reports a volatile cache; or it is protected and does not say so");
}

}  // namespace

CacheVerdict judge_cache(const CacheTimes& t, std::optional<bool> volatile_cache) {
    const bool mechanical = t.read_s > mechanical_s;
    const double work_s = t.flush_s - t.empty_s;  // of a flush that has something to do
    if (mechanical) {
        const bool cached = t.write_s < at_once * t.read_s, flushed = work_s > at_once * t.read_s;
        if (cached && flushed) return verdict("volatile", Confidence::high);
        if (cached && work_s < 0.1 * t.read_s) return by_report(t, volatile_cache, true);
        if (t.write_s > as_long * t.read_s && !flushed) return verdict("none", Confidence::high);
        return no_verdict("a write takes neither as long as one on the medium nor as short as one in a cache");
    }
    // A flash page takes longer to write than to read.
    const bool flushed = t.flush_s > 2 * t.empty_s && work_s > as_long * t.read_s;
    if (flushed && t.write_s < 2 * t.flush_s) return verdict("volatile", Confidence::high);
    if (work_s > at_once * t.read_s)
        return no_verdict("a flush takes a little longer after a write, not as long as writing flash does");
    if (t.write_s > 1.5 * t.read_s) return verdict("none", Confidence::medium, "a write takes as long as flash");
    if (t.write_s < as_long * t.read_s) return by_report(t, volatile_cache, false);
    return no_verdict("a write takes about as long as a read: in a cache or on flash");
}

ProbeOutcome measure_write_cache(const ProbeContext& context) {
    ProbeOutcome out{Measurement::inconclusive("", "")};
    Measurement& effect = out.also["write_cache_effect"];
    effect = Measurement::inconclusive("ratio", "");
    const auto nothing = [&](const std::string& why) {
        out.measured.reason = effect.reason = why;
        return out;
    };
    if (context.scratch->size_bytes() < MiB)
        return nothing("too small: " + human_size(context.scratch->size_bytes()));
    Samples samples;
    std::string no_flush;
    out.failure = take(context, samples, no_flush);
    if (!no_flush.empty()) return nothing(no_flush);
    out.measured.samples = effect.samples = samples.write.size();
    if (samples.write.size() < least_samples)
        return nothing(out.failure ? out.failure->message
                                   : fmt::format("too few samples: {}", samples.write.size()));
    const CacheTimes times{*median(samples.read), *median(samples.write), *median(samples.flush),
                           *median(samples.empty)};
    auto judged = judge_cache(times, context.scratch->reported().volatile_cache);
    if (!judged.word.empty()) out.measured.value = std::string(judged.word);
    const Ending ending{context.progress.cancelled(), out.failure};
    conclude(out.measured, std::move(judged.sure), *context.scratch, ending);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < samples.write.size(); ++i)
        ratios.push_back((samples.write[i] + samples.flush[i]) / samples.write[i]);
    effect.value = *median(ratios);
    effect.spread = median_absolute_deviation(ratios);
    conclude(effect, grade(ratios), *context.scratch, ending);
    out.measured.series = {{"read, s", std::move(samples.read)},
                           {"write, s", std::move(samples.write)},
                           {"flush after it, s", std::move(samples.flush)},
                           {"flush after that, s", std::move(samples.empty)}};
    return out;
}

}  // namespace diskwright
