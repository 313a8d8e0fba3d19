// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/measured_devices.hpp"

#include <optional>

#include "probes/live/scratch.hpp"
#include "probes/live/timed_device_live.hpp"

namespace diskwright {

Result<MeasuredDevices> open_measured_devices(const std::string& target, const std::string& scratch,
                                              const std::string& yes_destroy, CommandRunner& commands,
                                              ProgressMeter& progress) {
    MeasuredDevices devices;
    std::optional<ScratchRequest> request;
    if (!scratch.empty()) {
        const auto parsed = parse_scratch(scratch, yes_destroy);
        if (!parsed) return parsed.error();
        request = *parsed;
    } else if (!yes_destroy.empty()) {
        return Error{ErrorKind::usage, "--yes-destroy without --scratch: nothing is to be destroyed"};
    }
    // A second descriptor of the scratch device would look as if somebody else had it open.
    if (!target.empty() && (!request || !names_same_device(target, request->path))) {
        auto opened = open_timed_device(target);
        if (!opened) return opened.error();
        devices.own_target = std::move(*opened);
    }
    if (request) {
        auto opened = open_scratch(*request, commands, progress);
        if (!opened) return opened.error();
        devices.scratch = std::move(*opened);
    }
    return devices;
}

}  // namespace diskwright
