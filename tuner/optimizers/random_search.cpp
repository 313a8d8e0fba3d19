// SPDX-License-Identifier: BSD-2-Clause
// Points in random order, none twice: what every other method is compared with.
#include "tuner/optimizers/optimizers.hpp"
#include "tuner/optimizers/shuffled_points.hpp"

namespace diskwright {
namespace {

class RandomSearch final : public Optimizer {
 public:
    RandomSearch(const SearchSpace& space, std::uint64_t seed)
        : points_(space, seed), next_(points_.next()) {}
    std::optional<Point> propose() override { return next_; }
    void observe(const Trial&) override { next_ = points_.next(); }

 private:
    ShuffledPoints points_;
    std::optional<Point> next_;
};

}  // namespace

std::unique_ptr<Optimizer> make_random_search(const SearchSpace& space, const OptimizerOptions& options) {
    return std::make_unique<RandomSearch>(space, options.seed);
}

}  // namespace diskwright
