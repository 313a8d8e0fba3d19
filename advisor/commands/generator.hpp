// SPDX-License-Identifier: BSD-2-Clause
// From wishes to command lines: all Changes of one finding, the host they are for, and the tools of its
// system and release. What is printed here a person runs as root, so whatever is not certain becomes a note
// instead of a command.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "probes/model/setting.hpp"
#include "probes/model/storage_graph.hpp"

namespace diskwright {

struct FixCommands {
    /// argv vectors in the order to run them; never a shell string.
    std::vector<std::vector<std::string>> commands;
    /// What has to be known or done beside them, one sentence each: why there is no command, what to edit in
    /// fstab.
    std::vector<std::string> notes;
    bool operator==(const FixCommands&) const = default;
};

/// The changes of one finding belong together: one newfs for block and fragment, one umount around several
/// tunefs.
FixCommands commands_for(const StorageGraph& graph, std::span<const Change> changes);
FixCommands commands_for(const HostFacts& host, std::span<const Change> changes);

}  // namespace diskwright
