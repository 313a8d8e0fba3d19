// SPDX-License-Identifier: BSD-2-Clause
// The default method: a Gaussian process over what was measured, and the next trial where the expected
// improvement on the best so far is largest (Jones, Schonlau, Welch: "Efficient Global Optimization of
// Expensive Black-Box Functions", 1998).
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <span>
#include <utility>

#include "tuner/optimizers/gaussian_process.hpp"
#include "tuner/optimizers/optimizers.hpp"
#include "tuner/optimizers/shuffled_points.hpp"

namespace diskwright {
namespace {

constexpr std::size_t first_trials = 3;  // valid ones, far from each other, before the model is asked
// Numbers kept of all candidates together, 8 bytes each.
constexpr std::size_t max_row_numbers = 20'000'000, min_window = 1000;
// The usual length scale is right where knobs act alike over their whole range; a narrow valley needs a
// shorter one, which a few trials cannot tell from chance.
constexpr std::array length_scales{0.1, 0.2, 0.35, GaussianProcess::usual_length_scale, 1.4};
constexpr std::size_t first_choice = 16;
constexpr double clearly_likelier = 4;  // in evidence
// Where nearly everything is invalid, one more such point tells nothing that is worth a look at all others.
constexpr std::size_t max_invalid_noted = 1000;
// Candidates this near to each other in merit are equal, so that the last digit of exp(3) on some platform
// does not decide: the seed's order does.
constexpr double tie = 1e-9;

double expected_improvement(double best, const GaussianProcess::Prediction& at) {
    const double z = (best - at.mean) / at.deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
    return at.deviation * (z * below + density);
}

struct Candidate {
    Point point;
    std::vector<double> row{};                // whitened covariances with the observations
    double closest = 0;                       // covariance with the nearest point proposed so far
    double near_valid = 0, near_invalid = 0;  // sums of closeness to what was valid and what was not
};

class ExpectedImprovement final : public Optimizer {
 public:
    ExpectedImprovement(const SearchSpace& space, const OptimizerOptions& options)
        : space_(space), options_(options), order_(space, options.seed), model_(space) {
        std::reverse(options_.start.begin(), options_.start.end());
        refill();
    }

    std::optional<Point> propose() override {
        if (!next_) next_ = chosen();
        return next_;
    }

    void observe(const Trial& trial) override {
        next_.reset();
        if (model_.size() == GaussianProcess::max_observations) return;
        if (trial.value || ++invalid_ <= max_invalid_noted) {
            noted_.push_back({trial.point, trial.value.has_value()});
            for (Candidate& candidate : candidates_) note(candidate, noted_.back());
        }
        if (!trial.value) return;
        const bool better =
            values_.empty() || (options_.minimise ? *trial.value < best_ : *trial.value > best_);
        model_.add(trial.point);
        values_.push_back(*trial.value);
        if (!better) return;
        best_ = *trial.value;
        if (!enumerable(space_)) add_neighbours(trial.point);
    }

 private:
    struct Noted {
        Point point;
        bool valid;
    };

    void refill() {
        while (candidates_.size() < enumerable_points) {
            auto point = order_.next();
            if (!point) break;
            add(std::move(*point));
        }
    }

    void add(Point point) {
        // In an enumerable space each point comes along once by itself.
        if (!enumerable(space_) && !known_.insert(point).second) return;
        Candidate& candidate = candidates_.emplace_back(Candidate{std::move(point)});
        for (const Noted& trial : noted_) note(candidate, trial);
    }

    // A sample of a large space has nothing near the best point; what differs in one parameter joins it.
    void add_neighbours(const Point& point) {
        for (std::size_t i = 0; i < point.size(); ++i) {
            const auto count = static_cast<std::uint32_t>(space_.parameters()[i].values.size());
            const bool all = space_.parameters()[i].scale == Parameter::Scale::choice;
            const std::uint32_t from = all || point[i] == 0 ? 0 : point[i] - 1;
            const std::uint32_t to = std::min(all ? std::uint32_t{16} : point[i] + 2, count);
            for (std::uint32_t value = from; value < to; ++value) {
                Point neighbour = point;
                neighbour[i] = value;
                if (neighbour != point) add(std::move(neighbour));
            }
        }
    }

