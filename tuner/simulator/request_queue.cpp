// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/request_queue.hpp"

#include <algorithm>
#include <utility>

namespace diskwright {

void RequestQueue::add(const QueuedRequest& request) {
    waiting_.push_back(request);
    waiting_.back().order = ++next_order_;
    targets_.emplace_back();
    moved(waiting_.size() - 1);
}

void RequestQueue::moved(std::size_t index) {
    const QueuedRequest& queued = waiting_[index];
    const BlockRun run = mechanics_.geometry().run_at(queued.request.block);
    targets_[index] = {run.angle,
                       queued.request.block,
                       queued.order,
                       run.cylinder,
                       static_cast<std::uint16_t>(run.head),
                       queued.request.operation == DriveOperation::write,
                       queued.extent};
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
    std::size_t best = targets_.size();
    for (std::size_t i = 0; i < targets_.size(); ++i)
        if (is(targets_[i], wanted) && (best == targets_.size() || targets_[i].order < targets_[best].order))
            best = i;
    return best;
}

std::size_t RequestQueue::read_within(std::uint64_t first, std::uint64_t last) const {
    std::size_t best = targets_.size();
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        const Target& target = targets_[i];
        if (target.block - first <= last - first && !target.write &&
            (best == targets_.size() || target.block < targets_[best].block))
            best = i;
    }
    return best;
}

// The nearest one bounds how far others may be: most of a long queue is told by its cylinder alone.
std::size_t RequestQueue::shortest(double at_s, const Wanted& wanted, bool with_rotation) {
    constexpr std::uint32_t unwanted = UINT32_MAX;
    const std::size_t none = targets_.size();
    std::size_t best = none;
    std::uint32_t nearest = unwanted;
    distances_.resize(targets_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        const std::uint32_t distance =
            is(targets_[i], wanted) ? mechanics_.distance(targets_[i].cylinder) : unwanted;
        distances_[i] = distance;
        if (distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    if (best == none) return none;
    const auto cost_s = [&](std::size_t i) {
        const Target& target = targets_[i];
        const double seek_s = mechanics_.seek_s(target.cylinder, target.head, target.write);
        return with_rotation ? seek_s + mechanics_.wait_s(target.angle, at_s + seek_s) : seek_s;
    };
    double best_s = cost_s(best);
    std::uint32_t reach = std::min(mechanics_.reach(best_s), unwanted - 1);
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        if (distances_[i] > reach) continue;
        const double this_s = cost_s(i);
        if (this_s < best_s || (this_s == best_s && targets_[i].order < targets_[best].order)) {
            best = i;
            best_s = this_s;
            reach = std::min(mechanics_.reach(best_s), unwanted - 1);
        }
    }
    return best;
}

// The elevator turns at the last request, the cyclic one goes back to the first.
std::size_t RequestQueue::sweep(const Wanted& wanted) {
    for (int turn = 0; turn < 2; ++turn) {
        std::size_t best = waiting_.size();
        const auto key = [&](std::size_t i) { return std::pair{targets_[i].cylinder, targets_[i].block}; };
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            if (!is(targets_[i], wanted)) continue;
            const bool ahead = upwards_ ? targets_[i].cylinder >= mechanics_.cylinder()
                                        : targets_[i].cylinder <= mechanics_.cylinder();
            const bool counts = ahead || (turn == 1 && order_ == QueueOrder::cyclic);
            if (counts && (best == waiting_.size() || (upwards_ ? key(i) < key(best) : key(best) < key(i))))
                best = i;
        }
        if (best < waiting_.size()) return best;
        if (order_ == QueueOrder::elevator) upwards_ = !upwards_;
    }
    return waiting_.size();
}

std::size_t RequestQueue::choose(double at_s, const Wanted& wanted) {
    if (waiting_.size() == 1) return is(targets_[0], wanted) ? 0 : 1;
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
