// SPDX-License-Identifier: BSD-2-Clause
// The two device types of the timing probes. Read-only is a type, not a flag: a probe that takes a
// TimedDevice cannot write, and a ScratchDevice exists only after the interlocks of CONTRACT section 1
// passed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "probes/support/result.hpp"

namespace diskwright {

class TimedDevice {
 public:
    virtual ~TimedDevice() = default;
    virtual std::string name() const = 0;
    virtual std::uint64_t size_bytes() const = 0;
    virtual std::uint64_t logical_sector_bytes() const = 0;
    /// Service time of one direct read; offset and length are multiples of the logical sector.
    virtual Result<std::chrono::nanoseconds> read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
};

class ScratchDevice : public TimedDevice {
 public:
    virtual Result<std::chrono::nanoseconds> write_at(std::uint64_t offset,
                                                      std::span<const std::byte> from) = 0;
    /// Time of one cache flush; unavailable where the system offers none to programs.
    virtual Result<std::chrono::nanoseconds> flush() = 0;
};

}  // namespace diskwright
