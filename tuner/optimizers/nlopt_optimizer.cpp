// SPDX-License-Identifier: BSD-2-Clause
// The methods of NLopt (https://nlopt.readthedocs.io), the only file that knows it. NLopt calls the objective
// itself, so that it runs in a thread of its own, which blocks in the objective until observe() brings the
// value. Coordinates are rounded to the nearest values; a point that was measured is answered from memory.
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "tuner/optimizers/optimizers.hpp"
#include "tuner/optimizers/shuffled_points.hpp"

namespace diskwright {
namespace {

struct Engine {
    nlopt_algorithm algorithm;
    bool restarts;  // another start gives another search; not so of DIRECT, which begins with the whole cube
};

// Answers from memory in a row after which a method has nothing new to ask.
constexpr std::size_t patience = 200;
// A step below half the distance of 16 values on the unit interval rounds to the point it came from.
constexpr double least_step = 1.0 / 32, first_step = 0.3;

class NloptOptimizer final : public Optimizer {
 public:
    NloptOptimizer(const SearchSpace& space, const OptimizerOptions& options, Engine engine)
        : space_(space), options_(options), engine_(engine), order_(space, options.seed) {
        for (std::size_t i = 0; i < space.parameters().size(); ++i)
            if (space.parameters()[i].values.size() > 1) free_.push_back(i);
    }

