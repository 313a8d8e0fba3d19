// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/running_groups.hpp"

#include <signal.h>

#include <array>
#include <atomic>

namespace diskwright {
namespace {

static_assert(std::atomic<pid_t>::is_always_lock_free);  // else no handler may look at them
std::array<std::atomic<pid_t>, 64> groups;               // 0: free

}  // namespace

RunningGroup::RunningGroup(pid_t group) : slot_(0) {
    for (; slot_ < groups.size(); ++slot_) {
        pid_t free = 0;
        if (groups[slot_].compare_exchange_strong(free, group)) return;
    }
}

RunningGroup::~RunningGroup() {
    if (slot_ < groups.size()) groups[slot_] = 0;
}

void kill_running_groups() {
    for (const auto& slot : groups)
        if (const pid_t group = slot; group > 0) killpg(group, SIGKILL);
}

}  // namespace diskwright
