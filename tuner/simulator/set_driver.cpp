// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/set_driver.hpp"

#include <algorithm>

namespace diskwright {

SetDriver::SetDriver(const SetPolicy& policy, ArrayLayout layout, const ComponentHealth& health,
                     ArrayServices& array)
    : policy_(policy),
      layout_(std::move(layout)),
      health_(health),
      array_(array),
      parity_(policy.parity, layout_, health_, array.counters()),
      mirror_(policy.balance, layout_.columns()) {
    if (policy_.map.region_blocks == 0) return;
    const std::uint64_t regions =
        (layout_.blocks() + policy_.map.region_blocks - 1) / policy_.map.region_blocks;
    map_.emplace(std::clamp<std::uint64_t>(regions, 1, std::uint64_t{1} << 24), policy_.map.tick_s,
                 policy_.map.cooldown);
}

bool SetDriver::takes(const DriveRequest& part) const {
    if (waiting_flush_ || (policy_.map.stops_all && !marking_.empty())) return false;
    return part.operation == DriveOperation::flush || going_on_ < policy_.outstanding;
}

void SetDriver::take(const DriveRequest& part, std::uint32_t request) {
    ++going_on_;
    switch (part.operation) {
        case DriveOperation::read:
            return read(part, request);
        case DriveOperation::write:
            return write(part, request);
        case DriveOperation::flush:
            return flush(request);
    }
}

void SetDriver::flush(std::uint32_t request) {
    if (policy_.flush == FlushStyle::waits_only) {
        ++array_.counters().lost_flushes;
        if (going_on_ > 1) {
            waiting_flush_ = request;
            return;
        }
    }
    ArrayPlan& plan = array_.new_plan();
    if (policy_.flush == FlushStyle::together || policy_.flush == FlushStyle::one_after_another)
        plan_flush(plan);
    array_.begin(request, tag_of(Tag::part));
}

void SetDriver::plan_flush(ArrayPlan& plan) {
    for (std::uint32_t i = 0; i < layout_.columns(); ++i) {
        if (i == health_.missing && !health_.rebuilding) continue;
        plan.add({0, 0, i, DriveOperation::flush, ComponentUse::flush, false});
        if (policy_.flush == FlushStyle::one_after_another) plan.end_step();
    }
    plan.end_step();
}

void SetDriver::plan_marking(ArrayPlan& plan) {
    for (std::uint32_t i = 0; i < layout_.columns(); ++i) {
        if (i == health_.missing && !health_.rebuilding) continue;
        plan.add({policy_.map.block, policy_.map.blocks, i, DriveOperation::write, ComponentUse::map,
                  policy_.map.through});
        if (policy_.map.one_after_another) plan.end_step();
    }
    plan.end_step();
}

void SetDriver::write(const DriveRequest& part, std::uint32_t request) {
    const bool marks = needs_marking({part.block, part.block + part.blocks});
    if (!marks) return begin_write(part, request);
    marking_.push_back({part, request});
    ArrayPlan& plan = array_.new_plan();
    plan_marking(plan);
    if (policy_.map.flushes) plan_flush(plan);
    array_.begin(request, tag_of(Tag::marked, marking_.size()));
}

void SetDriver::begin_write(const DriveRequest& part, std::uint32_t request) {
    ArrayPlan& plan = array_.new_plan();
    const Extent extent{part.block, part.block + part.blocks};
    if (layout_.is_byte_striped())
        plan_byte_striped(plan, part);
    else
        plan_write(plan, {&extent, 1}, part.through);
    const std::uint64_t first = map_ ? region(extent.first) : 0, last = map_ ? region(extent.end - 1) : 0;
    array_.begin(request, tag_of(Tag::part, first + 1, last + 1));
}

void SetDriver::read(const DriveRequest& part, std::uint32_t request) {
    ArrayPlan& plan = array_.new_plan();
    plan_read(plan, part);
    array_.begin(request, tag_of(Tag::part));
}

void SetDriver::done(std::uint64_t tag, std::uint32_t request) {
    const std::uint64_t first = tag >> 8 & 0xfffffff, last = tag >> 36;
    switch (static_cast<Tag>(tag & 0xff)) {
        case Tag::part:
            if (first > 0 && map_) map_->end(first - 1, last - 1, array_.now_s());
            --going_on_;
            array_.answer(request, array_.now_s());
            break;
        case Tag::marked: {
            const auto held = std::find_if(marking_.begin(), marking_.end(),
                                           [&](const Held& one) { return one.request == request; });
            const Held one = *held;
            marking_.erase(held);
            begin_write(one.part, one.request);
            break;
        }
        case Tag::rebuilt:
            rebuild_going_on_ = false;
            health_.rebuilt_to = rebuild_end_;
            if (health_.rebuilt_to >= layout_.reserved_blocks() + layout_.component_data_blocks())
                health_ = {};
            break;
        case Tag::cleared:
        case Tag::gathered:
            break;
    }
    if (waiting_flush_ && going_on_ == 1) {
        const std::uint32_t flush = *waiting_flush_;
        waiting_flush_.reset();
        --going_on_;
        array_.answer(flush, array_.now_s());
    }
}

double SetDriver::wakes_s() const {
    const double map_s = map_ ? map_->next_tick_s() : never;
    const bool copies = health_.rebuilding && !rebuild_going_on_;
    return std::min(map_s, copies ? rebuild_from_s_ : never);
}

void SetDriver::wake() {
    if (map_ && map_->next_tick_s() <= array_.now_s() && map_->tick(array_.now_s())) {
        ArrayPlan& plan = array_.new_plan();
        if (policy_.map.flushes) plan_flush(plan);
        plan_marking(plan);
        array_.begin(nobodys_request, tag_of(Tag::cleared));
    }
    if (health_.rebuilding && !rebuild_going_on_ && rebuild_from_s_ <= array_.now_s()) rebuild();
}

void SetDriver::rebuild() {
    const std::uint64_t end = layout_.reserved_blocks() + layout_.component_data_blocks();
    const std::uint64_t from = std::max(health_.rebuilt_to, layout_.reserved_blocks());
    const auto blocks =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(policy_.rebuild.blocks, end - from));
    rebuild_from_s_ = array_.now_s() + policy_.rebuild.pace_s;
    rebuild_going_on_ = true;
    ArrayPlan& plan = array_.new_plan();
    const std::uint32_t copy = *health_.missing;
    for (std::uint32_t i = 0; i < layout_.columns(); ++i) {
        const bool partner = i == (copy + 1) % layout_.columns();
        if (i != copy && (partner || !layout_.is_mirrored()))
            plan.add({from, blocks, i, DriveOperation::read, ComponentUse::rebuild, false});
    }
    plan.end_step();
    plan.add({from, blocks, copy, DriveOperation::write, ComponentUse::rebuild, false});
    rebuild_end_ = from + blocks;
    array_.begin(nobodys_request, tag_of(Tag::rebuilt));
}

}  // namespace diskwright
