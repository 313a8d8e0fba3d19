// SPDX-License-Identifier: BSD-2-Clause
// A drive whose tracks overlap and that hides it: a band can only be written from its beginning. Writes that
// follow one another from the beginning of a band go there; all others are appended to a cache on the medium.
// When the drive is idle, or the cache is full, a band is read and written anew with what the cache has of
// it.
//
// After A. Aghayev and P. Desnoyers, Skylight: A Window on Shingled Disk Operation, FAST 2015: one cache on
// the medium, bands at fixed places, cleaned in the order in which they were first written to. An
// approximation: a read goes where its first block is; cleaning costs one reading and one writing of the
// band, not the reads of the cache.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

/// Blocks are 512 bytes.
struct ShingledParameters {
    std::uint64_t band_blocks = 0, cache_blocks = 0;
    double clean_after_s = 0;  // idle for that long
};

class ShingledDrive final : public SimulatedDrive {
 public:
    /// The medium has cache_blocks more than this drive, which come first; band_blocks is not 0.
    ShingledDrive(std::unique_ptr<SimulatedDrive> medium, const ShingledParameters& shingles);

    std::uint64_t blocks() const override { return medium_->blocks() - shingles_.cache_blocks; }
    std::uint32_t logical_blocks() const override { return medium_->logical_blocks(); }
    std::uint32_t physical_blocks() const override { return medium_->physical_blocks(); }
    void submit(const DriveRequest& request) override { host_.push_back(request); }
    std::optional<DriveCompletion> next(double until_s) override;
    std::uint64_t dirty_blocks() const override { return medium_->dirty_blocks(); }
    const DriveCounters& counters() const override { return counters_; }

    /// Blocks of which the cache on the medium has the newest copy.
    std::uint64_t cached_blocks() const { return cached_; }

 private:
    struct Extent {
        std::uint64_t end, at;  // at: where its first block is in the cache
    };
    /// A band that is being cleaned.
    struct Cleaning {
        std::uint64_t band;
        bool read;  // and is being written now
    };

    void dispatch(DriveRequest request);
    void write(DriveRequest request);
    bool fits(const DriveRequest& request) const;
    bool follows(const DriveRequest& request) const;
    void append(const DriveRequest& request);
    void forget(std::uint64_t begin, std::uint64_t end);
    void to_medium(DriveRequest request, std::uint64_t block);
    void clean(double at_s);
    void go_on_cleaning(double at_s);
    void release_waiting(double at_s);
    DriveRequest of_band(std::uint64_t band, DriveOperation operation, double at_s) const;
    void count(const DriveRequest& request);

    std::unique_ptr<SimulatedDrive> medium_;
    ShingledParameters shingles_;
    std::deque<DriveRequest> host_, waiting_;   // waiting for room in the cache
    std::map<std::uint64_t, double> arrivals_;  // of requests that had to wait
    std::map<std::uint64_t, Extent> extents_;
    std::deque<std::uint64_t> bands_;  // with blocks in the cache, in the order of cleaning
    std::set<std::uint64_t> listed_;
    std::optional<Cleaning> cleaning_;
    std::uint64_t head_ = 0, cached_ = 0, stream_end_ = 0, outstanding_ = 0;
    double idle_since_s_ = 0;
    DriveCounters counters_;
};

}  // namespace diskwright
