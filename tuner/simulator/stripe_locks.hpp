// SPDX-License-Identifier: BSD-2-Clause
// Locks of ranges of stripes: granted in the order they were asked for, except where nothing conflicts
// (NetBSD/src: sys/dev/raidframe/rf_stripelocks.c).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tuner/simulator/array_plan.hpp"

namespace diskwright {

class StripeLocks {
 public:
    /// Whether it is granted at once; otherwise release() names the owner later.
    bool acquire(const StripeLock& lock, std::uint32_t owner) {
        const bool free = std::none_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
            return entry.owner != owner && entry.lock.conflicts(lock);
        });
        entries_.push_back({lock, owner, free});
        return free;
    }
    /// Gives back all locks of the owner; granted: owners that waited and now have the lock.
    void release(std::uint32_t owner, std::vector<std::uint32_t>& granted) {
        granted.clear();
        const auto kept = std::remove_if(entries_.begin(), entries_.end(),
                                         [&](const Entry& entry) { return entry.owner == owner; });
        if (kept == entries_.end()) return;
        entries_.erase(kept, entries_.end());
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].granted) continue;
            const bool free = std::none_of(
                entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                [&](const Entry& before) {
                    return before.owner != entries_[i].owner && before.lock.conflicts(entries_[i].lock);
                });
            if (!free) continue;
            entries_[i].granted = true;
            granted.push_back(entries_[i].owner);
        }
    }

 private:
    struct Entry {
        StripeLock lock;
        std::uint32_t owner = 0;
        bool granted = false;
    };
    std::vector<Entry> entries_;  // in the order they were asked for
};

}  // namespace diskwright
