// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "probes/live/device_system.hpp"
#include "probes/live/scratch.hpp"

namespace diskwright {

/// The locks between a scratch request and a write, for as long as the device is open.
class Interlocks {
 public:
    Interlocks(ScratchRequest request, CommandRunner& commands)
        : request_(std::move(request)), commands_(commands) {}

    /// Before anything is opened: both names are given and are one device, or one file that is no symlink.
    std::optional<Error> before_open() const;
    /// Right before a write, on the descriptor that will write. The first call fixes the serial number.
    std::optional<Error> before_write(const OpenedDevice& device, const DeviceGeometry& geometry,
                                      ByteRange region);

 private:
    std::optional<Obstacle> identity(const OpenedDevice& device);
    Result<std::optional<Obstacle>> signature(const OpenedDevice& device, const DeviceGeometry& geometry,
                                              ByteRange region) const;
    Error refused(const Obstacle& obstacle) const;

    ScratchRequest request_;
    CommandRunner& commands_;
    std::optional<std::string> serial_;
};

}  // namespace diskwright
