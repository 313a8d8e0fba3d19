// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/request_queue.hpp"

#include <utility>

namespace diskwright {

void RequestQueue::add(const QueuedRequest& request) {
    waiting_.push_back(request);
    waiting_.back().order = ++next_order_;
    targets_.emplace_back();
    moved(waiting_.size() - 1);
}

void RequestQueue::moved(std::size_t index) {
    const BlockRun run = mechanics_.geometry().run_at(waiting_[index].request.block);
    targets_[index] = {run.angle, run.cylinder, run.head};
}

QueuedRequest RequestQueue::take(std::size_t index) {
    const QueuedRequest taken = waiting_[index];
    waiting_[index] = waiting_.back();
    targets_[index] = targets_.back();
    waiting_.pop_back();
    targets_.pop_back();
    return taken;
}

std::size_t RequestQueue::first_come(const Wanted& wanted) const {
    std::size_t best = waiting_.size();
    for (std::size_t i = 0; i < waiting_.size(); ++i)
        if (is(i, wanted) && (best == waiting_.size() || waiting_[i].order < waiting_[best].order)) best = i;
    return best;
}

std::size_t RequestQueue::shortest(double at_s, const Wanted& wanted, bool with_rotation) const {
    std::size_t best = waiting_.size();
    double best_s = 0;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        if (!is(i, wanted)) continue;
        const Target& target = targets_[i];
        const bool write = waiting_[i].request.operation == DriveOperation::write;
        double cost_s = mechanics_.seek_s(target.cylinder, target.head, write);
        const bool hopeless = best < waiting_.size() && cost_s > best_s;
        if (hopeless) continue;
        if (with_rotation) cost_s += mechanics_.wait_s(target.angle, at_s + cost_s);
        if (best == waiting_.size() || cost_s < best_s ||
            (cost_s == best_s && waiting_[i].order < waiting_[best].order)) {
            best = i;
            best_s = cost_s;
        }
    }
    return best;
}

// The elevator turns at the last request, the cyclic one goes back to the first.
std::size_t RequestQueue::sweep(const Wanted& wanted) {
    for (int turn = 0; turn < 2; ++turn) {
        std::size_t best = waiting_.size();
        const auto key = [&](std::size_t i) { return std::pair{targets_[i].cylinder, waiting_[i].request.block}; };
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            if (!is(i, wanted)) continue;
            const bool ahead = upwards_ ? targets_[i].cylinder >= mechanics_.cylinder()
                                        : targets_[i].cylinder <= mechanics_.cylinder();
            const bool counts = ahead || (turn == 1 && order_ == QueueOrder::cyclic);
            if (counts && (best == waiting_.size() || (upwards_ ? key(i) < key(best) : key(best) < key(i)))) best = i;
        }
        if (best < waiting_.size()) return best;
        if (order_ == QueueOrder::elevator) upwards_ = !upwards_;
    }
    return waiting_.size();
}

std::size_t RequestQueue::choose(double at_s, const Wanted& wanted) {
    if (waiting_.size() == 1) return is(0, wanted) ? 0 : 1;
    switch (order_) {
        case QueueOrder::fifo:
            return first_come(wanted);
        case QueueOrder::elevator:
        case QueueOrder::cyclic:
            return sweep(wanted);
        case QueueOrder::shortest_seek:
            return shortest(at_s, wanted, false);
        case QueueOrder::shortest_positioning:
            return shortest(at_s, wanted, true);
    }
    return waiting_.size();
}

}  // namespace diskwright
