// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/write_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/array/line_fit.hpp"

namespace diskwright {
namespace {

// RAIDframe takes six requests at a time; what comes behind waits for whichever is done first.
constexpr unsigned writes_in_batch = 4, reads_in_batch = 2;
constexpr std::uint64_t least_batches = 40, most_batches = 700, most_spreads = 300, least_spreads = 12;
constexpr double decided = 16;  // log of a likelihood ratio
constexpr double sure = 4.5;    // standard errors
constexpr double cached_share = 0.25;
constexpr std::uint64_t warm_bytes = 16 * MiB;         // of each disk, between writes that warm up
constexpr std::uint64_t window_bytes = 256 * MiB;      // of each disk: more than its cache
constexpr std::uint64_t periods_in_window = 8;
constexpr double longest_warm_up = 0.2;                // of the time
// A write takes this much of its disk that comes late: it waits for what is read first.
constexpr double late = 0.4;
// More than the writes that a drive keeps until it has nothing else to do.
constexpr unsigned many_writes = 512;
constexpr unsigned most_floods = 4;

// Which disks of a row are busy with a small write to it.
enum class Pattern { nothing, own, own_and_next, own_and_parity, all_but_parity, all };
constexpr std::array patterns{Pattern::nothing,        Pattern::own,            Pattern::own_and_next,
                              Pattern::own_and_parity, Pattern::all_but_parity, Pattern::all};

struct Trial {
    unsigned own = 0, parity = 0, victim = 0;  // columns
};

double extra_load(Pattern pattern, const Trial& trial, unsigned columns) {
    const bool own = trial.victim == trial.own, parity = trial.victim == trial.parity;
    switch (pattern) {
        case Pattern::nothing:
            return 0;
        case Pattern::own:
            return own ? 1 : 0;
        case Pattern::own_and_next:
            return own || trial.victim == (trial.own + 1) % columns ? 1 : 0;
        case Pattern::own_and_parity:  // read both, write both
            return own || parity ? 1 + late : 0;
        case Pattern::all_but_parity:  // read the others, write own and parity
            return own || parity ? late : 1;
        case Pattern::all:
            return own ? late : 1;
    }
    return 0;
}

double log_work(Pattern pattern, const Trial& trial, unsigned columns) {
    return std::log(reads_in_batch + writes_in_batch * extra_load(pattern, trial, columns));
}

class WriteTest {
 public:
    WriteTest(ArrayTimer& timer, UnitPlaces& places, const std::vector<const LayoutCandidate*>& left,
              std::uint64_t unit_bytes);
    WriteLayout find();

 private:
    const LayoutCandidate* member(RaidLevel level) const;
    bool possible(Pattern pattern) const;
    bool make_window();
    bool warm_up();
    std::optional<double> time_of_one(bool write);
    bool measure_late_reads();
    bool add_trial();
    void draft(Trial& trial);
    std::optional<double> time_of_writes(bool spread, unsigned count);
    void decide_by_spread();
    bool flood_tells();

