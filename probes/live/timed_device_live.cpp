// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/timed_device_live.hpp"

#include "probes/live/device_system.hpp"
#include "probes/live/request_runner.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

class LiveDevice final : public TimedDevice {
 public:
    LiveDevice(OpenedDevice device, DeviceGeometry geometry)
        : device_(std::move(device)),
          geometry_(std::move(geometry)),
          runner_(device_.io.get(), 0, device_.path) {}

    std::string name() const override { return device_.path; }
    std::uint64_t size_bytes() const override { return geometry_.size_bytes; }
    std::uint64_t logical_sector_bytes() const override { return geometry_.sector_bytes; }
    std::string cached_because() const override { return geometry_.cached_because; }
    DeviceReport reported() const override { return geometry_.report; }
    unsigned most_in_flight() const override { return most_threads; }
    Clock& clock() override { return clock_; }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth) override {
        return runner_.read(requests, depth);
    }

 private:
    OpenedDevice device_;
    DeviceGeometry geometry_;
    SteadyClock clock_;
    RequestRunner runner_;
};

}  // namespace

Result<std::unique_ptr<TimedDevice>> open_timed_device(const std::string& path) {
    auto device = device_system::open_for_reading(path);
    if (!device) return device.error();
    auto geometry = device_system::geometry(*device);
    if (!geometry) return geometry.error();
    if (geometry->size_bytes < geometry->sector_bytes)
        return Error{ErrorKind::no_input, escaped(path) + ": is empty"};
    return std::unique_ptr<TimedDevice>(
        std::make_unique<LiveDevice>(std::move(*device), std::move(*geometry)));
}

}  // namespace diskwright
