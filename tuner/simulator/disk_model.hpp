// SPDX-License-Identifier: BSD-2-Clause
// A drive that rotates: command overheads, buffer, read-ahead, write caching, queue and mechanics, one event
// a request or two. What an active request does is DiskSim's description of it (kaikai-sk/disksim-4.0:
// src/disksim_diskctlr.c and the parameters' texts); two things go further than that: any number of written
// extents may wait in the buffer when writes are buffered ahead of their turn, and a write that covers part
// of a physical sector reads it first.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <vector>

#include "tuner/simulator/completion_queue.hpp"
#include "tuner/simulator/disk_buffer.hpp"
#include "tuner/simulator/disk_mechanics.hpp"
#include "tuner/simulator/drive_parameters.hpp"
#include "tuner/simulator/event_time.hpp"
#include "tuner/simulator/host_transfer.hpp"
#include "tuner/simulator/media_reader.hpp"
#include "tuner/simulator/media_writer.hpp"
#include "tuner/simulator/request_queue.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

class DiskModel final : public SimulatedDrive, public TellsNextEvent {
 public:
    explicit DiskModel(const DriveParameters& drive);  // drive_error() has nothing against it

    std::uint64_t blocks() const override { return mechanics_.geometry().blocks(); }
    std::uint32_t logical_blocks() const override { return drive_.logical_blocks; }
    std::uint32_t physical_blocks() const override { return drive_.physical_blocks; }
    void submit(const DriveRequest& request) override { host_.push_back(request); }
    std::optional<DriveCompletion> next(double until_s) override;
    double next_event_s() const override;
    std::uint64_t dirty_blocks() const override { return dirty_blocks_; }
    const DriveCounters& counters() const override { return counters_; }

 private:
    static constexpr double never = std::numeric_limits<double>::infinity();
    // A host that answers a completion within it had the next command waiting.
    static constexpr double same_instant_s = 1e-9;

    // One read at work.
    struct ReadService {
        const QueuedRequest& queued;
        double at_s, arm_s;  // when its turn came; when the arm can move for it
        bool waited;         // it disconnected before
        bool goes_on;        // with what is being read ahead
        BufferChoice choice;
        HostTransfer transfer;
    };

    // The next arrival; when the arm has nothing to do, or has ended what it does.
    double arrival_s() const;
    double arm_event_s() const { return destaging_ || !queue_.empty() ? hda_free_s_ : never; }

    // Arrival and choice.
    void arrive(const DriveRequest& request, double at_s);
    void arrive_at_buffer(const DriveRequest& request, double at_s);
    void flush(const DriveRequest& request, double at_s);
    bool room_for(const DriveRequest& request) const;
    bool buffered_hit(const DriveRequest& request, double at_s);
    void serve_next(double at_s);
    bool reads_now(double at_s) const;
    std::size_t first_to_take() const;
    std::size_t written_first(std::size_t index) const;
    void answer_from_written();
    void take_into_buffer(const DriveRequest& request, double at_s);
    void finish_destaging();
    void complete(const DriveRequest& request, double done_s);
    // One request on the medium. waited: it disconnected and its turn comes now.
    void serve_read(const QueuedRequest& queued, double at_s, bool waited);
    void serve_write(const QueuedRequest& queued, double at_s, bool waited);
    ReadService look_up(const QueuedRequest& queued, double at_s, bool waited);
    void begin_fetch(const ReadService& service);
    void fetch(ReadService& service);
    double transferred_s(const ReadService& service) const;
    void begin_reading_on(const ReadService& service, bool from_medium);
    void append(const DriveRequest& request, double at_s);
    void destage(const QueuedRequest& queued, double at_s);
    MediaWrite put_down(std::uint64_t block, std::uint32_t blocks, double from_s, double least_s,
                        const BufferFilling& filling);

    double over(const std::array<double, 2>& by_last) const {
        return by_last[last_was_write_] * drive_.overheads.scale;
    }
    double over(double overhead) const { return overhead * drive_.overheads.scale; }
    std::uint64_t ahead_end(const DriveRequest& request, std::uint64_t held_from) const;
    bool reads_on_from(std::uint64_t block) const;
    double stop_reading(double at_s);
    void read_on(double at_s);
    std::uint64_t mark(double fraction, std::uint64_t blocks) const;
    bool holds_written(std::uint64_t block, std::uint64_t end) const;
    // Of the queue, what is no extent; the one that goes down has left it.
    std::size_t waiting_requests() const { return queue_.size() - (extents_ - (destaging_ ? 1 : 0)); }
    // One that comes while another ends waited for it.
    bool may_begin(double at_s) const {
        return queue_.empty() &&
               (drive_.overheads.one_at_a_time ? hda_free_s_ < at_s - same_instant_s : hda_free_s_ <= at_s);
    }
    // When the drive takes a command that arrives then.
    double taken_s(double at_s) const {
        return drive_.overheads.one_at_a_time ? std::max(at_s, link_free_s_) : at_s;
    }

    DriveParameters drive_;
    DiskMechanics mechanics_;
    DiskBuffer buffer_;
    MediaReader reader_;
    RequestQueue queue_;
    std::deque<DriveRequest> host_, full_buffer_;  // not yet taken; written, waiting for room
    CompletionQueue done_;
    std::vector<DriveRequest> flushes_;
    DriveCounters counters_;
    std::uint32_t ahead_segment_ = DiskBuffer::nobody;  // the reader's
    std::uint32_t in_drive_ = 0,
                  extents_ = 0;  // requests; written extents, in the queue or on their way down
    std::uint64_t dirty_blocks_ = 0, destaging_blocks_ = 0, destaging_from_ = 0;
    bool destaging_ = false, last_was_write_ = false;
    bool serves_read_ = false;  // the arm is busy with it until hda_free_s_
    bool appendable_ = false;   // a write goes down whose data others may follow
    std::uint64_t append_at_ = 0, append_room_ = 0;
    double hda_free_s_ = -1;  // no earlier can another request have the arm; before the first, ever
    double slot_free_s_ = 0, link_free_s_ = 0;
};

}  // namespace diskwright
