// SPDX-License-Identifier: BSD-2-Clause
// Writes with a flush after each, which most probes that write are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/timing/filler.hpp"
#include "probes/timing/timed_device.hpp"

namespace diskwright {

struct Commit {
    double write = 0, flush = 0;
    bool after_check = false;  // as in WriteTiming
};

class Committer {
 public:
    explicit Committer(ScratchDevice& device) : device_(device), filler_(device.clock()) {}

    /// `length` bytes at `offset`, then a flush; without one where the system offers none, after the first
    /// try.
    Result<Commit> commit(std::uint64_t offset, std::uint64_t length);
    /// Without a flush.
    Result<WriteTiming> write(std::uint64_t offset, std::uint64_t length);
    /// Why there is no flush; empty: there is.
    const std::string& no_flush() const { return no_flush_; }

 private:
    ScratchDevice& device_;
    std::vector<std::byte> block_;
    Filler filler_;
    std::string no_flush_;
};

}  // namespace diskwright
