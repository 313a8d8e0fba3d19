// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/host_input.hpp"

#include <unistd.h>

#include <iterator>

#include "probes/live/collector.hpp"
#include "probes/live/process_runner.hpp"

namespace diskwright {
Result<Capture> this_host(std::chrono::milliseconds deadline) {
    const auto system = running_system();
    if (!system)
        return Error{ErrorKind::unavailable, "this system is none that can be looked at live; give an input"};
    ProcessRunner runner;
    return collect_live(runner, *system, geteuid() == 0, {.deadline = deadline});
}

Result<Capture> joined_inputs(const std::vector<std::string>& inputs) {
    Capture all;
    for (const auto& input : inputs) {
        auto capture = load_input(input);
        if (!capture) return capture;
        std::move(capture->documents.begin(), capture->documents.end(), std::back_inserter(all.documents));
        std::move(capture->images.begin(), capture->images.end(), std::back_inserter(all.images));
        std::move(capture->notes.begin(), capture->notes.end(), std::back_inserter(all.notes));
    }
    return all;
}

}  // namespace diskwright
