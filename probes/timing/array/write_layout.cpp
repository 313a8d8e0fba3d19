// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/write_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "probes/timing/array/busy_disks.hpp"
#include "probes/timing/array/line_fit.hpp"
#include "probes/timing/array/write_area.hpp"

namespace diskwright {
namespace {

constexpr double decided = 16;  // log of a likelihood ratio
constexpr unsigned drafts = 8;
// Within the part that is written drives sort the writes well.
constexpr double least_slope = 0.1;
// A write is answered by a cache when it takes so little of a read.
constexpr double cached_share = 0.25;

// Of a write that is made durable, in reads of the same part.
constexpr double least_parity_cost = 1.35;

/// How many writes a batch has, and how many batches at the least and most.
struct Effort {
    std::size_t writes;
    std::uint64_t least, most;
    bool flush;
};
constexpr Effort to_medium{6, 40, 500, false};
// As many as take a cache longer to write down than one read takes.
constexpr Effort to_cache{24, 30, 200, true};
using Units = std::vector<std::uint64_t>;

// Small writes with parity read the old data and the old parity first.
double log_writes(const LayoutCandidate& layout, const Units& units) {
    std::array<double, most_columns + 1> loads{};
    const double each = layout.level == RaidLevel::raid0 || layout.level == RaidLevel::raid10 ? 1 : 2;
    for (const std::uint64_t number : units) {
        const LayoutCandidate::Unit& unit = layout.unit(number);
        for (std::size_t i = 0; i < unit.copies.count; ++i) loads[unit.copies.at[i]] += each;
        for (std::size_t i = 0; i < unit.parity.count; ++i) loads[unit.parity.at[i]] += each;
    }
    return log_load({loads.data(), layout.columns});
}

class WriteTest {
 public:
    WriteTest(WriteArea& area, const std::vector<const LayoutCandidate*>& left, const Effort& effort)
        : area_(area), left_(left), effort_(effort), fits_(left.size(), LineFit(least_slope)) {}
    /// The one that explains the batches best; null when none stands out or the probe ended.
    const LayoutCandidate* find();
    std::uint64_t batches() const { return batches_; }
    double lead() const { return lead_; }
    double mean_s() const { return times_.mean(); }

 private:
    Units any_batch();
    Units draft();
    bool measure(const Units& units);
    void rank();

