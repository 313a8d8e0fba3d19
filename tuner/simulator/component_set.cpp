// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/component_set.hpp"

#include <algorithm>

namespace diskwright {
namespace {

constexpr double shortest_step_s = 1e-6, longest_step_s = 100e-6;
constexpr double steps_of_request = 64, memory = 1.0 / 32;

}  // namespace

void ComponentSet::add(std::unique_ptr<SimulatedDrive> drive, std::uint64_t start_block,
                       const ComponentQueue& queue) {
    const auto* tells = dynamic_cast<const TellsNextEvent*>(drive.get());
    components_.push_back({std::move(drive), start_block, queue, 0, 0, {}, tells, 0});
}

void ComponentSet::send(std::uint32_t component, DriveRequest request, double now_s, double& queue_s) {
    Component& to = components_[component];
    std::uint32_t slot = 0;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(requests_.size());
        requests_.push_back(request);
    } else {
        slot = free_.back();
        free_.pop_back();
        requests_[slot] = request;
    }
    to.queue.add({slot, request.block, request.block + request.blocks, now_s});
    dispatch(to, now_s, queue_s);
}

void ComponentSet::dispatch(Component& component, double now_s, double& queue_s) {
    while (const auto next = component.queue.take(component.outstanding)) {
        DriveRequest request = requests_[next->id];
        free_.push_back(static_cast<std::uint32_t>(next->id));
        queue_s += now_s - next->since_s;
        request.block += request.operation == DriveOperation::flush ? 0 : component.start_block;
        request.arrival_s = now_s;
        component.drive->submit(request);
        component.asked_s = now_s;
        if (component.outstanding++ == 0) ++busy_;
    }
    if (component.tells && component.outstanding > 0) component.event_s = component.tells->next_event_s();
    now_s_ = std::max(now_s_, now_s);
}

// Asks those that are busy what is done up to then; whether any had an answer.
bool ComponentSet::ask(double to_s) {
    bool found = false;
    for (Component& component : components_) {
        if (!component.may_have_done(to_s)) continue;
        component.held = component.drive->next(to_s);
        component.asked_s = component.held ? component.held->done_s : to_s;
        if (component.tells) component.event_s = component.tells->next_event_s();
        found = found || component.held;
    }
    return found;
}

std::optional<ComponentSet::Done> ComponentSet::next(double limit_s, double& queue_s) {
    while (busy_ > 0) {
        Component* first = nullptr;
        for (Component& component : components_)
            if (component.held && (!first || component.held->done_s < first->held->done_s))
                first = &component;
        if (first && ask(first->held->done_s)) continue;
        if (first) {
            if (first->held->done_s > limit_s) return std::nullopt;
            Done done{static_cast<std::uint32_t>(first - components_.data()), *first->held, 0};
            first->held.reset();
            if (--first->outstanding == 0) --busy_;
            now_s_ = std::max(now_s_, done.completion.done_s);
            const double took_s = done.completion.done_s - done.completion.arrival_s;
            step_s_ +=
                memory * (std::clamp(took_s / steps_of_request, shortest_step_s, longest_step_s) - step_s_);
            dispatch(*first, done.completion.done_s, queue_s);
            return done;
        }
        // One alone cannot be surprised by another.
        double to_s = limit_s;
        if (busy_ > 1)
            for (const Component& component : components_)
                if (component.waits())
                    to_s = std::min(to_s, component.tells ? component.event_s : now_s_ + step_s_);
        if (ask(to_s)) continue;
        now_s_ = std::max(now_s_, to_s);
        if (to_s >= limit_s) return std::nullopt;
    }
    return std::nullopt;
}

void ComponentSet::settle(double until_s) {
    for (Component& component : components_)
        if (component.drive && component.outstanding == 0) component.drive->next(until_s);
}

}  // namespace diskwright
