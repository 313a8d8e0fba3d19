// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/host_input.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "probes/live/collector.hpp"
#include "probes/live/process_runner.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// A disk that sleeps or dies must not hold an answer for long.
constexpr std::chrono::milliseconds longest_disk_time{2000};

}  // namespace

Result<Capture> this_host(std::chrono::milliseconds deadline, ProgressMeter* progress) {
    const auto system = running_system();
    if (!system)
        return Error{ErrorKind::unavailable, "this system is none that can be looked at live; give an input"};
    ProcessRunner runner;
    LiveOptions options;
    options.deadline = deadline;
    options.at_once = commands_at_once;
    options.progress = progress;
    options.devices = "/dev/";
    options.disk_time = std::min(deadline, longest_disk_time);
    return collect_live(runner, *system, geteuid() == 0, options);
}

Result<Capture> joined_inputs(const std::vector<std::string>& inputs) {
    Capture all;
    all.whole_host = true;
    std::set<std::filesystem::path> taken;
    std::optional<Error> unusable;
    for (const auto& input : inputs) {
        std::error_code unknown;
        const auto path = std::filesystem::canonical(input, unknown);
        if (!unknown && !taken.insert(path).second) {
            all.notes.push_back(fmt::format("{}: given twice, taken once", escaped(input)));
            continue;
        }
        auto capture = load_input(input);
        if (!capture && capture.error().kind != ErrorKind::bad_data) return capture;
        if (!capture) {
            // The others are the same host's all the same.
            all.notes.push_back(capture.error().message);
            if (!unusable) unusable = capture.error();
            continue;
        }
        std::move(capture->documents.begin(), capture->documents.end(), std::back_inserter(all.documents));
        std::move(capture->images.begin(), capture->images.end(), std::back_inserter(all.images));
        if (capture->device_facts) {
            if (!all.device_facts) all.device_facts.emplace();
            merge(*all.device_facts, std::move(*capture->device_facts));
        }
        std::move(capture->notes.begin(), capture->notes.end(), std::back_inserter(all.notes));
    }
    if (unusable && all.documents.empty() && all.images.empty() && !all.device_facts) return *unusable;
    return all;
}

}  // namespace diskwright
