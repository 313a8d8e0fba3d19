// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ssd_model.hpp"

#include <algorithm>
#include <cmath>

namespace diskwright {
namespace {

constexpr std::uint64_t most_buffer_pages = 1 << 22;
constexpr double most_amplification = 20, memory_of_writes = 1.0 / 64;

}  // namespace

std::optional<std::string> drive_error(const SsdParameters& drive) {
    if (drive.blocks < drive.page_blocks) return "smaller than a page";
    if (drive.blocks > std::uint64_t{1} << 42) return "larger than any drive";
    if (drive.units == 0 || drive.page_blocks == 0) return "no units, or no pages";
    return std::nullopt;
}

SsdModel::SsdModel(const SsdParameters& drive)
    : drive_(drive),
      units_(drive.units),
      buffer_(std::min(drive.buffer_pages, most_buffer_pages)),
      free_pages_(drive.spare * double(drive.blocks / drive.page_blocks)) {}

double SsdModel::next_event_s() const {
    const bool arrives = !host_.empty() && in_drive_ < drive_.queue_depth;
    const double arrival_s =
        arrives ? std::max(host_.front().arrival_s, slot_free_s_) : std::numeric_limits<double>::infinity();
    return std::min(arrival_s, done_.next_s());
}

std::optional<DriveCompletion> SsdModel::next(double until_s) {
    for (;;) {
        const bool room = in_drive_ < drive_.queue_depth && !host_.empty();
        const double arrival_s =
            room ? std::max(host_.front().arrival_s, slot_free_s_) : std::numeric_limits<double>::infinity();
        const double event_s = std::min(arrival_s, done_.next_s());
        if (!(event_s <= until_s) || event_s == std::numeric_limits<double>::infinity()) return std::nullopt;
        now_s_ = event_s;
        if (done_.next_s() == event_s) {
            --in_drive_;
            const DriveCompletion completion = done_.pop();
            slot_free_s_ = completion.done_s;
            return completion;
        }
        const DriveRequest request = host_.front();
        host_.pop_front();
        ++in_drive_;
        done_.push({request.id, request.arrival_s, serve(request, arrival_s)});
    }
}

double SsdModel::serve(const DriveRequest& request, double at_s) {
    const double begun_s = at_s + drive_.command_s;
    switch (request.operation) {
        case DriveOperation::read:
            ++counters_.reads;
            counters_.blocks_read += request.blocks;
            return read(request, begun_s);
        case DriveOperation::write:
            ++counters_.writes;
            counters_.blocks_written += request.blocks;
            return write(request, begun_s);
        case DriveOperation::flush:
            ++counters_.flushes;
            return flush(begun_s);
    }
    return begun_s;
}

// The interface has its rate, whatever order the pieces come in.
double SsdModel::over_link(std::uint32_t blocks, double from_s) {
    link_free_s_ = std::max(link_free_s_, from_s) + blocks * drive_.block_s;
    return link_free_s_;
}

double SsdModel::read(const DriveRequest& request, double at_s) {
    const std::uint64_t first = request.block / drive_.page_blocks;
    const std::uint64_t last = (request.block + request.blocks - 1) / drive_.page_blocks;
    double there_s = at_s;
    for (std::uint64_t page = first; page <= last; ++page) {
        Unit& unit = units_[page % units_.size()];
        // Goes before what waits to be programmed, and after the page that is being programmed.
        const double backlog_s = std::max(0.0, unit.program_free_s - at_s);
        const double begun_s =
            std::max(unit.read_free_s, at_s + (backlog_s > 0 ? std::fmod(backlog_s, drive_.program_s) : 0));
        unit.read_free_s = begun_s + drive_.read_s;
        if (backlog_s > 0) unit.program_free_s += drive_.read_s;
        counters_.busy_s += drive_.read_s;
        there_s = std::max(there_s, unit.read_free_s);
    }
    return std::max(over_link(request.blocks, at_s), there_s + request.blocks * drive_.block_s);
}

double SsdModel::write_amplification() const {
    // Greedy collection under uniform random writes (Desnoyers, "Analytic modeling of SSD write performance",
    // 2012, first order); in sequence whole blocks come free.
    const double random = std::clamp((1 + drive_.spare) / (2 * drive_.spare), 1.0, most_amplification);
    return 1 + scattered_ * (random - 1);
}

// That share of a page on the unit whose turn it is; when it is on flash.
double SsdModel::program(double from_s, double share, bool partly) {
    Unit& unit = units_[next_unit_++ % units_.size()];
    double cost_s = share * drive_.program_s + (partly ? drive_.read_s : 0);
    if (free_pages_ > 0) {
        free_pages_ -= share;
    } else if ((unit.programmed += share) >= double(drive_.erase_pages)) {
        const double moved = (write_amplification() - 1) * unit.programmed;
        cost_s += moved * (drive_.read_s + drive_.program_s) + write_amplification() * drive_.erase_s;
        unit.programmed = 0;
    }
    unit.program_free_s = std::max({unit.program_free_s, unit.read_free_s, from_s}) + cost_s;
    counters_.busy_s += cost_s;
    programmed_s_ = std::max(programmed_s_, unit.program_free_s);
    return unit.program_free_s;
}

double SsdModel::write(const DriveRequest& request, double at_s) {
    const std::uint64_t end = request.block + request.blocks;
    const std::uint64_t first = request.block / drive_.page_blocks, last = (end - 1) / drive_.page_blocks;
    scattered_ += memory_of_writes * ((request.block == last_write_end_ ? 0 : 1) - scattered_);
    last_write_end_ = end;
    written_since_flush_ = true;
    counters_.media_written += request.blocks;
    double there_s = over_link(request.blocks, at_s);
    double on_flash_s = there_s;
    for (std::uint64_t page = first; page <= last; ++page) {
        const std::uint64_t from = std::max(request.block, page * drive_.page_blocks);
        const std::uint64_t to = std::min(end, (page + 1) * drive_.page_blocks);
        const double share = double(to - from) / drive_.page_blocks;
        // The drive's map has no pieces smaller than its sector.
        const std::uint64_t sector = drive_.physical_blocks, begun = drive_.physical_first;
        const bool partly = from % sector != begun || to % sector != begun;
        double taken_s = there_s;
        if (!buffer_.empty()) {
            double& slot = buffer_[oldest_];
            oldest_ = (oldest_ + 1) % buffer_.size();
            taken_s = std::max(taken_s, slot);
            there_s = taken_s;
            slot = program(taken_s, share, partly);
            on_flash_s = std::max(on_flash_s, slot);
        } else {
            on_flash_s = std::max(on_flash_s, program(taken_s, share, partly));
        }
    }
    const bool waits = buffer_.empty() || (request.through && !drive_.protected_buffer);
    return waits ? on_flash_s : there_s;
}

double SsdModel::flush(double at_s) {
    const bool nothing =
        drive_.protected_buffer || drive_.ignores_flush || buffer_.empty() || !written_since_flush_;
    written_since_flush_ = false;
    // The map of pages goes down last.
    return nothing ? at_s : std::max(at_s, programmed_s_) + drive_.program_s;
}

std::uint64_t SsdModel::dirty_blocks() const {
    const auto waiting =
        std::count_if(buffer_.begin(), buffer_.end(), [&](double on_flash_s) { return on_flash_s > now_s_; });
    return static_cast<std::uint64_t>(waiting) * drive_.page_blocks;
}

}  // namespace diskwright
