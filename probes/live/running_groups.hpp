// SPDX-License-Identifier: BSD-2-Clause
// Which process groups run for us now, so that who ends this program at once can take them along.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace diskwright {

/// A process group, known to kill_running_groups() while this lives. Its leader must not have been waited for
/// before this ends: from then on the number may be somebody else's.
class RunningGroup {
 public:
    /// Before the group is there; whoever kills meanwhile waits for started(). The thread must have its
    /// signals blocked until then, since a handler that interrupts it would wait in vain.
    RunningGroup();
    void started(pid_t group);
    RunningGroup(const RunningGroup&) = delete;
    RunningGroup& operator=(const RunningGroup&) = delete;
    ~RunningGroup();

 private:
    std::size_t slot_;
};

/// May be called by a signal handler; takes a second at most. Of more than 64 groups at a time the rest is
/// not known.
void kill_running_groups();

}  // namespace diskwright
