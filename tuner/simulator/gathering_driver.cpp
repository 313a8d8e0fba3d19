// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/gathering_driver.hpp"

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t mirror_stripe_blocks = 2048;  // of a set without units

std::uint64_t blocks_of(const std::vector<Extent>& extents) {
    std::uint64_t blocks = 0;
    for (const Extent& extent : extents) blocks += extent.end - extent.first;
    return blocks;
}

// Adds one to extents that are in order; how many blocks are new.
std::uint64_t insert(std::vector<Extent>& extents, Extent added) {
    const std::uint64_t before = blocks_of(extents);
    auto first = std::find_if(extents.begin(), extents.end(),
                              [&](const Extent& extent) { return extent.end >= added.first; });
    auto last = first;
    while (last != extents.end() && last->first <= added.end) {
        added = {std::min(added.first, last->first), std::max(added.end, last->end)};
        ++last;
    }
    extents.insert(extents.erase(first, last), added);
    return blocks_of(extents) - before;
}

}  // namespace

GatheringDriver::GatheringDriver(const SetPolicy& policy, ArrayLayout layout, const ComponentHealth& health,
                                 ArrayServices& array)
    : SetDriver(policy, std::move(layout), health, array),
      stripe_blocks_(layout_.unit_blocks() > 0 ? layout_.unit_blocks() * layout_.data_units()
                                               : mirror_stripe_blocks) {}

bool GatheringDriver::takes(const DriveRequest& part) const {
    if (part.operation == DriveOperation::write && held_blocks_ > 0 &&
        held_blocks_ + part.blocks > policy_.gathering.cache_blocks)
        return false;
    return SetDriver::takes(part);
}

// The controller handles one command after the other.
double GatheringDriver::controller(std::uint32_t blocks) {
    controller_free_s_ = std::max(controller_free_s_, array_.now_s()) + policy_.gathering.command_s +
                         blocks * policy_.gathering.block_s;
    return controller_free_s_;
}

bool GatheringDriver::holds(const DriveRequest& part) const {
    for (std::uint64_t block = part.block; block < part.block + part.blocks;) {
        const auto at = gathered_.find(block / stripe_blocks_);
        if (at == gathered_.end()) return false;
        const auto extent =
            std::find_if(at->second.extents.begin(), at->second.extents.end(),
                         [&](const Extent& one) { return one.first <= block && block < one.end; });
        if (extent == at->second.extents.end()) return false;
        block = extent->end;
    }
    return true;
}

void GatheringDriver::take(const DriveRequest& part, std::uint32_t request) {
    if (part.operation == DriveOperation::read && policy_.gathering.answers_at_once && holds(part))
        return array_.answer(request, controller(part.blocks));
    SetDriver::take(part, request);
}

void GatheringDriver::write(const DriveRequest& part, std::uint32_t request) {
    std::uint32_t slot = nobodys_request;
    if (policy_.gathering.answers_at_once) {
        --going_on_;
        array_.answer(request, controller(part.blocks));
    } else if (free_.empty()) {
        slot = static_cast<std::uint32_t>(waiting_.size());
        waiting_.push_back({request, 0});
    } else {
        slot = free_.back();
        free_.pop_back();
        waiting_[slot] = {request, 0};
    }
    const std::uint64_t end = part.block + part.blocks;
    for (std::uint64_t block = part.block; block < end;) {
        const std::uint64_t next = std::min(end, (block / stripe_blocks_ + 1) * stripe_blocks_);
        if (slot != nobodys_request) ++waiting_[slot].stripes;
        gather({block, next}, slot);
        block = next;
    }
}

void GatheringDriver::gather(const Extent& extent, std::uint32_t part) {
    const auto at = gathered_.try_emplace(extent.first / stripe_blocks_).first;
    Stripe& stripe = at->second;
    held_blocks_ += insert(stripe.extents, extent);
    by_age_.erase({stripe.since_s, at->first});
    stripe.since_s = array_.now_s();
    stripe.whole = blocks_of(stripe.extents) == stripe_blocks_;
    if (part != nobodys_request) stripe.waiting.push_back(part);
    if (going_down_.contains(at->first)) return;
    by_age_.emplace(stripe.since_s, at->first);
    if (stripe.whole) start(at);
}

// How many more partly written stripes may go down. In a batch all go that are there.
std::uint32_t GatheringDriver::room() const {
    if (policy_.gathering.stripes == 0) return partly_going_down_ == 0 ? UINT32_MAX : 0;
    return policy_.gathering.stripes - std::min(policy_.gathering.stripes, partly_going_down_);
}

std::map<std::uint64_t, GatheringDriver::Stripe>::iterator GatheringDriver::due() {
    if (by_age_.empty()) return gathered_.end();
    const auto& [since_s, oldest] = *by_age_.begin();
    if (since_s + policy_.gathering.idle_s <= array_.now_s()) return gathered_.find(oldest);
    if (!pressed()) return gathered_.end();
    for (int turn = 0; turn < 2; ++turn) {
        auto at = gathered_.lower_bound(sweep_);
        while (at != gathered_.end() && going_down_.contains(at->first)) ++at;
        sweep_ = at == gathered_.end() ? 0 : at->first + 1;
        if (at != gathered_.end()) return at;
    }
    return gathered_.end();
}

void GatheringDriver::start(std::map<std::uint64_t, Stripe>::iterator at) {
    Stripe& stripe = going_down_.emplace(at->first, std::move(at->second)).first->second;
    const std::uint64_t number = at->first;
    by_age_.erase({stripe.since_s, number});
    gathered_.erase(at);
    if (!stripe.whole) ++partly_going_down_;
    const Extent whole{stripe.extents.front().first, stripe.extents.back().end};
    const bool marks = needs_marking(whole);
    ArrayPlan& plan = array_.new_plan();
    if (marks) plan_marking(plan);
    plan_write(plan, stripe.extents, false);
    array_.begin(nobodys_request, std::uint64_t(Tag::gathered) | number << 8);
}

void GatheringDriver::done(std::uint64_t tag, std::uint32_t request) {
    if (static_cast<Tag>(tag & 0xff) != Tag::gathered) return SetDriver::done(tag, request);
    const auto at = going_down_.find(tag >> 8);
    const Stripe stripe = std::move(at->second);
    going_down_.erase(at);
    if (!stripe.whole) --partly_going_down_;
    unmark({stripe.extents.front().first, stripe.extents.back().end});
    held_blocks_ -= blocks_of(stripe.extents);
    for (const std::uint32_t slot : stripe.waiting) {
        if (--waiting_[slot].stripes > 0) continue;
        free_.push_back(slot);
        --going_on_;
        array_.answer(waiting_[slot].request, array_.now_s());
    }
    const auto again = gathered_.find(tag >> 8);
    if (again == gathered_.end()) return;
    by_age_.emplace(again->second.since_s, again->first);
    if (again->second.whole) start(again);
}

double GatheringDriver::wakes_s() const {
    const double set_s = SetDriver::wakes_s();
    if (by_age_.empty() || room() == 0) return set_s;
    return std::min(set_s, pressed() ? 0 : by_age_.begin()->first + policy_.gathering.idle_s);
}

void GatheringDriver::wake() {
    SetDriver::wake();
    for (std::uint32_t left = room(); left > 0; --left) {
        const auto at = due();
        if (at == gathered_.end()) return;
        start(at);
    }
}

}  // namespace diskwright
