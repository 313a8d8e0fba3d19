// SPDX-License-Identifier: BSD-2-Clause
// A Gaussian process over the points of a space (Rasmussen and Williams, "Gaussian Processes for Machine
// Learning", chapter 2): what measured points tell about the others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/search_space.hpp"

namespace diskwright {

class GaussianProcess {
 public:
    /// Time and memory of a trial grow with the square of the observations; no caller adds more than this.
    static constexpr std::size_t max_observations = 1000;

    /// Distance in the unit cube over which values are alike, until the values say otherwise.
    static constexpr double usual_length_scale = 0.7;

    /// The space must outlive this.
    explicit GaussianProcess(const SearchSpace& space, double length_scale = usual_length_scale)
        : space_(&space), length_scale_(length_scale) {}

    /// In (0, 1], 1 for a point with itself.
    double covariance(const Point& a, const Point& b) const;

    void add(const Point& point);
    std::size_t size() const { return points_.size(); }
    /// What the added points measured, in their order. Predictions are for the last values given.
    void fit(std::span<const double> values);

    /// Logarithm of how likely the values of fit() are under this process, but for a constant.
    double evidence() const;
    double length_scale() const { return length_scale_; }
    const std::vector<Point>& points() const { return points_; }

    /// A point's covariances with the observations, multiplied by the inverse Cholesky factor. `row` holds
    /// those with the first observations already, or nothing; it grows to size().
    void whiten(const Point& point, std::vector<double>& row) const;

    struct Prediction {
        double mean, deviation;  // of values with mean 0 and variance 1
    };
    /// Of a whole row.
    Prediction predict(std::span<const double> row) const;
    /// The mean alone, without a row.
    double mean(const Point& point) const;
    /// A value of fit() in the units of the predictions.
    double standardised(double value) const { return (value - centre_) / spread_; }

 private:
    const SearchSpace* space_;
    double length_scale_;
    std::vector<Point> points_;
    std::vector<std::vector<double>> factor_;  // lower triangle, row by row
    std::vector<double> whitened_values_, weights_;
    double centre_ = 0, spread_ = 1;
};

/// Values as the process models them: less is better, and as logarithms when all are positive, since what
/// costs twice as much differs as much at 1 s as at 100 s.
std::vector<double> model_scale(std::span<const double> values, bool minimise);

}  // namespace diskwright
