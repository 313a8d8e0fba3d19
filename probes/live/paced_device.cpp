// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/paced_device.hpp"

#include <algorithm>
#include <thread>

#include "probes/live/device_system.hpp"

namespace diskwright {
namespace {

// What waits longer than this meanwhile was not kept from anything by one probe.
constexpr std::chrono::seconds longest_pause{2};

void pause_for(std::chrono::nanoseconds time) {
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(time, longest_pause));
}

}  // namespace

PacedDevice::PacedDevice(TimedDevice& device, ScratchDevice* scratch) : device_(device), scratch_(scratch) {
    device_system::yield_to_others();
}

Result<RunTiming> PacedDevice::read(std::span<const ReadRequest> requests, unsigned depth) {
    auto timing = device_.read(requests, depth);
    if (timing) pause_for(timing->elapsed);
    return timing;
}

Result<WriteTiming> PacedDevice::write_at(std::uint64_t offset, std::span<const std::byte> from) {
    return scratch_->write_at(offset, from);
}

Result<RunTiming> PacedDevice::run(std::span<const MixedRequest> requests, unsigned depth,
                                   std::span<const std::byte> from) {
    auto timing = scratch_->run(requests, depth, from);
    if (timing) pause_for(timing->elapsed);
    return timing;
}

Result<std::chrono::nanoseconds> PacedDevice::flush() {
    auto time = scratch_->flush();
    if (time) pause_for(*time);
    return time;
}

}  // namespace diskwright
