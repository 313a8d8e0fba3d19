// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/page_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace diskwright {

std::uint64_t PageRanges::add(std::uint64_t first, std::uint64_t end) {
    if (first >= end) return 0;
    const std::uint64_t before = total_;
    auto at = stretches_.upper_bound(first);
    if (at != stretches_.begin() && std::prev(at)->second >= first) --at;
    while (at != stretches_.end() && at->first <= end) {
        first = std::min(first, at->first);
        end = std::max(end, at->second);
        total_ -= at->second - at->first;
        at = stretches_.erase(at);
    }
    stretches_.emplace_hint(at, first, end);
    total_ += end - first;
    return total_ - before;
}

std::uint64_t PageRanges::remove(std::uint64_t first, std::uint64_t end) {
    const std::uint64_t before = total_;
    auto at = stretches_.upper_bound(first);
    if (at != stretches_.begin() && std::prev(at)->second > first) --at;
    while (at != stretches_.end() && at->first < end) {
        const auto [from, to] = *at;
        at = stretches_.erase(at);
        total_ -= to - from;
        if (from < first) {
            stretches_.emplace(from, first);
            total_ += first - from;
        }
        if (to > end) {
            stretches_.emplace(end, to);
            total_ += to - end;
        }
    }
    return before - total_;
}

bool PageRanges::covers(std::uint64_t first, std::uint64_t end) const {
    if (first >= end) return true;
    auto at = stretches_.upper_bound(first);
    return at != stretches_.begin() && std::prev(at)->second >= end;
}

void PageRanges::clear() {
    stretches_.clear();
    total_ = 0;
}

}  // namespace diskwright
