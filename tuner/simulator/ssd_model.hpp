// SPDX-License-Identifier: BSD-2-Clause
// A drive of flash memory: units that work at the same time, pages, erase blocks, a write buffer, and garbage
// collection once the pages that were free are used up. An approximation: pages lie on units in turn, small
// writes are gathered into whole pages, there is no map of them, and what collecting costs follows from how
// scattered the writes are.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tuner/simulator/completion_queue.hpp"
#include "tuner/simulator/event_time.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

/// Blocks are 512 bytes.
struct SsdParameters {
    std::uint64_t blocks = 0;
    std::uint32_t logical_blocks = 1, physical_blocks = 1;
    std::uint32_t physical_first = 0;  // block at which the first whole physical sector begins
    bool ignores_flush = false;
    std::uint32_t units = 8, page_blocks = 8, queue_depth = 32;
    std::uint64_t erase_pages = 512, buffer_pages = 0;  // 0: no write buffer
    double read_s = 0, program_s = 0, erase_s = 0;      // of a page; of an erase block
    double spare = 0.07;                                // pages beyond the size, of the size
    bool protected_buffer = false;
    double command_s = 0, block_s = 0;  // block_s: over the interface
};

/// Why the model cannot run it; nothing when it can.
std::optional<std::string> drive_error(const SsdParameters& drive);

class SsdModel final : public SimulatedDrive, public TellsNextEvent {
 public:
    explicit SsdModel(const SsdParameters& drive);

    std::uint64_t blocks() const override { return drive_.blocks; }
    std::uint32_t logical_blocks() const override { return drive_.logical_blocks; }
    std::uint32_t physical_blocks() const override { return drive_.physical_blocks; }
    void submit(const DriveRequest& request) override { host_.push_back(request); }
    std::optional<DriveCompletion> next(double until_s) override;
    double next_event_s() const override;
    std::uint64_t dirty_blocks() const override;
    const DriveCounters& counters() const override { return counters_; }

    /// Pages programmed for each one written, as writes are now.
    double write_amplification() const;

 private:
    struct Unit {
        double read_free_s = 0, program_free_s = 0;
        double programmed = 0;  // pages, since a block was erased
    };
    double serve(const DriveRequest& request, double at_s);
    double read(const DriveRequest& request, double at_s);
    double write(const DriveRequest& request, double at_s);
    double flush(double at_s);
    double program(double from_s, double share, bool partly);
    double over_link(std::uint32_t blocks, double from_s);

    SsdParameters drive_;
    std::deque<DriveRequest> host_;
    CompletionQueue done_;
    DriveCounters counters_;
    std::vector<Unit> units_;
    std::vector<double> buffer_;  // a ring: when the page in it is on flash
    std::size_t oldest_ = 0, next_unit_ = 0;
    std::uint64_t last_write_end_ = 0;
    double free_pages_;
    double scattered_ = 0;  // share of the recent writes that did not follow the one before
    double link_free_s_ = 0, now_s_ = 0, slot_free_s_ = 0, programmed_s_ = 0;
    std::uint32_t in_drive_ = 0;
    bool written_since_flush_ = false;
};

}  // namespace diskwright