    ArrayTimer& timer_;
    UnitPlaces& places_;
    UnitPlaces window_;
    const std::vector<const LayoutCandidate*>& left_;
    std::uint64_t unit_bytes_;
    unsigned columns_;
    const LayoutCandidate* rotating_;  // parity that moves from row to row
    std::array<LineFit, patterns.size()> fits_;
    Pattern best_ = Pattern::nothing, second_ = Pattern::own;
    double read_s_ = 0, write_s_ = 0;
    WriteLayout out_;
};

WriteTest::WriteTest(ArrayTimer& timer, UnitPlaces& places, const std::vector<const LayoutCandidate*>& left,
                     std::uint64_t unit_bytes)
    : timer_(timer), places_(places), window_(places), left_(left), unit_bytes_(unit_bytes), columns_(0) {
    const LayoutCandidate* plain = member(RaidLevel::raid0);
    columns_ = plain ? plain->columns : 0;
    rotating_ = member(RaidLevel::raid5);
    fits_.fill(LineFit(0.05));
}

const LayoutCandidate* WriteTest::member(RaidLevel level) const {
    const auto at = std::find_if(left_.begin(), left_.end(),
                                 [&](const LayoutCandidate* one) { return one->level == level; });
    return at == left_.end() ? nullptr : *at;
}

bool WriteTest::possible(Pattern pattern) const {
    switch (pattern) {
        case Pattern::own_and_next:
            return member(RaidLevel::raid10) != nullptr;
        case Pattern::own_and_parity:
        case Pattern::all_but_parity:
            return rotating_ != nullptr;
        case Pattern::all:
            return member(RaidLevel::raid4) != nullptr;
        default:
            return true;
    }
}

// Writes go to one part of the area only: sets note on their components where they may be written, which
// would cost more than the writes.
bool WriteTest::make_window() {
    const std::uint64_t period = rotating_ ? rotating_->units.size() : columns_;
    const std::uint64_t wanted =
        std::max(window_bytes / unit_bytes_ * columns_, periods_in_window * period) / period * period;
    if (places_.count() / 2 < wanted) {
        out_.reason = fmt::format("the scratch area is too small: {} are needed",
                                  human_size(2 * (wanted + period) * unit_bytes_));
        return false;
    }
    const std::uint64_t first = places_.first() + timer_.random().below(places_.count() - wanted + 1);
    window_ = places_.part(first, wanted);
    return true;
}

bool WriteTest::warm_up() {
    const std::uint64_t step = std::max<std::uint64_t>(warm_bytes / unit_bytes_, 1) * columns_;
    for (std::uint64_t at = 0; at < window_.count(); at += step) {
        const ReadRequest place = places_.any_read(window_.first() + at);
        const MixedRequest write{place.offset, place.length, true};
        if (!timer_.at_once(std::span(&write, 1))) return false;
        if (timer_.spent() > longest_warm_up) break;
    }
    return true;
}

std::optional<double> WriteTest::time_of_one(bool write) {
    std::vector<double> times;
    for (int i = 0; i < 16; ++i) {
        const ReadRequest place = places_.any_read(write ? window_.any_unit() : places_.any_unit());
        const MixedRequest request{place.offset, place.length, write};
        const auto time = timer_.at_once(std::span(&request, 1));
        if (!time) return std::nullopt;
        times.push_back(time->all);
    }
    return median(times);
}

// A victim on which the two likeliest patterns differ.
void WriteTest::draft(Trial& trial) {
    double widest = -1;
    for (int i = 0; i < 6; ++i) {
        Trial tried;
        tried.own = static_cast<unsigned>(timer_.random().below(columns_));
        tried.parity = (tried.own + 1 + static_cast<unsigned>(timer_.random().below(columns_ - 1))) % columns_;
        tried.victim = timer_.random().below(3) == 0   ? tried.own
                       : timer_.random().below(2) == 0 ? tried.parity
                                                       : static_cast<unsigned>(timer_.random().below(columns_));
        const double apart =
            out_.batches < least_batches
                ? 0
                : std::abs(fits_[static_cast<std::size_t>(best_)].predicted(log_work(best_, tried, columns_)) -
                           fits_[static_cast<std::size_t>(second_)].predicted(
                               log_work(second_, tried, columns_)));
        if (apart <= widest) continue;
        widest = apart;
        trial = tried;
    }
}

bool WriteTest::add_trial() {
    Trial trial;
    draft(trial);
    // Units of that disk whose parity, if it moved from row to row, would be on that other disk.
    std::vector<std::uint64_t> residues;
    const std::uint64_t period = rotating_ ? rotating_->units.size() : columns_;
    for (std::uint64_t i = 0; i < period; ++i)
        if (!rotating_ || (rotating_->units[i].copies.at[0] == trial.own &&
                           rotating_->units[i].parity.at[0] == trial.parity))
            if (rotating_ || i % columns_ == trial.own) residues.push_back(i);
    if (residues.empty()) return true;
    std::vector<MixedRequest> requests;
    for (unsigned i = 0; i < writes_in_batch; ++i) {
        const ReadRequest place = places_.any_read(
            window_.any_unit(residues[timer_.random().below(residues.size())], period));
        requests.push_back({place.offset, place.length, true});
    }
    for (unsigned i = 0; i < reads_in_batch; ++i) {
        const ReadRequest place = places_.any_read(places_.any_unit(trial.victim, columns_));
        requests.push_back({place.offset, place.length, false});
    }
    const auto times = timer_.at_once(requests);
    if (!times) return false;
    ++out_.batches;
    double last = 1e-9;
    for (unsigned i = writes_in_batch; i < requests.size(); ++i) last = std::max(last, times->each[i]);
    for (std::size_t i = 0; i < patterns.size(); ++i)
        fits_[i].add(log_work(patterns[i], trial, columns_), std::log(last));
    return true;
}

bool WriteTest::measure_late_reads() {
    while (out_.batches < most_batches) {
        if (!add_trial()) return false;
        double best = std::numeric_limits<double>::infinity(), second = best;
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            if (!possible(patterns[i])) continue;
            const double bad = fits_[i].badness();
            if (bad < best) {
                second = best;
                second_ = best_;
                best = bad;
                best_ = patterns[i];
            } else if (bad < second) {
                second = bad;
                second_ = patterns[i];
            }
        }
        out_.lead = second - best;
        if (out_.batches >= least_batches && out_.lead > decided) break;
    }
    return true;
}

std::optional<double> WriteTest::time_of_writes(bool spread, unsigned count) {
    std::vector<MixedRequest> requests;
    const std::uint64_t own = timer_.random().below(columns_);
    for (unsigned i = 0; i < count; ++i) {
        const std::uint64_t column = spread ? (own + i) % columns_ : own;
        const ReadRequest place = places_.any_read(window_.any_unit(column, columns_));
        requests.push_back({place.offset, place.length, true});
    }
    const auto times = timer_.at_once(requests);
    if (!times) return std::nullopt;
    double all = times->all;
    if (out_.cached) all += timer_.flush().value_or(0);
    return timer_.ended() ? std::nullopt : std::optional(all);
}

// Whether more writes than a drive keeps are slower on one disk than on all.
bool WriteTest::flood_tells() {
    RunningMean ratio;
    while (ratio.count() < most_floods) {
        const auto one = time_of_writes(false, many_writes);
        const auto spread = time_of_writes(true, many_writes);
        if (!one || !spread) return false;
        ratio.add(std::log(std::max(*spread, 1e-9) / std::max(*one, 1e-9)));
    }
    out_.spread_ratio = std::exp(ratio.mean());
    return ratio.mean() < -0.35 && ratio.clear_of(-0.35, sure);
}

void WriteTest::decide_by_spread() {
    const LayoutCandidate* plain = member(RaidLevel::raid0);
    const LayoutCandidate* parity = member(RaidLevel::raid4);
    constexpr double between = -0.27;
    RunningMean ratio, one_s;
    while (ratio.count() < most_spreads) {
        const auto one = time_of_writes(false, writes_in_batch), spread = time_of_writes(true, writes_in_batch);
        if (!one || !spread) return;
        out_.batches += 2;
        one_s.add(*one);
        ratio.add(std::log(std::max(*spread, 1e-9) / std::max(*one, 1e-9)));
        out_.spread_ratio = std::exp(ratio.mean());
        if (ratio.count() < least_spreads) continue;
        if (out_.cached && one_s.mean() < read_s_) {
            if (flood_tells())
                out_.found = plain;
            else
                out_.reason = "a cache answers the writes, and flushes do not empty it";
            return;
        }
        if (ratio.clear_of(between, sure)) {
            out_.found = ratio.mean() < between ? plain : parity;
            return;
        }
    }
    out_.reason = "writes to one disk and to all take about as long: no telling whether they meet at one of parity";
}

WriteLayout WriteTest::find() {
    timer_.step("what a small write costs");
    if (columns_ < 2) {
        out_.reason = "one disk answers all reads";
        return out_;
    }
    if (!make_window() || !timer_.begin_writing() || !warm_up()) return out_;
    const auto read_s = time_of_one(false), write_s = time_of_one(true);
    if (!read_s || !write_s) return out_;
    read_s_ = *read_s;
    write_s_ = *write_s;
    out_.cached = write_s_ < cached_share * read_s_;
    if (!measure_late_reads()) return out_;
    if (out_.lead <= decided || best_ == Pattern::nothing) {
        out_.reason = out_.cached ? "a cache answers the writes: reads beside them are not late"
                                  : fmt::format("{} batches of writes leave open which disks they keep busy",
                                                out_.batches);
        return out_;
    }
    switch (best_) {
        case Pattern::own_and_next:
            out_.found = member(RaidLevel::raid10);
            break;
        case Pattern::own_and_parity:
        case Pattern::all_but_parity:
            out_.found = rotating_;
            break;
        case Pattern::all:
            out_.found = member(RaidLevel::raid4);
            break;
        default:
            decide_by_spread();
    }
    return out_;
}

}  // namespace

WriteLayout find_write_layout(ArrayTimer& timer, UnitPlaces& places,
                              const std::vector<const LayoutCandidate*>& left, std::uint64_t unit_bytes) {
    return WriteTest(timer, places, left, unit_bytes).find();
}

}  // namespace diskwright
