// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/trace_replay.hpp"

#include <fmt/format.h>

#include <limits>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::optional<std::string> misplaced(const TracedRequest& request, const SimulatedDrive& drive) {
    if (request.block >= drive.blocks() || request.blocks > drive.blocks() - request.block)
        return fmt::format("{} blocks at {} do not lie on a drive of {}", request.blocks, request.block,
                           drive.blocks());
    const std::uint32_t sector = drive.logical_blocks();
    if (request.block % sector != 0 || request.blocks % sector != 0)
        return fmt::format("{} blocks at {} are no whole sectors of {}", request.blocks, request.block,
                           sector);
    return std::nullopt;
}

}  // namespace

Result<std::vector<double>> replay(const BlockTrace& trace, SimulatedDrive& drive, std::string_view source,
                                   const std::function<bool()>& goes_on) {
    for (std::size_t i = 0; i < trace.requests.size(); ++i)
        if (const auto why = misplaced(trace.requests[i], drive))
            return Error{ErrorKind::bad_data, escaped(fmt::format("{}: rows[{}]: {}", source, i, *why))};
    std::vector<double> service_s;
    service_s.reserve(trace.requests.size());
    double now_s = 0;
    for (const TracedRequest& request : trace.requests) {
        if (goes_on && service_s.size() % 1024 == 0 && !goes_on()) break;
        drive.submit({service_s.size(), request.block, request.blocks, request.operation, false, now_s});
        const auto done = drive.next(std::numeric_limits<double>::infinity());
        if (!done) return Error{ErrorKind::internal, "a request was not completed"};
        service_s.push_back(done->done_s - now_s);
        now_s = done->done_s + request.to_next_s;
    }
    return service_s;
}

}  // namespace diskwright
