// SPDX-License-Identifier: BSD-2-Clause
// Reading from the medium in the order of blocks: track after track from a landing on, into a segment. What
// was read by a given time is reckoned when somebody asks, so a read-ahead nobody interrupts costs nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tuner/simulator/disk_mechanics.hpp"

namespace diskwright {

class MediaReader {
 public:
    explicit MediaReader(DiskMechanics& mechanics) : mechanics_(mechanics) {}

    /// Begins to read at that block. zero_latency: what passes first is read first.
    void begin(std::uint64_t block, double from_s, bool zero_latency);
    /// Blocks up to there are wanted; more than the disk has are not.
    void want(std::uint64_t end) { end_ = std::min(end, mechanics_.geometry().blocks()); }

    /// The next piece of what is wanted, without a gap in time; call while next() < end().
    struct Piece {
        std::uint64_t blocks = 0;
        double start_s = 0, block_s = 0;  // block i is there at start_s + (i + 1) block_s
        std::uint64_t in_order = 0;       // of the blocks; the rest is there together with the last of these
    };
    Piece take();

    /// Reads on until at_s, without looking for what comes later.
    void advance(double at_s);
    /// When the arm can leave, having been told at at_s; advance() to at_s comes before it.
    double stopped_s(double at_s, bool within_block) const;

    std::uint64_t next() const { return next_; }
    std::uint64_t end() const { return end_; }
    bool done() const { return next_ >= end_; }
    /// When block next() begins to pass, or the last one ended.
    double next_s() const { return landing_.start_s + block_s_ * double(passed_); }
    const Landing& landing() const { return landing_; }

 private:
    void land(double from_s);
    // When the last block of the run was read.
    double left_s() const { return landing_.start_s + block_s_ * double(landed_ > 0 ? landed_ : passed_); }

    DiskMechanics& mechanics_;
    Landing landing_;
    double block_s_ = 0;
    std::uint64_t next_ = 0, end_ = 0, run_end_ = 0;
    std::uint64_t passed_ = 0;  // next_, counted from the run's first
    // Zero latency: the head settled over that block of the run, and what is wanted from there to jump_to_
    // is in the buffer by the time the blocks before it are.
    std::uint64_t landed_ = 0, jump_to_ = 0;
    bool zero_latency_ = false;
};

}  // namespace diskwright
