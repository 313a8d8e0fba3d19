// SPDX-License-Identifier: BSD-2-Clause
// Sets of numbers, as of blocks or bytes, kept as half-open stretches.
#pragma once

#include <cstdint>
#include <map>

namespace diskwright {

class PageRanges {
 public:
    /// From first on, without end; how many of them were not in the set, or were.
    std::uint64_t add(std::uint64_t first, std::uint64_t end);
    std::uint64_t remove(std::uint64_t first, std::uint64_t end);
    bool covers(std::uint64_t first, std::uint64_t end) const;
    bool empty() const { return stretches_.empty(); }
    std::uint64_t total() const { return total_; }
    void clear();
    /// First block and end of each, ascending.
    const std::map<std::uint64_t, std::uint64_t>& stretches() const { return stretches_; }

 private:
    std::map<std::uint64_t, std::uint64_t> stretches_;
    std::uint64_t total_ = 0;
};

}  // namespace diskwright
