// SPDX-License-Identifier: BSD-2-Clause
// A drive on virtual time: requests go in by their time of arrival, completions come out in the order of
// theirs. No clock, no input or output; the same requests give the same times.
#pragma once

#include <cstdint>
#include <optional>

namespace diskwright {

enum class DriveOperation : std::uint8_t { read, write, flush };

struct DriveRequest {
    std::uint64_t id = 0;
    std::uint64_t block = 0;   // of 512 bytes
    std::uint32_t blocks = 0;  // 0 for a flush
    DriveOperation operation = DriveOperation::read;
    bool through = false;  // a write that is done when it is on the medium (FUA)
    double arrival_s = 0;
};

struct DriveCompletion {
    std::uint64_t id = 0;
    double arrival_s = 0, done_s = 0;
};

/// What a drive did so far. Blocks of 512 bytes.
struct DriveCounters {
    std::uint64_t reads = 0, writes = 0, flushes = 0;
    std::uint64_t blocks_read = 0, blocks_written = 0;  // by requests
    std::uint64_t blocks_from_buffer = 0;               // of blocks_read: no access to the medium
    std::uint64_t media_written = 0;          // by requests, blocks once for each time they went down
    std::uint64_t overwritten_in_buffer = 0;  // written again before they went down
    double busy_s = 0;                        // of the medium, reading ahead excluded
    double seek_s = 0, rotation_s = 0, transfer_s = 0;  // of busy_s
};

/// What it did between the two.
inline DriveCounters operator-(DriveCounters after, const DriveCounters& before) {
    after.reads -= before.reads;
    after.writes -= before.writes;
    after.flushes -= before.flushes;
    after.blocks_read -= before.blocks_read;
    after.blocks_written -= before.blocks_written;
    after.blocks_from_buffer -= before.blocks_from_buffer;
    after.media_written -= before.media_written;
    after.overwritten_in_buffer -= before.overwritten_in_buffer;
    after.busy_s -= before.busy_s;
    after.seek_s -= before.seek_s;
    after.rotation_s -= before.rotation_s;
    after.transfer_s -= before.transfer_s;
    return after;
}

class SimulatedDrive {
 public:
    virtual ~SimulatedDrive() = default;
    virtual std::uint64_t blocks() const = 0;
    virtual std::uint32_t logical_blocks() const = 0;
    virtual std::uint32_t physical_blocks() const = 0;
    /// Lies within blocks(); arrives no earlier than what was submitted before, nor than what was completed.
    virtual void submit(const DriveRequest& request) = 0;
    /// The next completion that does not depend on what may be submitted with an arrival after until_s;
    /// nothing when there is none until then.
    virtual std::optional<DriveCompletion> next(double until_s) = 0;
    /// Written blocks that are in the buffer only, as of the last event.
    virtual std::uint64_t dirty_blocks() const = 0;
    virtual const DriveCounters& counters() const = 0;
};

}  // namespace diskwright
