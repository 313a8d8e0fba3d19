// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/read_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "probes/support/text.hpp"
#include "probes/timing/array/line_fit.hpp"

namespace diskwright {
namespace {

constexpr std::size_t batch_of_arms = 8, batch_of_flash = 48;
constexpr double flash_s = 0.0012;
constexpr std::uint64_t least_batches = 40, most_batches = 1200;
constexpr unsigned drafts = 12;
constexpr double decided = 20;  // log of a likelihood ratio
constexpr double least_explained = 0.2;

using Units = std::vector<std::uint64_t>;

// Log of the load of the reads of these units; copies share them.
double predicted(const LayoutCandidate& layout, const Units& units) {
    std::array<double, most_columns + 1> loads{};
    for (const std::uint64_t unit : units) {
        const auto& copies = layout.unit(unit).copies;
        std::size_t at = copies.at[0];
        if (copies.count > 1 && loads[copies.at[1]] < loads[at]) at = copies.at[1];
        loads[at] += 1;
    }
    return log_load({loads.data(), layout.columns});
}

struct Candidate {
    const LayoutCandidate* layout;
    std::size_t group;  // those of one group are not to be told apart
};
using Candidates = std::vector<Candidate>;

class Search {
 public:
    Search(ArrayTimer& timer, UnitPlaces& places, std::size_t batch, Candidates candidates)
        : timer_(timer),
          places_(places),
          batch_(batch),
          candidates_(std::move(candidates)),
          fits_(candidates_.size()) {}
    /// The one that explains the batches best; null when the probe ended, or none stands out.
    const Candidate* find();

    std::uint64_t batches() const { return batches_; }
    double lead() const { return lead_; }
    double deviation() const { return std::sqrt(fits_[best_].residual() / static_cast<double>(batches_)); }
    double explained() const {
        const LineFit& fit = fits_[best_];
        return fit.variation() > 0 ? 1 - fit.residual() / fit.variation() : 0;
    }

 private:
    void rank();
    void add_of_column(const LayoutCandidate& layout, std::size_t count, Units& out);
    Units gathered(const LayoutCandidate& layout);
    Units draft();
    bool measure(const Units& units);

    ArrayTimer& timer_;
    UnitPlaces& places_;
    std::size_t batch_;
    Candidates candidates_;
    std::vector<LineFit> fits_;
    std::uint64_t batches_ = 0;
    std::size_t best_ = 0, second_ = 1;
    double lead_ = 0;
};

void Search::rank() {
    std::vector<double> bad(fits_.size());
    for (std::size_t i = 0; i < bad.size(); ++i) bad[i] = fits_[i].badness();
    best_ = static_cast<std::size_t>(std::min_element(bad.begin(), bad.end()) - bad.begin());
    double second = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < bad.size(); ++i) {
        if (candidates_[i].group == candidates_[best_].group || bad[i] >= second) continue;
        second = bad[i];
        second_ = i;
    }
    lead_ = second - bad[best_];
}

void Search::add_of_column(const LayoutCandidate& layout, std::size_t count, Units& out) {
    const std::uint64_t period = layout.units.size();
    const std::uint8_t column = layout.units[timer_.random().below(period)].copies.at[0];
    Units residues;
    for (std::uint64_t i = 0; i < period; ++i)
        if (layout.units[i].copies.at[0] == column) residues.push_back(i);
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(places_.any_unit(residues[timer_.random().below(residues.size())], period));
}

// Units that under this layout share one disk, that lie on two, or on any.
Units Search::gathered(const LayoutCandidate& layout) {
    Units out;
    switch (timer_.random().below(5)) {
        case 0:
            add_of_column(layout, batch_ / 2, out);
            add_of_column(layout, batch_ / 2, out);
            break;
        case 1:
            while (out.size() < batch_) out.push_back(places_.any_unit());
            break;
        default:
            add_of_column(layout, batch_, out);
    }
    return out;
}

// The batch on which the two likeliest differ most.
Units Search::draft() {
    Units chosen;
    double widest = -1;
    for (unsigned i = 0; i < drafts; ++i) {
        Units units = gathered(*candidates_[i % 2 == 0 ? best_ : second_].layout);
        const double apart =
            std::abs(fits_[best_].predicted(predicted(*candidates_[best_].layout, units)) -
                     fits_[second_].predicted(predicted(*candidates_[second_].layout, units)));
        if (apart <= widest) continue;
        widest = apart;
        chosen = std::move(units);
    }
    return chosen;
}

bool Search::measure(const Units& units) {
    std::vector<ReadRequest> reads;
    for (const std::uint64_t unit : units) reads.push_back(places_.any_read(unit));
    const auto times = timer_.at_once(reads);
    if (!times) return false;
    ++batches_;
    const double y = std::log(std::max(times->all, 1e-9));
    for (std::size_t i = 0; i < fits_.size(); ++i) fits_[i].add(predicted(*candidates_[i].layout, units), y);
    return true;
}

const Candidate* Search::find() {
    if (candidates_.size() == 1) return &candidates_.front();
    timer_.random().shuffle(candidates_);
    while (batches_ < most_batches) {
        // The first ones for whichever: nothing is likely yet.
        const Units units =
            batches_ < least_batches ? gathered(*candidates_[batches_ % candidates_.size()].layout) : draft();
        if (!measure(units)) return nullptr;
        rank();
        if (batches_ > least_batches && lead_ > decided) return &candidates_[best_];
    }
    return nullptr;
}

// Two reads of units in one column against two in two columns: whether a column has two disks that answer.
// The logarithm of the ratio of the times, which is about 0.4 for one disk and 0 for two.
class PairTest {
 public:
    PairTest(ArrayTimer& timer, UnitPlaces& places, unsigned columns)
        : timer_(timer), places_(places), columns_(columns) {}
    /// Nothing when the probe ended, or it stays open.
    std::optional<bool> shares();
    double ratio() const { return std::exp(difference_.mean()); }

