// SPDX-License-Identifier: BSD-2-Clause
// What waits for the arm, and which of it goes next. Flat arrays: a choice among 32 is one pass over a few
// cache lines.
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/simulator/disk_mechanics.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

struct QueuedRequest {
    DriveRequest request;
    double ready_s = 0;      // the command is understood: the arm may move
    double bus_ready_s = 0;  // the drive may ask for the bus again
    bool extent = false;     // written data that was reported as done
    std::uint64_t order = 0;
};

class RequestQueue {
 public:
    RequestQueue(QueueOrder order, const DiskMechanics& mechanics) : order_(order), mechanics_(mechanics) {}

    bool empty() const { return waiting_.empty(); }
    std::size_t size() const { return waiting_.size(); }
    const std::vector<QueuedRequest>& waiting() const { return waiting_; }
    QueuedRequest& operator[](std::size_t index) { return waiting_[index]; }
    void add(const QueuedRequest& request);
    QueuedRequest take(std::size_t index);
    /// Of the request added last; 0 when there was none.
    std::uint64_t last_order() const { return next_order_; }
    /// Where the blocks of an extent changed.
    void moved(std::size_t index);

    struct Wanted {
        bool requests = true, extents = true;
        std::uint64_t extents_up_to = UINT64_MAX;  // by order
    };
    /// The read that begins first in those blocks, the last one included; size() when there is none.
    std::size_t read_within(std::uint64_t first, std::uint64_t last) const;
    /// Of those wanted, the one that goes next; size() when there is none.
    std::size_t choose(double at_s, const Wanted& wanted);

 private:
    // What a choice looks at, apart from the rest.
    struct Target {
        double angle;
        std::uint64_t block, order;
        std::uint32_t cylinder;
        std::uint16_t head;
        bool write, extent;
    };
    static bool is(const Target& target, const Wanted& wanted) {
        return target.extent ? wanted.extents && target.order <= wanted.extents_up_to : wanted.requests;
    }
    std::size_t first_come(const Wanted& wanted) const;
    std::size_t shortest(double at_s, const Wanted& wanted, bool with_rotation);
    std::size_t sweep(const Wanted& wanted);

    QueueOrder order_;
    const DiskMechanics& mechanics_;
    std::vector<QueuedRequest> waiting_;
    std::vector<Target> targets_;
    std::vector<std::uint32_t> distances_;
    std::uint64_t next_order_ = 0;
    bool upwards_ = true;
};

}  // namespace diskwright