    WriteArea& area_;
    const std::vector<const LayoutCandidate*>& left_;
    const Effort& effort_;
    std::vector<LineFit> fits_;
    RunningMean times_;
    std::uint64_t batches_ = 0;
    std::size_t best_ = 0, second_ = 1;
    double lead_ = 0;
};

// Few or many, on some neighbouring columns, with their parity anywhere or on one.
Units WriteTest::any_batch() {
    Random& random = area_.timer().random();
    const unsigned columns = area_.columns();
    const unsigned first = static_cast<unsigned>(random.below(columns));
    const unsigned kinds = std::min(columns, 3U);
    const std::array<unsigned, 4> counts{1, 2, kinds, columns};
    const unsigned count = counts[random.below(counts.size())];
    const unsigned stride = count == 2 && columns > 3 && random.below(2) == 0 ? 2 : 1;
    std::optional<unsigned> parity;
    if (random.below(2) == 0) parity = static_cast<unsigned>(random.below(columns));
    const std::size_t writes = effort_.writes / (1 + random.below(3));
    Units out;
    for (unsigned i = 0; out.size() < writes && i < 2 * writes; ++i) {
        const auto unit = area_.any_unit((first + i % count * stride) % columns, parity);
        if (unit) out.push_back(*unit);
    }
    return out;
}

// The batch on which the two likeliest differ most.
Units WriteTest::draft() {
    Units chosen;
    double widest = -1;
    for (unsigned i = 0; i < drafts; ++i) {
        Units units = any_batch();
        if (units.size() < effort_.writes / 3) continue;
        double apart = 0;
        if (batches_ >= effort_.least / 2)
            apart = std::abs(fits_[best_].predicted(log_writes(*left_[best_], units)) -
                             fits_[second_].predicted(log_writes(*left_[second_], units)));
        if (apart <= widest) continue;
        widest = apart;
        chosen = std::move(units);
    }
    return chosen;
}

bool WriteTest::measure(const Units& units) {
    std::vector<MixedRequest> requests;
    for (const std::uint64_t unit : units) requests.push_back(area_.write_to(unit));
    const auto times = area_.timer().at_once(requests);
    if (!times) return false;
    double all = times->all;
    if (effort_.flush) all += area_.timer().flush().value_or(0);
    if (area_.timer().ended()) return false;
    ++batches_;
    times_.add(all);
    for (std::size_t i = 0; i < left_.size(); ++i)
        fits_[i].add(log_writes(*left_[i], units), std::log(std::max(all, 1e-9)));
    return true;
}

void WriteTest::rank() {
    double best = std::numeric_limits<double>::infinity(), second = best;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        const double bad = fits_[i].badness();
        if (bad < best) {
            second = best;
            second_ = best_;
            best = bad;
            best_ = i;
        } else if (bad < second) {
            second = bad;
            second_ = i;
        }
    }
    lead_ = second - best;
}

const LayoutCandidate* WriteTest::find() {
    while (batches_ < effort_.most) {
        if (!measure(draft())) return nullptr;
        rank();
        if (batches_ >= effort_.least && lead_ > decided) return left_[best_];
    }
    return nullptr;
}

const LayoutCandidate* of_level(const std::vector<const LayoutCandidate*>& left, RaidLevel level) {
    const auto at =
        std::find_if(left.begin(), left.end(), [&](const auto* one) { return one->level == level; });
    return at == left.end() ? nullptr : *at;
}

// Writes that a cache answers: whatever has to be read for parity would not let it.
void tell_by_flushes(WriteArea& area, const std::vector<const LayoutCandidate*>& left, double read_s,
                     WriteLayout& out) {
    WriteTest writes(area, left, to_cache);
    const LayoutCandidate* found = writes.find();
    out.batches += writes.batches();
    out.lead = writes.lead();
    const bool flushed = writes.mean_s() > read_s;
    if (found && flushed && found->redundancy() != "parity")
        out.found = found;
    else
        out.reason = "a cache answers the writes";
}

// Only the written disk is busy: whether all writes meet at a disk of parity besides.
void tell_by_spread(WriteArea& area, const std::vector<const LayoutCandidate*>& left, WriteLayout& out) {
    std::vector<const LayoutCandidate*> two;
    for (const LayoutCandidate* one : left)
        if (one->level == RaidLevel::raid0 || one->level == RaidLevel::raid4) two.push_back(one);
    WriteTest writes(area, two, to_medium);
    out.found = writes.find();
    out.batches += writes.batches();
    out.lead = std::min(out.lead, writes.lead());
    if (!out.found) out.reason = "batches of writes leave open whether they meet at a disk of parity";
}

void tell_by_busy_disks(WriteArea& area, const std::vector<const LayoutCandidate*>& left, WriteLayout& out) {
    const LayoutCandidate* rotating = of_level(left, RaidLevel::raid5);
    const BusyDisks busy = find_busy_disks(area, rotating != nullptr);
    out.batches += busy.batches;
    out.lead = busy.lead;
    if (area.timer().ended()) return;
    switch (busy.decided ? busy.pattern : WritePattern::nothing) {
        case WritePattern::own:
            tell_by_spread(area, left, out);
            break;
        case WritePattern::own_and_next:
            out.found = of_level(left, RaidLevel::raid10);
            break;
        case WritePattern::own_and_parity:
        case WritePattern::all_but_parity:
            out.found = rotating;
            break;
        case WritePattern::all:
            out.found = of_level(left, RaidLevel::raid4);
            if (area.columns() == 2) out.doubt = "far copies on two disks would look nearly alike";
            break;
        case WritePattern::nothing:
            out.reason =
                fmt::format("{} batches of writes leave open which disks they keep busy", out.batches);
    }
}

// With parity a write waits for what has to be read first.
void contradict(WriteLayout& out) {
    if (!out.found || out.found->redundancy() != "parity" || out.durable_cost > least_parity_cost) return;
    out.reason = fmt::format(
        "batches of writes look like parity, but one write takes only {:.1f} times as long as a read",
        out.durable_cost);
    out.found = nullptr;
}

}  // namespace

WriteLayout find_write_layout(ArrayTimer& timer, const UnitPlaces& places,
                              const std::vector<const LayoutCandidate*>& left, std::uint64_t unit_bytes) {
    WriteLayout out;
    timer.step("what a small write costs");
    const LayoutCandidate* plain = of_level(left, RaidLevel::raid0);
    WriteArea area(timer, places, plain->columns, of_level(left, RaidLevel::raid5), unit_bytes);
    if (!timer.begin_writing() || !area.prepare(out.reason)) return out;
    const auto single = area.time_of_singles();
    if (!single) return out;
    out.cached = single->write_s < cached_share * single->read_s;
    out.durable_cost = single->durable_s / single->read_s;

    if (out.cached)
        tell_by_flushes(area, left, single->read_s, out);
    else
        tell_by_busy_disks(area, left, out);
    contradict(out);
    return out;
}

}  // namespace diskwright