 private:
    std::optional<double> log_time(std::uint64_t first, std::uint64_t second);

    ArrayTimer& timer_;
    UnitPlaces& places_;
    unsigned columns_;
    RunningMean difference_;  // of the logarithms
};

std::optional<double> PairTest::log_time(std::uint64_t first, std::uint64_t second) {
    const std::array<ReadRequest, 2> reads{places_.any_read(places_.any_unit(first, columns_)),
                                           places_.any_read(places_.any_unit(second, columns_))};
    const auto times = timer_.at_once(reads);
    if (!times) return std::nullopt;
    return std::log(std::max(times->all, 1e-9));
}

std::optional<bool> PairTest::shares() {
    constexpr double between = 0.2, sure = 4.5;
    constexpr std::uint64_t least = 40, most = 1500;
    while (difference_.count() < most) {
        const std::uint64_t column = timer_.random().below(columns_);
        const std::uint64_t other = (column + 1 + timer_.random().below(columns_ - 1)) % columns_;
        const auto together = log_time(column, column), apart = log_time(column, other);
        if (!together || !apart) return std::nullopt;
        difference_.add(*together - *apart);
        if (difference_.count() >= least && difference_.clear_of(between, sure))
            return difference_.mean() < between;
    }
    return std::nullopt;
}

}  // namespace

UnitPlaces::UnitPlaces(ArrayTimer& timer, std::uint64_t unit_bytes, std::uint64_t first_byte,
                       std::uint64_t size_bytes)
    : timer_(&timer), unit_bytes_(unit_bytes), first_byte_(first_byte) {
    const std::uint64_t end = (first_byte + size_bytes) / unit_bytes;
    first_ = (first_byte + unit_bytes - 1) / unit_bytes;
    count_ = end > first_ ? end - first_ : 0;
    const std::uint64_t sector = timer.sector_bytes();
    length_ = std::min(std::max<std::uint64_t>(4 * KiB, sector), unit_bytes / sector * sector);
}

UnitPlaces UnitPlaces::part(std::uint64_t first, std::uint64_t count) const {
    UnitPlaces out = *this;
    out.first_ = first;
    out.count_ = count;
    return out;
}

std::uint64_t UnitPlaces::any_unit() {
    return first_ + timer_->random().below(count_);
}

std::uint64_t UnitPlaces::any_unit(std::uint64_t residue, std::uint64_t period) {
    const std::uint64_t from = (residue + period - first_ % period) % period;
    const std::uint64_t periods = (count_ - from - 1) / period + 1;
    return first_ + from + timer_->random().below(periods) * period;
}

ReadRequest UnitPlaces::any_read(std::uint64_t unit) {
    const std::uint64_t sector = timer_->sector_bytes();
    const std::uint64_t grain = unit_bytes_ % length_ == 0 ? length_ : sector;
    const std::uint64_t at = timer_->random().below((unit_bytes_ - length_) / grain + 1) * grain;
    return {unit * unit_bytes_ - first_byte_ + at, length_};
}

ReadLayout find_read_layout(ArrayTimer& timer, UnitPlaces& places, double random_s) {
    timer.step("disks behind the units");
    const std::size_t batch = random_s < flash_s ? batch_of_flash : batch_of_arms;
    ReadLayout out;
    Candidates candidates;
    for (std::size_t i = 0; i < layout_classes().size(); ++i)
        for (const LayoutCandidate& member : layout_classes()[i].members) {
            const bool alike = &member != &layout_classes()[i].members.front() && !member.shares_reads();
            if (!alike && member.units.size() * batch <= places.count()) candidates.push_back({&member, i});
        }
    if (candidates.size() < 2) {
        out.reason = "too small for its stripe unit";
        return out;
    }
    Search search(timer, places, batch, std::move(candidates));
    const Candidate* found = search.find();
    out.batches = search.batches();
    out.lead = search.lead();
    out.explained = search.explained();
    out.deviation = search.deviation();
    if (timer.ended()) return out;
    if (!found || out.explained < least_explained) {
        out.reason =
            fmt::format("{} batches of concurrent reads {}", out.batches,
                        found ? "took times that no known layout explains" : "do not tell two layouts apart");
        return out;
    }
    const auto& members = layout_classes()[found->group].members;
    if (members.size() == 1) {
        out.left = {found->layout};
        return out;
    }
    PairTest pairs(timer, places, members.front().columns);
    const auto shares = pairs.shares();
    out.pair_ratio = pairs.ratio();
    if (timer.ended()) return out;
    if (!shares) {
        out.reason = "concurrent reads do not tell a mirror from a single disk";
        return out;
    }
    Candidates left;
    for (const LayoutCandidate& member : members)
        if (member.shares_reads() == *shares) left.push_back({&member, left.size()});
    if (*shares && left.size() > 1) {
        Search mirrors(timer, places, batch, left);
        const Candidate* mirror = mirrors.find();
        out.batches += mirrors.batches();
        if (timer.ended()) return out;
        left = mirror ? Candidates{*mirror} : Candidates{};
        if (!mirror) out.reason = "concurrent reads do not tell how a mirror's copies lie";
    }
    if (left.empty() && out.reason.empty()) out.reason = "a mirror of no known layout";
    for (const Candidate& one : left) out.left.push_back(one.layout);
    return out;
}

}  // namespace diskwright
