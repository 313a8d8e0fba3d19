// SPDX-License-Identifier: BSD-2-Clause
// The queue a driver keeps in front of a component: which of the waiting requests goes next, and how many may
// be at the component at a time (NetBSD/src: sys/dev/raidframe/rf_diskqueue.c, rf_fifo.c, rf_sstf.c,
// rf_cvscan.c).
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

namespace diskwright {

enum class ComponentOrder : std::uint8_t { fifo, sstf, scan, cscan };

struct WaitingRequest {
    std::uint64_t id = 0, block = 0, end = 0;
    double since_s = 0;
};

class ComponentQueue {
 public:
    ComponentQueue(ComponentOrder order, std::uint32_t depth) : order_(order), depth_(depth) {}

    void add(const WaitingRequest& request) { waiting_.push_back(request); }
    std::size_t waiting() const { return waiting_.size(); }
    /// The next one to go to the component; nothing when none waits or the component has its fill.
    std::optional<WaitingRequest> take(std::uint32_t outstanding) {
        if (waiting_.empty() || outstanding >= depth_) return std::nullopt;
        const auto at = waiting_.begin() + static_cast<std::ptrdiff_t>(choose());
        const WaitingRequest next = *at;
        waiting_.erase(at);
        upwards_ = next.block >= last_ ? true : order_ == ComponentOrder::scan ? false : upwards_;
        last_ = next.end;
        return next;
    }
    /// Where the request sent last ended.
    std::uint64_t last() const { return last_; }

 private:
    // Smaller goes first; of equals the one that came first.
    std::uint64_t cost(const WaitingRequest& request) const {
        constexpr std::uint64_t behind = std::uint64_t{1} << 62;
        const bool ahead = request.block >= last_;
        const std::uint64_t distance = ahead ? request.block - last_ : last_ - request.block;
        switch (order_) {
            case ComponentOrder::fifo:
                return 0;
            case ComponentOrder::sstf:
                return distance;
            case ComponentOrder::scan:
                return ahead == upwards_ ? distance : behind + distance;
            case ComponentOrder::cscan:
                return ahead ? distance : behind + request.block;
        }
        return 0;
    }
    std::size_t choose() const {
        if (order_ == ComponentOrder::fifo) return 0;
        std::size_t best = 0;
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for (std::size_t i = 0; i < waiting_.size(); ++i)
            if (const std::uint64_t costs = cost(waiting_[i]); costs < least) {
                least = costs;
                best = i;
            }
        return best;
    }

    std::deque<WaitingRequest> waiting_;
    std::uint64_t last_ = 0;
    ComponentOrder order_;
    std::uint32_t depth_;
    bool upwards_ = true;
};

}  // namespace diskwright
