// SPDX-License-Identifier: BSD-2-Clause
// The drives of a set in step: completions of all of them in the order of their times.
// Those that tell when something happens in them are taken event by event. Of others only what is done up to
// a moment can be had: when several are busy they are asked in steps that are short beside what a request
// takes there; what another request causes then reaches a drive at its exact time, but a choice that the
// drive made within that step stands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/simulator/component_queue.hpp"
#include "tuner/simulator/event_time.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

class ComponentSet {
 public:
    struct Done {
        std::uint32_t component = 0;
        DriveCompletion completion;
        double queued_s = 0;
    };

    /// start_block: of the component on its drive. A missing component has no drive.
    void add(std::unique_ptr<SimulatedDrive> drive, std::uint64_t start_block, const ComponentQueue& queue);

    std::size_t size() const { return components_.size(); }
    const SimulatedDrive* drive(std::size_t component) const { return components_[component].drive.get(); }
    /// At the component or in front of it.
    std::size_t load(std::size_t component) const {
        return components_[component].outstanding + components_[component].queue.waiting();
    }
    std::uint64_t last_block(std::size_t component) const { return components_[component].queue.last(); }
    /// Nothing is at a component.
    bool quiet() const { return busy_ == 0; }

    /// Blocks as of the component. How long it waited in the driver's queue is added to queue_s.
    void send(std::uint32_t component, DriveRequest request, double now_s, double& queue_s);
    /// The earliest completion that is not yet handed out, up to limit_s; the component gets its next
    /// request.
    std::optional<Done> next(double limit_s, double& queue_s);
    /// Lets drives that nobody waits for go on with what they have in their buffers.
    void settle(double until_s);

 private:
    struct Component {
        std::unique_ptr<SimulatedDrive> drive;
        std::uint64_t start_block = 0;
        ComponentQueue queue;
        std::uint32_t outstanding = 0;
        double asked_s = 0;  // up to there the drive said all it had to say
        std::optional<DriveCompletion> held;
        const TellsNextEvent* tells = nullptr;  // the drive
        double event_s = 0;                     // of one that tells

        bool waits() const { return outstanding > 0 && !held; }
        bool may_have_done(double by_s) const {
            return waits() && (tells ? event_s <= by_s : asked_s < by_s);
        }
    };
    void dispatch(Component& component, double now_s, double& queue_s);
    bool ask(double to_s);

    std::vector<Component> components_;
    std::vector<DriveRequest> requests_;  // those that wait in queues, by their slot
    std::vector<std::uint32_t> free_;
    std::size_t busy_ = 0;
    double now_s_ = 0, step_s_ = 20e-6;
};

}  // namespace diskwright
