// SPDX-License-Identifier: BSD-2-Clause
// A driver that keeps writes back until their stripe is whole or has waited long enough: md's stripe cache
// (torvalds/linux: drivers/md/raid5.c, raid5_activate_delayed), and a controller with a cache that survives a
// loss of power, which answers at once.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tuner/simulator/set_driver.hpp"

namespace diskwright {

class GatheringDriver final : public SetDriver {
 public:
    GatheringDriver(const SetPolicy& policy, ArrayLayout layout, const ComponentHealth& health,
                    ArrayServices& array);

    bool takes(const DriveRequest& part) const override;
    void take(const DriveRequest& part, std::uint32_t request) override;
    void done(std::uint64_t tag, std::uint32_t request) override;
    double wakes_s() const override;
    void wake() override;
    std::uint64_t dirty_blocks() const override {
        return policy_.gathering.answers_at_once ? held_blocks_ : 0;
    }

 private:
    struct Stripe {
        std::vector<Extent> extents;         // in order, none touching another
        std::vector<std::uint32_t> waiting;  // parts, in waiting_
        double since_s = 0;                  // the last write
        bool whole = false;
    };
    struct WaitingPart {
        std::uint32_t request = 0, stripes = 0;
    };

    void write(const DriveRequest& part, std::uint32_t request) override;
    void gather(const Extent& extent, std::uint32_t part);
    bool holds(const DriveRequest& part) const;
    bool pressed() const { return 2 * held_blocks_ >= policy_.gathering.cache_blocks; }
    std::uint32_t room() const;
    /// The next stripe to go down; nothing when none may.
    std::map<std::uint64_t, Stripe>::iterator due();
    void start(std::map<std::uint64_t, Stripe>::iterator at);
    double controller(std::uint32_t blocks);

    std::uint64_t stripe_blocks_;
    std::map<std::uint64_t, Stripe> gathered_, going_down_;
    std::set<std::pair<double, std::uint64_t>> by_age_;  // of those gathered that are not going down as well
    std::uint64_t sweep_ = 0;                            // where a full cache is emptied next
    std::vector<WaitingPart> waiting_;
    std::vector<std::uint32_t> free_;
    std::uint64_t held_blocks_ = 0;
    std::uint32_t partly_going_down_ = 0;
    double controller_free_s_ = 0;
};

}  // namespace diskwright