    void note(Candidate& candidate, const Noted& trial) const {
        const double covariance = model_.covariance(candidate.point, trial.point);
        candidate.closest = std::max(candidate.closest, covariance);
        // Half the length scale: what newfs(8) refuses says little about points further off.
        const double near = covariance * covariance * covariance * covariance;
        (trial.valid ? candidate.near_valid : candidate.near_invalid) += near;
    }

    std::optional<Point> chosen() {
        while (!options_.start.empty()) {
            const Point point = std::move(options_.start.back());
            options_.start.pop_back();
            for (std::size_t i = 0; i < candidates_.size(); ++i)
                if (candidates_[i].point == point) return taken(i);
            if (!enumerable(space_) && known_.insert(point).second) return point;
        }
        if (candidates_.empty()) refill();
        if (candidates_.empty()) return std::nullopt;
        if (model_.size() == GaussianProcess::max_observations) return taken(0);
        return taken(model_.size() < first_trials ? farthest() : most_promising());
    }

    Point taken(std::size_t index) {
        std::swap(candidates_[index], candidates_.back());
        Point point = std::move(candidates_.back().point);
        candidates_.pop_back();
        return point;
    }

    std::size_t farthest() const {
        std::size_t best = 0;
        for (std::size_t i = 1; i < candidates_.size(); ++i)
            if (candidates_[i].closest < candidates_[best].closest * (1 - tie)) best = i;
        return best;
    }

    std::size_t most_promising() {
        const auto values = model_scale(values_, options_.minimise);
        model_.fit(values);
        if (model_.size() >= next_choice_) choose_length_scale(values);
        const double target = model_.standardised(*std::min_element(values.begin(), values.end()));
        const std::size_t window =
            std::min(candidates_.size(), std::max(min_window, max_row_numbers / model_.size()));
        std::size_t best = 0;
        double most = -1;
        for (std::size_t i = 0; i < window; ++i) {
            Candidate& candidate = candidates_[i];
            model_.whiten(candidate.point, candidate.row);
            const double chance =
                (1 + candidate.near_valid) / (1 + candidate.near_valid + candidate.near_invalid);
            const double merit = chance * expected_improvement(target, model_.predict(candidate.row));
            if (merit > most * (1 + tie)) most = merit, best = i;
        }
        for (std::size_t i = window; i < std::min(window_, candidates_.size()); ++i) candidates_[i].row = {};
        window_ = window;
        return best;
    }

    // By the evidence of the trials so far; at intervals that grow, since all rows are to be made anew.
    void choose_length_scale(std::span<const double> values) {
        next_choice_ = model_.size() + std::max<std::size_t>(model_.size() / 4, 1);
        for (const double scale : length_scales) {
            if (scale == model_.length_scale()) continue;
            GaussianProcess other(space_, scale);
            for (const Point& point : model_.points()) other.add(point);
            other.fit(values);
            if (other.evidence() < model_.evidence() + clearly_likelier) continue;
            model_ = std::move(other);
            for (Candidate& candidate : candidates_) candidate.row = {};
        }
    }

    const SearchSpace& space_;
    OptimizerOptions options_;  // of start, what is still to come, the last one first
    ShuffledPoints order_;
    GaussianProcess model_;
    std::vector<double> values_;  // of the model's observations
    double best_ = 0;             // of values_
    std::vector<Candidate> candidates_;
    std::set<Point> known_;  // of a space too large to enumerate: candidates, and what was one
    std::size_t next_choice_ = first_choice;  // observations at which the length scale is looked at again
    std::size_t window_ = 0;                  // how many candidates the model looked at last
    std::size_t invalid_ = 0;
    std::vector<Noted> noted_;  // what candidates are noted against, those to come too
    std::optional<Point> next_;
};

}  // namespace

std::unique_ptr<Optimizer> make_expected_improvement(const SearchSpace& space,
                                                     const OptimizerOptions& options) {
    return std::make_unique<ExpectedImprovement>(space, options);
}

}  // namespace diskwright
