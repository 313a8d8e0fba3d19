// SPDX-License-Identifier: BSD-2-Clause
// How well the load that a layout predicts explains the times of batches: log time = a + b log load.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace diskwright {

class LineFit {
 public:
    /// A queue that a drive sorts takes less than so many times as long; nothing takes more.
    explicit LineFit(double least_slope = 0.35) : least_slope_(least_slope) {}
    void add(double x, double y) {
        ++count_;
        // Welford's, for two variables.
        const double dx = x - mean_x_, dy = y - mean_y_, n = static_cast<double>(count_);
        mean_x_ += dx / n;
        mean_y_ += dy / n;
        xx_ += dx * (x - mean_x_);
        yy_ += dy * (y - mean_y_);
        xy_ += dx * (y - mean_y_);
    }
    std::uint64_t count() const { return count_; }
    double slope() const { return xx_ > 0 ? std::clamp(xy_ / xx_, least_slope_, most_slope) : least_slope_; }
    /// Sum of the squares of what is left.
    double residual() const {
        const double b = slope();
        return std::max(0.0, yy_ - 2 * b * xy_ + b * b * xx_);
    }
    double variation() const { return yy_; }
    /// Log-likelihood with the best variance, but for the sign and a constant.
    double badness() const {
        constexpr double floor = 1e-3;  // of the variance: no model is exact
        const double n = static_cast<double>(std::max<std::uint64_t>(count_, 1));
        return n / 2 * std::log(residual() / n + floor);
    }
    double predicted(double x) const { return mean_y_ + slope() * (x - mean_x_); }

 private:
    static constexpr double most_slope = 1.25;
    double least_slope_;
    std::uint64_t count_ = 0;
    double mean_x_ = 0, mean_y_ = 0, xx_ = 0, yy_ = 0, xy_ = 0;
};

/// Mean and standard error of numbers added one by one.
class RunningMean {
 public:
    void add(double value) {
        ++count_;
        const double delta = value - mean_;
        mean_ += delta / static_cast<double>(count_);
        squares_ += delta * (value - mean_);
    }
    std::uint64_t count() const { return count_; }
    double mean() const { return mean_; }
    double error() const {
        if (count_ < 2) return INFINITY;
        return std::sqrt(squares_ / static_cast<double>(count_ - 1) / static_cast<double>(count_));
    }
    /// More than `sure` standard errors from a bound.
    bool clear_of(double bound, double sure) const { return std::abs(mean_ - bound) > sure * error(); }

 private:
    std::uint64_t count_ = 0;
    double mean_ = 0, squares_ = 0;
};

/// Log of the time of a batch, but for a constant, whose requests load each disk so many times: nearly that
/// of the busiest disk, longer when several are as busy.
inline double log_load(std::span<const double> loads) {
    double sum = 0;
    for (const double load : loads) sum += load * load * load * load * load;
    return std::log(std::max(sum, 1e-9)) / 5;
}

}  // namespace diskwright
