// SPDX-License-Identifier: BSD-2-Clause
// Carries out what a driver plans: locks, steps, components, one event at a time.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "tuner/simulator/array_driver.hpp"
#include "tuner/simulator/completion_queue.hpp"
#include "tuner/simulator/component_set.hpp"
#include "tuner/simulator/simulated_array.hpp"
#include "tuner/simulator/stripe_locks.hpp"

namespace diskwright {

class ArrayModel final : public SimulatedArray, private ArrayServices {
 public:
    struct Sectors {
        std::uint64_t blocks = 0;  // of the volume
        std::uint32_t logical_blocks = 1, physical_blocks = 1;
    };
    ArrayModel(ComponentSet components, const Sectors& sectors);
    /// Before the first request.
    void drive_with(std::unique_ptr<ArrayDriver> driver) { driver_ = std::move(driver); }
    ArrayServices& services() { return *this; }

    std::uint64_t blocks() const override { return sectors_.blocks; }
    std::uint32_t logical_blocks() const override { return sectors_.logical_blocks; }
    std::uint32_t physical_blocks() const override { return sectors_.physical_blocks; }
    void submit(const DriveRequest& request) override { host_.push_back(request); }
    std::optional<DriveCompletion> next(double until_s) override;
    std::uint64_t dirty_blocks() const override;
    const DriveCounters& counters() const override;
    std::size_t components() const override { return components_.size(); }
    const DriveCounters& component_counters(std::size_t component) const override;
    std::uint64_t component_dirty_blocks(std::size_t component) const override;
    const ArrayCounters& array_counters() const override { return array_counters_; }

 private:
    static constexpr double never = ArrayDriver::never;

    struct Request {
        DriveRequest request;
        std::uint32_t parts = 0;  // not yet answered
        double answered_s = 0;
    };
    struct Part {
        DriveRequest part;
        std::uint32_t request = 0;
    };
    struct Chain {
        std::uint32_t step = 0, last_step = 0, outstanding = 0;
    };
    struct Job {
        ArrayPlan plan;
        std::vector<Chain> chains;
        std::uint64_t tag = 0;
        std::uint32_t request = nobodys_request, chains_left = 0, locks = 0;
        double begun_s = 0;
    };
    struct Sent {
        ComponentUse use = ComponentUse::data;
        std::uint32_t job = 0, chain = 0;
    };

    ArrayPlan& new_plan() override;
    void begin(std::uint32_t request, std::uint64_t tag) override;
    void answer(std::uint32_t request, double at_s) override;
    double now_s() const override { return now_s_; }
    std::size_t load(std::uint32_t component) const override { return components_.load(component); }
    std::uint64_t last_block(std::uint32_t component) const override {
        return components_.last_block(component);
    }
    ArrayCounters& counters() override { return array_counters_; }

    void arrive(const DriveRequest& request);
    void take_parts();
    void lock_and_run(std::uint32_t job);
    void send_step(std::uint32_t job, std::uint32_t chain);
    void count(const ComponentRequest& request);
    void component_done(const ComponentSet::Done& done);
    void finish(std::uint32_t job);

    ComponentSet components_;
    Sectors sectors_;
    std::unique_ptr<ArrayDriver> driver_;
    std::deque<DriveRequest> host_;  // not yet arrived
    std::deque<Part> parts_;         // arrived, not yet taken
    std::vector<Request> requests_;
    std::vector<Job> jobs_;
    std::vector<Sent> sent_;
    std::vector<std::uint32_t> free_requests_, free_jobs_, free_sent_, granted_;
    std::uint32_t planned_ = 0;  // the job that new_plan() gave out
    StripeLocks locks_;
    CompletionQueue done_;
    ArrayCounters array_counters_;
    DriveCounters volume_counters_;
    mutable DriveCounters counters_;
    double now_s_ = 0;
    std::uint32_t open_ = 0;  // requests of the volume
};

}  // namespace diskwright
