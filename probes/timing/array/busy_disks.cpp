// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/busy_disks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "probes/timing/array/line_fit.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t least_batches = 40, most_batches = 400;
constexpr double decided = 16;  // log of a likelihood ratio
constexpr double least_slope = 0.02;
constexpr unsigned drafts = 6;
// Logarithm of how many times as long it takes on a busy disk.
constexpr double most_extra = 2;
// A write that waits for what is read first takes so much of its disk while the reads go on.
constexpr double late = 0.4;

constexpr std::array patterns{WritePattern::nothing,        WritePattern::own,
                              WritePattern::own_and_next,   WritePattern::own_and_parity,
                              WritePattern::all_but_parity, WritePattern::all};

/// What goes on in a batch, and of which kind of request the last answer counts.
struct Mix {
    unsigned reads_before, writes, reads_after;
    bool writes_count;
};
// RAIDframe takes six requests at a time; what comes behind waits for whichever is done first.
constexpr Mix late_writes{3, 2, 9, true}, late_reads{0, 4, 2, false};

struct Trial {
    unsigned own = 0, parity = 0, victim = 0;  // columns
};

double log_work(WritePattern pattern, const Trial& trial, unsigned columns) {
    const bool own = trial.victim == trial.own, parity = trial.victim == trial.parity;
    double extra = 0;
    switch (pattern) {
        case WritePattern::nothing:
            break;
        case WritePattern::own:
            extra = own ? 1 : 0;
            break;
        case WritePattern::own_and_next:
            extra = own || trial.victim == (trial.own + 1) % columns ? 1 : 0;
            break;
        case WritePattern::own_and_parity:
            extra = own || parity ? 1 : 0;
            break;
        case WritePattern::all_but_parity:
            extra = own || parity ? late : 1;
            break;
        case WritePattern::all:
            extra = own ? late : 1;
            break;
    }
    return most_extra * extra;
}

class Watch {
 public:
    Watch(WriteArea& area, bool rotating, const Mix& mix) : area_(area), rotating_(rotating), mix_(mix) {
        fits_.fill(LineFit(least_slope));
    }
    BusyDisks find();

 private:
    bool possible(WritePattern pattern) const {
        return rotating_ ||
               (pattern != WritePattern::own_and_parity && pattern != WritePattern::all_but_parity);
    }
    Trial draft();
    bool measure(const Trial& trial);
    void rank();

    WriteArea& area_;
    bool rotating_;
    const Mix& mix_;
    std::array<LineFit, patterns.size()> fits_;
    std::size_t best_ = 0, second_ = 1;
    BusyDisks out_;
};

// A victim on which the two likeliest patterns differ.
Trial Watch::draft() {
    Random& random = area_.timer().random();
    const unsigned columns = area_.columns();
    Trial out;
    double widest = -1;
    for (unsigned i = 0; i < drafts; ++i) {
        Trial tried;
        tried.own = static_cast<unsigned>(random.below(columns));
        tried.parity = (tried.own + 1 + static_cast<unsigned>(random.below(columns - 1))) % columns;
        const std::array victims{tried.own, tried.parity, static_cast<unsigned>(random.below(columns))};
        tried.victim = victims[random.below(victims.size())];
        double apart = 0;
        if (out_.batches >= least_batches)
            apart = std::abs(fits_[best_].predicted(log_work(patterns[best_], tried, columns)) -
                             fits_[second_].predicted(log_work(patterns[second_], tried, columns)));
        if (apart <= widest) continue;
        widest = apart;
        out = tried;
    }
    return out;
}

bool Watch::measure(const Trial& trial) {
    std::vector<MixedRequest> requests;
    const auto read = [&](unsigned count) {
        for (unsigned i = 0; i < count; ++i) requests.push_back(area_.read_of(trial.victim));
    };
    read(mix_.reads_before);
    for (unsigned i = 0; i < mix_.writes; ++i) {
        const auto unit = area_.any_unit(trial.own, trial.parity);
        if (!unit) return !area_.timer().ended();
        requests.push_back(area_.write_to(*unit));
    }
    read(mix_.reads_after);
    const auto times = area_.timer().at_once(requests);
    if (!times) return false;
    ++out_.batches;
    double last = 1e-9;
    for (std::size_t i = 0; i < requests.size(); ++i)
        if (requests[i].write == mix_.writes_count) last = std::max(last, times->each[i]);
    for (std::size_t i = 0; i < patterns.size(); ++i)
        fits_[i].add(log_work(patterns[i], trial, area_.columns()), std::log(last));
    return true;
}

void Watch::rank() {
    double best = std::numeric_limits<double>::infinity(), second = best;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!possible(patterns[i])) continue;
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
    out_.lead = second - best;
    out_.pattern = patterns[best_];
}

BusyDisks Watch::find() {
    while (out_.batches < most_batches && !out_.decided) {
        if (!measure(draft())) break;
        rank();
        out_.decided = out_.batches >= least_batches && out_.lead > decided;
    }
    return out_;
}

}  // namespace

BusyDisks find_busy_disks(WriteArea& area, bool rotating) {
    const BusyDisks writes = Watch(area, rotating, late_writes).find();
    if (area.timer().ended() || (writes.decided && writes.pattern != WritePattern::nothing)) return writes;
    BusyDisks reads = Watch(area, rotating, late_reads).find();
    reads.batches += writes.batches;
    return reads;
}

}  // namespace diskwright
