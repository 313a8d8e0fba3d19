// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/optimizers/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace diskwright {
namespace {

// The distance of two different choices in a unit cube, and the share of the variance that is taken for
// noise: with the usual length scale, the best of a small grid over measured landscapes of RAID and file
// system parameters.
constexpr double choice_distance = 0.7, nugget = 1e-3;

}  // namespace

double GaussianProcess::covariance(const Point& a, const Point& b) const {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i]) continue;
        const double distance = space_->parameters()[i].scale == Parameter::Scale::choice
                                    ? choice_distance
                                    : space_->coordinate(i, a[i]) - space_->coordinate(i, b[i]);
        square += distance * distance;
    }
    return std::exp(-square / (2 * length_scale_ * length_scale_));
}

void GaussianProcess::whiten(const Point& point, std::vector<double>& row) const {
    for (std::size_t i = row.size(); i < points_.size(); ++i) {
        const auto& factor = factor_[i];
        const double rest = std::inner_product(row.begin(), row.end(), factor.begin(), 0.0);
        row.push_back((covariance(point, points_[i]) - rest) / factor[i]);
    }
}

void GaussianProcess::add(const Point& point) {
    std::vector<double> row;
    whiten(point, row);
    const double left = 1 + nugget - std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    row.push_back(std::sqrt(std::max(left, nugget / 2)));
    points_.push_back(point);
    factor_.push_back(std::move(row));
}

void GaussianProcess::fit(std::span<const double> values) {
    const auto count = static_cast<double>(values.size());
    centre_ = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double square = 0;
    for (const double value : values) square += (value - centre_) * (value - centre_) / count;
    // Less than that is rounding, not a difference.
    spread_ = square > 1e-20 * centre_ * centre_ ? std::sqrt(square) : 1;

    whitened_values_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double known =
            std::inner_product(whitened_values_.begin(), whitened_values_.end(), factor_[i].begin(), 0.0);
        whitened_values_.push_back((standardised(values[i]) - known) / factor_[i][i]);
    }
    weights_ = whitened_values_;
    for (std::size_t i = weights_.size(); i-- > 0;) {
        weights_[i] /= factor_[i][i];
        for (std::size_t j = 0; j < i; ++j) weights_[j] -= factor_[i][j] * weights_[i];
    }
}

double GaussianProcess::evidence() const {
    double sum = 0;
    for (const double value : whitened_values_) sum -= value * value / 2;
    for (std::size_t i = 0; i < factor_.size(); ++i) sum -= std::log(factor_[i][i]);
    return sum;
}

GaussianProcess::Prediction GaussianProcess::predict(std::span<const double> row) const {
    const double mean = std::inner_product(row.begin(), row.end(), whitened_values_.begin(), 0.0);
    const double known = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    return {mean, std::sqrt(std::max(1 - known, 1e-12))};
}

double GaussianProcess::mean(const Point& point) const {
    double sum = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) sum += covariance(point, points_[i]) * weights_[i];
    return sum;
}

std::vector<double> model_scale(std::span<const double> values, bool minimise) {
    const bool logarithmic = std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    if (largest == 0) largest = 1;
    std::vector<double> scaled;
    scaled.reserve(values.size());
    // Divided, so that sums and squares of the largest doubles stay numbers.
    for (const double value : values)
        scaled.push_back((minimise ? 1 : -1) * (logarithmic ? std::log(value) : value / largest));
    return scaled;
}

}  // namespace diskwright
