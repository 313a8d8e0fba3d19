// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/unit_boundaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "probes/support/statistics.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t random_reads = 24;
constexpr std::size_t reads_at_a_time = 32;
constexpr unsigned pilot_walks = 6, walks_a_round = 24, most_rounds = 5;
constexpr std::uint64_t steps_in_unit = 64;  // about, as far as sectors allow
constexpr std::uint64_t longest_step = 32 * KiB;
// The first reads of a walk are not looked at; more of them where a mirror begins to read ahead on each of
// its copies in turn.
constexpr std::size_t few_unused = 1, more_unused = 4;
constexpr double usual_share = 0.7;  // of walks that are slow at their second read
constexpr double least_share = 0.2;  // of multiples that are slow
constexpr double least_counted = 4;
constexpr unsigned most_lengths = 3;
// A walk may be shorter than a unit, where the drive pauses in reading ahead.
constexpr std::uint64_t length_to_unit = 16;
// A read that needs the arm against one that reads on.
constexpr double slow_share = 0.3, least_contrast = 6;
constexpr double decided = 12;  // log of a likelihood ratio
constexpr double flash_s = 0.0012;

struct Walk {
    std::uint64_t start = 0, step = 0;
    std::size_t steps = 0;
    std::vector<std::size_t> slow;  // numbers of the slow ones

    std::uint64_t end() const { return start + step * steps; }
};

// x log(x / n), the term of a likelihood with its best share.
double term(double x, double n) {
    return x > 0 ? x * std::log(x / n) : 0;
}

struct Score {
    double likelihood = -std::numeric_limits<double>::infinity(), at_multiples = 0, elsewhere = 0;
};

std::uint64_t multiples_below(std::uint64_t end, std::uint64_t unit) {
    return (end + unit - 1) / unit;
}

// Of the multiples of `unit` being slow with one probability and all other steps with a lower one.
Score score(const std::vector<Walk>& walks, std::size_t unused, std::uint64_t unit) {
    double crossed = 0, crossed_slow = 0, steps = 0, slow = 0;
    for (const Walk& walk : walks) {
        const std::uint64_t from = walk.start + unused * walk.step;
        crossed += static_cast<double>(multiples_below(walk.end(), unit) - multiples_below(from, unit));
        steps += static_cast<double>(walk.steps - unused);
        for (const std::size_t index : walk.slow) {
            if (index < unused) continue;
            const std::uint64_t at = walk.start + index * walk.step;
            slow += 1;
            crossed_slow += multiples_below(at + walk.step, unit) > multiples_below(at, unit) ? 1 : 0;
        }
    }
    const double others = steps - crossed, others_slow = slow - crossed_slow;
    Score out;
    if (crossed < least_counted || others < least_counted) return out;
    out.at_multiples = crossed_slow / crossed;
    out.elsewhere = others_slow / others;
    if (out.at_multiples <= out.elsewhere) return out;
    out.likelihood = term(crossed_slow, crossed) + term(crossed - crossed_slow, crossed) +
                     term(others_slow, others) + term(others - others_slow, others);
    return out;
}

class Walker {
 public:
    Walker(ArrayTimer& timer, std::uint64_t first_byte) : timer_(timer), first_byte_(first_byte) {}

    UnitBoundaries find();

 private:
    bool measure_random();
    bool pilot();
    std::optional<std::uint64_t> first_slow(std::uint64_t start, std::uint64_t length);
    bool add_walk(std::uint64_t step, std::uint64_t length);
    bool choose(std::uint64_t most);

    ArrayTimer& timer_;
    std::uint64_t first_byte_;
    double slow_s_ = 0;
    std::vector<double> fast_;
    std::size_t unused_ = few_unused;
    std::uint64_t distance_ = 0;  // from a start to the first boundary behind it, at the most
    std::vector<Walk> walks_;
    UnitBoundaries out_;
};

bool Walker::measure_random() {
    const std::uint64_t length = std::max<std::uint64_t>(4 * KiB, timer_.sector_bytes());
    std::vector<ReadRequest> reads;
    for (std::size_t i = 0; i < random_reads; ++i)
        reads.push_back({timer_.any_place(length, length), length});
    const auto times = timer_.one_by_one(reads);
    if (!times) return false;
    out_.random_s = *median(*times);
    slow_s_ = slow_share * out_.random_s;
    return true;
}

// Steps that grow with the distance from the start; the distance to the end of the first slow one, 0 without
// one. Nothing when the probe has ended.
std::optional<std::uint64_t> Walker::first_slow(std::uint64_t start, std::uint64_t length) {
    const std::uint64_t sector = timer_.sector_bytes();
    std::vector<ReadRequest> reads;
    std::size_t unused = unused_;
    for (std::uint64_t at = 0; at + longest_step + sector <= length;) {
        reads.clear();
        while (reads.size() < reads_at_a_time && at + longest_step + sector <= length) {
            const std::uint64_t step = std::clamp(at / 16 / sector * sector, sector, longest_step + sector);
            reads.push_back({start + at, step});
            at += step;
        }
        const auto times = timer_.one_by_one(reads);
        if (!times) return std::nullopt;
        for (std::size_t i = unused; i < reads.size(); ++i) {
            if ((*times)[i] > slow_s_) return reads[i].offset + reads[i].length - start;
            fast_.push_back((*times)[i]);
        }
        unused = 0;
    }
    return 0;
}

