// SPDX-License-Identifier: BSD-2-Clause
// The two device types of the timing probes. Read-only is a type, not a flag: a probe that takes a
// TimedDevice cannot write, and a ScratchDevice exists only after the interlocks of CONTRACT section 1
// passed. The simulator implements both on its own time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probes/support/clock.hpp"
#include "probes/support/result.hpp"
#include "probes/timing/device_report.hpp"

namespace diskwright {

/// Offsets and lengths of requests are multiples of the logical sector and lie within size_bytes().
struct ReadRequest {
    std::uint64_t offset = 0, length = 0;
    bool operator==(const ReadRequest&) const = default;
};

/// Of a run of requests: the time of each, in the order of the requests, and from first issue to last end.
struct RunTiming {
    std::vector<std::chrono::nanoseconds> service;
    std::chrono::nanoseconds elapsed{};
    /// As in WriteTiming; false for runs that only read.
    bool after_check = false;
};

class TimedDevice {
 public:
    virtual ~TimedDevice() = default;
    virtual std::string name() const = 0;
    virtual std::uint64_t size_bytes() const = 0;
    /// Where on the device of that name offset 0 lies.
    virtual std::uint64_t first_byte() const { return 0; }
    virtual std::uint64_t logical_sector_bytes() const = 0;
    /// Empty when reads go to the medium; else why their times may be those of a cache.
    virtual std::string cached_because() const = 0;
    virtual DeviceReport reported() const { return {}; }
    /// The time the device's requests run on.
    virtual Clock& clock() = 0;
    /// Requests it can have in flight; 1: it takes them one at a time, and a larger depth changes nothing.
    virtual unsigned most_in_flight() const { return 1; }
    /// Reads all of them past any cache of the host, in their order, with up to `depth` in flight; a batch is
    /// issued at once with a depth of its size. An error names the offset.
    virtual Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth) = 0;
};

struct WriteTiming {
    std::chrono::nanoseconds time{};
    /// The first write after the interlocks were evaluated, which moves the heads and takes its time: no
    /// sample like the others.
    bool after_check = false;
};

/// Of a run that mixes reads and writes.
struct MixedRequest {
    std::uint64_t offset = 0, length = 0;
    bool write = false;
    bool operator==(const MixedRequest&) const = default;
};

class ScratchDevice : public TimedDevice {
 public:
    /// Evaluates the interlocks. Whatever writes - a probe, a trial - begins with it; within a step that
    /// takes longer, write_at() evaluates them again.
    virtual std::optional<Error> begin_step() = 0;
    /// One direct write.
    virtual Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) = 0;
    /// As read(), of reads and direct writes. `from` is what the writes write, one after the other.
    /// unavailable where only read() and write_at() exist.
    virtual Result<RunTiming> run(std::span<const MixedRequest> requests, unsigned depth,
                                  std::span<const std::byte> from) {
        static_cast<void>(requests), static_cast<void>(depth), static_cast<void>(from);
        return Error{ErrorKind::unavailable, name() + ": takes no writes with others in flight"};
    }
    /// Time of one flush of the device's cache; unavailable where the system offers none to programs.
    virtual Result<std::chrono::nanoseconds> flush() = 0;
};

}  // namespace diskwright
