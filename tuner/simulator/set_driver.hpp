// SPDX-License-Identifier: BSD-2-Clause
// A driver of sets, as its policy says: RAIDframe, GEOM's classes, softraid, md, ccd, controllers without a
// cache.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "tuner/simulator/array_driver.hpp"
#include "tuner/simulator/array_layout.hpp"
#include "tuner/simulator/component_health.hpp"
#include "tuner/simulator/dirty_regions.hpp"
#include "tuner/simulator/mirror_balance.hpp"
#include "tuner/simulator/parity_planner.hpp"
#include "tuner/simulator/set_policy.hpp"

namespace diskwright {

/// Blocks of the volume.
struct Extent {
    std::uint64_t first = 0, end = 0;
};

class SetDriver : public ArrayDriver {
 public:
    /// array outlives it.
    SetDriver(const SetPolicy& policy, ArrayLayout layout, const ComponentHealth& health,
              ArrayServices& array);

    std::uint32_t most_blocks() const override { return policy_.most_blocks; }
    bool takes(const DriveRequest& part) const override;
    void take(const DriveRequest& part, std::uint32_t request) override;
    void done(std::uint64_t tag, std::uint32_t request) override;
    double wakes_s() const override;
    void wake() override;

 protected:
    enum class Tag : std::uint8_t { part, marked, cleared, rebuilt, gathered };
    static std::uint64_t tag_of(Tag kind, std::uint64_t first = 0, std::uint64_t last = 0) {
        return std::uint64_t(kind) | first << 8 | last << 36;
    }

    virtual void write(const DriveRequest& part, std::uint32_t request);
    void read(const DriveRequest& part, std::uint32_t request);
    void flush(std::uint32_t request);
    /// Extents in order, none touching the blocks of another.
    void plan_write(ArrayPlan& plan, std::span<const Extent> extents, bool through);
    /// Fills a plan when the regions of the extent have to be marked first; they count as written to from now
    /// on.
    bool needs_marking(const Extent& extent) {
        return map_ && map_->begin(region(extent.first), region(extent.end - 1));
    }
    void plan_marking(ArrayPlan& plan);
    void unmark(const Extent& extent) {
        if (map_) map_->end(region(extent.first), region(extent.end - 1), array_.now_s());
    }

    SetPolicy policy_;
    ArrayLayout layout_;
    ComponentHealth health_;
    ArrayServices& array_;
    std::uint32_t going_on_ = 0;  // parts taken and not done

 private:
    std::uint64_t region(std::uint64_t block) const {
        return std::min<std::uint64_t>(block / policy_.map.region_blocks, map_->count() - 1);
    }
    void begin_write(const DriveRequest& part, std::uint32_t request);
    void plan_flush(ArrayPlan& plan);
    void plan_read(ArrayPlan& plan, const DriveRequest& part);
    void plan_byte_striped(ArrayPlan& plan, const DriveRequest& part);
    void read_copies(const UnitPiece& piece);
    void add_locks(ArrayPlan& plan, std::uint64_t stripe, std::span<const UnitPiece> pieces, bool write);
    template <class F>
    void each_stripe(std::span<const UnitPiece> pieces, const F& f) const;
    void end_chain(ArrayPlan& plan);
    void rebuild();

    ParityPlanner parity_;
    MirrorReader mirror_;
    std::optional<DirtyRegions> map_;
    struct Held {
        DriveRequest part;
        std::uint32_t request = 0;
    };
    std::deque<Held> marking_;  // writes whose regions are being marked
    std::optional<std::uint32_t> waiting_flush_;
    std::vector<UnitPiece> pieces_, all_pieces_;
    StripeRequests stripe_;
    bool rebuild_going_on_ = false;
    std::uint64_t rebuild_end_ = 0;  // of what is being copied
    double rebuild_from_s_ = 0;
    std::uint64_t turn_ = 0;
};

}  // namespace diskwright
