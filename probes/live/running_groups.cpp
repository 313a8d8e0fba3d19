// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/running_groups.hpp"

#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>

namespace diskwright {
namespace {

static_assert(std::atomic<pid_t>::is_always_lock_free);  // else no handler may look at them
std::array<std::atomic<pid_t>, 64> groups;
constexpr pid_t no_group = 0, starting = -1;

}  // namespace

RunningGroup::RunningGroup() : slot_(0) {
    for (; slot_ < groups.size(); ++slot_) {
        pid_t free = no_group;
        if (groups[slot_].compare_exchange_strong(free, starting)) return;
    }
}

void RunningGroup::started(pid_t group) {
    if (slot_ < groups.size()) groups[slot_] = group;
}

RunningGroup::~RunningGroup() {
    if (slot_ < groups.size()) groups[slot_] = no_group;
}

void kill_running_groups() {
    constexpr timespec millisecond{0, 1'000'000};
    int waits = 1000;
    for (const auto& slot : groups) {
        while (slot == starting && waits-- > 0) nanosleep(&millisecond, nullptr);
        if (const pid_t group = slot; group > 0) killpg(group, SIGKILL);
    }
}

}  // namespace diskwright
