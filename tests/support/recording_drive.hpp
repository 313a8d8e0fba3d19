// SPDX-License-Identifier: BSD-2-Clause
// Drives that note what they were asked, and sets made of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "probes/support/random.hpp"
#include "tests/support/drives.hpp"
#include "tuner/simulator/completion_queue.hpp"
#include "tuner/simulator/event_time.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright::test {

struct NotedRequest {
    std::uint32_t component = 0;
    DriveRequest request;
    double done_s = 0;
};

/// One request at a time in the order they come: so many seconds each, and so many a block.
class RecordingDrive : public SimulatedDrive {
 public:
    RecordingDrive(std::uint64_t blocks, std::uint32_t component, std::vector<NotedRequest>* notes,
                   double request_s = 0.010, double block_s = 10e-6)
        : blocks_(blocks), component_(component), notes_(notes), request_s_(request_s), block_s_(block_s) {}

    std::uint64_t blocks() const override { return blocks_; }
    std::uint32_t logical_blocks() const override { return 1; }
    std::uint32_t physical_blocks() const override { return 1; }
    void submit(const DriveRequest& request) override {
        EXPECT_LE(request.block + request.blocks, blocks_);
        EXPECT_GE(request.arrival_s, last_arrival_s_) << "time ran back";
        last_arrival_s_ = request.arrival_s;
        free_s_ = std::max(free_s_, request.arrival_s) + request_s_ + request.blocks * block_s_;
        counters_.busy_s += request_s_ + request.blocks * block_s_;
        done_.push({request.id, request.arrival_s, free_s_});
        if (notes_) notes_->push_back({component_, request, free_s_});
        if (request.operation == DriveOperation::flush) {
            ++counters_.flushes;
        } else {
            const bool write = request.operation == DriveOperation::write;
            ++(write ? counters_.writes : counters_.reads);
            (write ? counters_.blocks_written : counters_.blocks_read) += request.blocks;
        }
    }
    std::optional<DriveCompletion> next(double until_s) override {
        if (!(done_.next_s() <= until_s) || done_.next_s() == no_limit) return std::nullopt;
        return done_.pop();
    }
    std::uint64_t dirty_blocks() const override { return 0; }
    const DriveCounters& counters() const override { return counters_; }

 protected:
    double next_done_s() const { return done_.next_s(); }

 private:
    std::uint64_t blocks_;
    std::uint32_t component_;
    std::vector<NotedRequest>* notes_;
    double request_s_, block_s_, free_s_ = 0, last_arrival_s_ = 0;
    CompletionQueue done_;
    DriveCounters counters_;
};

/// One that tells when something happens in it.
class TellingDrive final : public RecordingDrive, public TellsNextEvent {
 public:
    using RecordingDrive::RecordingDrive;
    double next_event_s() const override { return next_done_s(); }
};

struct SetDescription {
    VolumeKind kind = VolumeKind::raidframe;
    RaidLevel level = RaidLevel::raid5;
    std::size_t columns = 5;
    std::uint64_t unit_blocks = 8;  // 0: none
    std::string layout{}, balance{}, release{};
    VolumeState state = VolumeState::optimal;
    std::uint64_t cache_bytes = 0;  // of a controller, with a battery
    std::uint64_t component_blocks = 1 << 20;
};

inline MachineConfiguration configuration_of(const SetDescription& set) {
    MachineConfiguration machine;
    MachineConfiguration::Array& volume = machine.volume.emplace();
    volume.kind = set.kind;
    volume.level = set.level;
    volume.state = set.state;
    if (set.unit_blocks > 0) volume.stripe_unit_bytes = set.unit_blocks * 512;
    if (!set.layout.empty()) volume.layout = set.layout;
    if (!set.balance.empty()) volume.balance = set.balance;
    if (!set.release.empty()) {
        machine.os = set.kind == VolumeKind::raidframe ? Os::netbsd : Os::freebsd;
        machine.release = set.release;
    }
    if (set.cache_bytes > 0) {
        machine.controller_cache_bytes = set.cache_bytes;
        machine.controller_battery = true;
    }
    return machine;
}

/// Of recording drives, which tell when something happens in them or don't; notes may be null.
inline std::unique_ptr<SimulatedArray> recorded_array(const SetDescription& set,
                                                      std::vector<NotedRequest>* notes,
                                                      const std::optional<ComponentLimits>& limits = {},
                                                      bool tell = true) {
    std::vector<std::unique_ptr<SimulatedDrive>> drives;
    for (std::uint32_t i = 0; i < set.columns; ++i) {
        if (tell)
            drives.push_back(std::make_unique<TellingDrive>(set.component_blocks, i, notes));
        else
            drives.push_back(std::make_unique<RecordingDrive>(set.component_blocks, i, notes));
    }
    auto array = make_array(configuration_of(set), std::move(drives), limits);
    EXPECT_TRUE(array) << array.error().message;
    return array ? std::move(array->array) : nullptr;
}

/// One request, and all that it makes the components do, what the driver keeps back included.
inline std::vector<NotedRequest> asked_of_components(SimulatedArray& array, std::vector<NotedRequest>& notes,
                                                     DriveRequest request) {
    notes.clear();
    array.submit(request);
    while (array.next(no_limit)) {
    }
    return notes;
}

}  // namespace diskwright::test
