// SPDX-License-Identifier: BSD-2-Clause
// Regions of a set that may be inconsistent, as its components record them: marked before the first write,
// and cleared some ticks after the last one (NetBSD/src: sys/dev/raidframe/rf_paritymap.c; torvalds/linux:
// drivers/md/md-bitmap.c; freebsd/freebsd-src: sys/geom/mirror/g_mirror.c, g_mirror_idle, for which the set
// is one region).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace diskwright {

class DirtyRegions {
 public:
    static constexpr double never = std::numeric_limits<double>::infinity();

    DirtyRegions(std::size_t regions, double tick_s, int cooldown)
        : states_(regions), tick_s_(tick_s), cooldown_(cooldown) {}

    std::size_t count() const { return states_.size(); }
    /// Before a write; whether one has to be marked on the components first.
    bool begin(std::size_t first, std::size_t last) {
        bool mark = false;
        for (std::size_t i = first; i <= last; ++i) {
            State& state = states_[i];
            if (state.activity < 0) state.activity = 0;
            ++state.activity;
            mark = mark || !state.marked;
            state.marked = true;
        }
        return mark;
    }
    /// After it.
    void end(std::size_t first, std::size_t last, double now_s) {
        for (std::size_t i = first; i <= last; ++i) {
            if (--states_[i].activity > 0) continue;
            states_[i].activity = -cooldown_;
            if (next_s_ == never) next_s_ = now_s + tick_s_;
        }
    }
    double next_tick_s() const { return next_s_; }
    /// Whether one has to be cleared on the components.
    bool tick(double now_s) {
        bool clear = false, warm = false;
        for (State& state : states_) {
            if (state.activity >= 0) continue;
            warm = true;
            if (++state.activity == 0) {
                clear = true;
                state.marked = false;
            }
        }
        next_s_ = warm ? now_s + tick_s_ : never;
        return clear;
    }

 private:
    struct State {
        std::int32_t activity = 0;  // writes going on, or, below 0, ticks left until it is clean
        bool marked = false;
    };
    std::vector<State> states_;
    double tick_s_, next_s_ = never;
    int cooldown_;
};

}  // namespace diskwright
