// SPDX-License-Identifier: BSD-2-Clause
// Every point, the last parameter varying fastest.
#include "tuner/optimizers/optimizers.hpp"

namespace diskwright {
namespace {

class Exhaustive final : public Optimizer {
 public:
    explicit Exhaustive(const SearchSpace& space) : space_(space), next_(Point(space.parameters().size())) {}
    std::optional<Point> propose() override { return next_; }

    void observe(const Trial&) override {
        if (!next_) return;
        for (std::size_t i = next_->size(); i-- > 0;) {
            if (++(*next_)[i] < space_.parameters()[i].values.size()) return;
            (*next_)[i] = 0;
        }
        next_.reset();
    }

 private:
    const SearchSpace& space_;
    std::optional<Point> next_;
};

}  // namespace

std::unique_ptr<Optimizer> make_exhaustive(const SearchSpace& space, const OptimizerOptions&) {
    return std::make_unique<Exhaustive>(space);
}

}  // namespace diskwright
