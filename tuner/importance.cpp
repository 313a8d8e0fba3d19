// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/importance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>

#include "probes/support/random.hpp"
#include "tuner/optimizers/gaussian_process.hpp"
#include "tuner/optimizers/shuffled_points.hpp"

namespace diskwright {
namespace {

// Bounds on the time: points averaged over, values of one parameter looked at, observations of the model,
// points looked at one by one.
constexpr std::size_t base_points = 512, base_values = 16, model_trials = 300;
constexpr std::uint64_t outlook_points = 20'000;

std::size_t varying(const SearchSpace& space) {
    return static_cast<std::size_t>(
        std::count_if(space.parameters().begin(), space.parameters().end(),
                      [](const Parameter& parameter) { return parameter.values.size() > 1; }));
}

struct Fitted {
    GaussianProcess process;
    double best;  // as the process predicts
};

// So many of them by lot, in their order, and the best.
void thin_out(std::vector<const Trial*>& valid, std::size_t count, bool minimise) {
    if (valid.size() <= count) return;
    const auto better = [&](const Trial* a, const Trial* b) {
        return minimise ? *a->value < *b->value : *a->value > *b->value;
    };
    std::vector<std::size_t> order(valid.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random(1).shuffle(order);
    const auto best =
        static_cast<std::size_t>(std::min_element(valid.begin(), valid.end(), better) - valid.begin());
    std::swap(order.front(), *std::find(order.begin(), order.end(), best));
    order.resize(count);
    std::sort(order.begin(), order.end());
    std::vector<const Trial*> sample;
    for (const std::size_t index : order) sample.push_back(valid[index]);
    valid = std::move(sample);
}

std::optional<Fitted> fitted(const SearchSpace& space, std::span<const Trial> trials, bool minimise) {
    std::vector<const Trial*> valid;
    for (const Trial& trial : trials)
        if (trial.value) valid.push_back(&trial);
    if (valid.size() < std::max<std::size_t>(5, varying(space) + 2)) return std::nullopt;
    thin_out(valid, model_trials, minimise);
    std::vector<double> values;
    Fitted model{GaussianProcess(space), 0};
    for (const Trial* trial : valid) {
        model.process.add(trial->point);
        values.push_back(*trial->value);
    }
    values = model_scale(values, minimise);
    model.process.fit(values);
    model.best = model.process.standardised(*std::min_element(values.begin(), values.end()));
    return model;
}

double variance(std::span<const double> values) {
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double square = 0;
    for (const double value : values) square += (value - mean) * (value - mean) / count;
    return square;
}

double main_effect(const GaussianProcess& process, std::vector<Point>& base, std::size_t parameter,
                   std::size_t value_count) {
    const std::size_t looked_at = std::min(value_count, base_values);
    std::vector<double> means;
    for (std::size_t i = 0; i < looked_at; ++i) {
        const auto value =
            static_cast<std::uint32_t>(i * (value_count - 1) / std::max<std::size_t>(looked_at - 1, 1));
        double sum = 0;
        for (Point& point : base) {
            const std::uint32_t own = std::exchange(point[parameter], value);
            sum += process.mean(point);
            point[parameter] = own;
        }
        means.push_back(sum / static_cast<double>(base.size()));
    }
    return variance(means);
}

}  // namespace

std::optional<std::vector<double>> parameter_importance(const SearchSpace& space,
                                                        std::span<const Trial> trials, bool minimise) {
    const auto model = fitted(space, trials, minimise);
    if (!model) return std::nullopt;
    std::vector<Point> base;
    ShuffledPoints points(space, 1);
    while (base.size() < base_points) {
        auto point = points.next();
        if (!point) break;
        base.push_back(std::move(*point));
    }
    std::vector<double> effects;
    for (std::size_t i = 0; i < space.parameters().size(); ++i)
        effects.push_back(main_effect(model->process, base, i, space.parameters()[i].values.size()));
    const double sum = std::accumulate(effects.begin(), effects.end(), 0.0);
    if (!(sum > 1e-9)) return std::nullopt;  // of values with variance 1: nothing but rounding
    for (double& effect : effects) effect /= sum;
    return effects;
}

std::optional<Outlook> outlook(const SearchSpace& space, std::span<const Trial> trials, bool minimise) {
    if (!space.size() || *space.size() > outlook_points) return std::nullopt;
    const auto model = fitted(space, trials, minimise);
    if (!model) return std::nullopt;
    std::set<Point> tried;
    for (const Trial& trial : trials) tried.insert(trial.point);
    Outlook out;
    for (std::uint64_t rank = 0; rank < *space.size(); ++rank) {
        Point point = space.at(rank);
        if (tried.contains(point)) continue;
        ++out.untried;
        std::vector<double> row;
        model->process.whiten(point, row);
        const auto at = model->process.predict(row);
        const double chance = std::erfc((at.mean - model->best) / at.deviation / std::numbers::sqrt2) / 2;
        if (chance >= 0.25) ++out.promising;
        if (chance > out.chance || out.best_guess.empty())
            out.chance = chance, out.best_guess = std::move(point);
    }
    if (out.untried == 0) return std::nullopt;
    return out;
}

}  // namespace diskwright