    ~NloptOptimizer() override {
        {
            const std::lock_guard hold(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    std::optional<Point> propose() override {
        std::unique_lock hold(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { search(); });
        changed_.wait(hold, [&] { return asked_ || finished_; });
        return asked_;
    }

    void observe(const Trial& trial) override {
        {
            const std::lock_guard hold(mutex_);
            asked_.reset();
            answer_ = trial.value;
            answered_ = true;
        }
        changed_.notify_all();
    }

 private:
    // From here on, in the thread.

    void search() {
        nlopt_srand(static_cast<unsigned long>(options_.seed));
        auto start = first_valid();
        if (start && !stopped()) run_from(*start);
        while (!stopped() && (start = untried())) {
            measure(*start);
            if (engine_.restarts) run_from(*start);
        }
        const std::lock_guard hold(mutex_);
        finished_ = true;
        changed_.notify_all();
    }

    // A method that begins with an invalid point would learn nothing of the scale of the others.
    std::optional<Point> first_valid() {
        for (const Point& point : options_.start)
            if (!stopped() && measure(point)) return point;
        while (auto point = untried())
            if (stopped() || measure(*point)) return point;
        return std::nullopt;
    }

    std::optional<Point> untried() {
        while (auto point = order_.next())
            if (!memory_.contains(*point)) return point;
        return std::nullopt;
    }

    void run_from(const Point& start) {
        // BOBYQA needs two dimensions; the second of a space with one parameter means nothing.
        const auto dimensions = static_cast<unsigned>(std::max<std::size_t>(free_.size(), 2));
        std::vector<double> x(dimensions, 0.5);
        for (std::size_t i = 0; i < free_.size(); ++i) x[i] = space_.coordinate(free_[i], start[free_[i]]);
        const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> opt(
            nlopt_create(engine_.algorithm, dimensions), nlopt_destroy);
        if (!opt) return;
        running_ = opt.get();
        from_memory_ = 0;
        nlopt_set_lower_bounds1(opt.get(), 0);
        nlopt_set_upper_bounds1(opt.get(), 1);
        nlopt_set_xtol_abs1(opt.get(), least_step);
        nlopt_set_initial_step1(opt.get(), first_step);
        nlopt_set_min_objective(opt.get(), &NloptOptimizer::objective, this);
        double least = 0;
        // Whatever ended it, the search goes on from another point.
        nlopt_optimize(opt.get(), x.data(), &least);
    }

    static double objective(unsigned, const double* x, double*, void* self) noexcept {
        return static_cast<NloptOptimizer*>(self)->value_at(x);
    }

    double value_at(const double* x) {
        Point point(space_.parameters().size(), 0);
        for (std::size_t i = 0; i < free_.size(); ++i) point[free_[i]] = space_.nearest_value(free_[i], x[i]);
        if (const auto known = memory_.find(point); known != memory_.end()) {
            if (++from_memory_ > patience) nlopt_force_stop(running_);
            return told(known->second);
        }
        from_memory_ = 0;
        if (stopped()) {
            nlopt_force_stop(running_);
            return told(std::nullopt);
        }
        measure(point);
        if (stopped()) nlopt_force_stop(running_);
        const auto known = memory_.find(point);
        return told(known != memory_.end() ? known->second : std::nullopt);
    }

    // Asks for a trial and remembers what it gave. True for a value, false for an invalid point, or when the
    // search is to stop.
    bool measure(const Point& point) {
        std::optional<double> cost;
        {
            std::unique_lock hold(mutex_);
            if (stop_) return false;
            asked_ = point;
            answered_ = false;
            changed_.notify_all();
            changed_.wait(hold, [&] { return answered_ || stop_; });
            if (stop_) return false;
            cost = answer_;
        }
        if (cost) {
            if (!options_.minimise) *cost = -*cost;
            best_ = valid_ ? std::min(best_, *cost) : *cost;
            worst_ = valid_ ? std::max(worst_, *cost) : *cost;
            valid_ = true;
        }
        memory_.emplace(point, cost);
        return cost.has_value();
    }

    // The cost that NLopt hears of. That of an invalid point is worse than the worst value so far, and grows
    // with it.
    double told(std::optional<double> cost) const {
        if (cost) return *cost;
        if (worst_ > best_) return worst_ + (0.1 * worst_ - 0.1 * best_);
        return worst_ != 0 ? worst_ + 0.1 * std::abs(worst_) : 1;
    }

    bool stopped() {
        const std::lock_guard hold(mutex_);
        return stop_;
    }

    const SearchSpace& space_;
    const OptimizerOptions options_;
    const Engine engine_;
    std::vector<std::size_t> free_;  // the parameters with more than one value

    std::mutex mutex_;  // guards what follows, up to the thread
    std::condition_variable changed_;
    std::optional<Point> asked_;
    std::optional<double> answer_;
    bool answered_ = false, finished_ = false, stop_ = false;
    std::thread thread_;

    // Of the thread alone.
    ShuffledPoints order_;
    std::map<Point, std::optional<double>> memory_;  // the cost of each point; none of an invalid one
    double best_ = 0, worst_ = 0;
    bool valid_ = false;  // best_ and worst_ are of values
    nlopt_opt running_ = nullptr;
    std::size_t from_memory_ = 0;
};

std::unique_ptr<Optimizer> make(const SearchSpace& space, const OptimizerOptions& options, Engine engine) {
    return std::make_unique<NloptOptimizer>(space, options, engine);
}

}  // namespace

std::unique_ptr<Optimizer> make_nlopt_direct(const SearchSpace& space, const OptimizerOptions& options) {
    return make(space, options, {NLOPT_GN_DIRECT_L, false});
}
std::unique_ptr<Optimizer> make_nlopt_crs(const SearchSpace& space, const OptimizerOptions& options) {
    return make(space, options, {NLOPT_GN_CRS2_LM, true});
}
std::unique_ptr<Optimizer> make_nlopt_esch(const SearchSpace& space, const OptimizerOptions& options) {
    return make(space, options, {NLOPT_GN_ESCH, true});
}
std::unique_ptr<Optimizer> make_nlopt_cobyla(const SearchSpace& space, const OptimizerOptions& options) {
    return make(space, options, {NLOPT_LN_COBYLA, true});
}
std::unique_ptr<Optimizer> make_nlopt_bobyqa(const SearchSpace& space, const OptimizerOptions& options) {
    return make(space, options, {NLOPT_LN_BOBYQA, true});
}
std::unique_ptr<Optimizer> make_nlopt_sbplx(const SearchSpace& space, const OptimizerOptions& options) {
    return make(space, options, {NLOPT_LN_SBPLX, true});
}

}  // namespace diskwright