bool Walker::pilot() {
    const std::uint64_t sector = timer_.sector_bytes();
    const std::uint64_t length = std::min(most_unit_bytes, timer_.size_bytes() / 4);
    unsigned at_once = 0;
    std::vector<std::uint64_t> distances;
    for (unsigned walk = 0; walk < pilot_walks; ++walk) {
        const auto distance = first_slow(timer_.any_place(sector, length), length);
        if (!distance) return false;
        distances.push_back(*distance);
        at_once += *distance == 2 * sector ? 1 : 0;
    }
    if (unused_ == few_unused && at_once > usual_share * pilot_walks) {
        unused_ = more_unused;
        return pilot();
    }
    // Not the farthest: of two members, a walk that missed the boundary finds no other.
    std::sort(distances.rbegin(), distances.rend());
    distance_ = distances[1];
    return true;
}

bool Walker::add_walk(std::uint64_t step, std::uint64_t length) {
    Walk walk;
    walk.step = step;
    const std::uint64_t count = std::max<std::uint64_t>(length / step, 8) + unused_;
    walk.start = timer_.any_place(step, count * step);
    std::vector<ReadRequest> reads;
    for (std::uint64_t i = 0; i < count; ++i) reads.push_back({walk.start + i * step, step});
    const auto times = timer_.one_by_one(reads);
    if (!times) return false;
    walk.start += first_byte_;
    walk.steps = times->size();
    for (std::size_t i = 0; i < walk.steps; ++i)
        if ((*times)[i] > slow_s_) walk.slow.push_back(i);
    walks_.push_back(std::move(walk));
    return true;
}

// Whether one unit up to `most` explains the walks so much better than any other that it is the one.
bool Walker::choose(std::uint64_t most) {
    const std::uint64_t sector = timer_.sector_bytes();
    Score best;
    std::uint64_t unit = 0;
    double second = -std::numeric_limits<double>::infinity();
    for (std::uint64_t tried = sector; tried <= most; tried += sector) {
        const Score found = score(walks_, unused_, tried);
        if (found.likelihood > best.likelihood) {
            second = best.likelihood;
            best = found;
            unit = tried;
        } else {
            second = std::max(second, found.likelihood);
        }
    }
    out_.lead = best.likelihood - second;
    out_.slow_at_multiples = best.at_multiples;
    out_.slow_elsewhere = best.elsewhere;
    if (unit == 0 || out_.lead < decided || best.at_multiples < least_share) return false;
    out_.unit_bytes = unit;
    return true;
}

UnitBoundaries Walker::find() {
    timer_.step("stripe unit");
    if (!measure_random()) return out_;
    if (!pilot()) return out_;
    const double fast_s = median(fast_).value_or(out_.random_s);
    if (out_.random_s < least_contrast * fast_s) {
        out_.reason =
            fmt::format("a place anywhere is read as fast as the next one ({:.0f} and {:.0f} us): {}",
                        out_.random_s * 1e6, fast_s * 1e6,
                        out_.random_s < flash_s ? "flash, or a cache" : "nothing reads ahead");
        return out_;
    }
    if (distance_ == 0) {
        out_.reason = fmt::format(
            "no boundary between members within {} of any place: one disk, a mirror, or "
            "a controller that reads ahead",
            human_size(most_unit_bytes));
        return out_;
    }
    const std::uint64_t sector = timer_.sector_bytes();
    std::uint64_t length = distance_;
    for (unsigned i = 0; i < most_lengths && !out_.unit_bytes; ++i, length *= 2) {
        const std::uint64_t step = std::clamp(length / steps_in_unit / sector * sector, sector,
                                              std::max<std::uint64_t>(4 * KiB, sector));
        walks_.clear();
        for (unsigned round = 0; round < most_rounds; ++round) {
            for (unsigned walk = 0; walk < walks_a_round; ++walk)
                if (!add_walk(step, length)) return out_;
            out_.walks += walks_a_round;
            if (choose(std::min(length_to_unit * length, most_unit_bytes))) break;
        }
    }
    if (!out_.unit_bytes)
        out_.reason = fmt::format("{} walks from random places show no regular boundaries", out_.walks);
    return out_;
}

}  // namespace

UnitBoundaries find_unit_boundaries(ArrayTimer& timer, std::uint64_t first_byte) {
    return Walker(timer, first_byte).find();
}

}  // namespace diskwright
