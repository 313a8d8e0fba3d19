// SPDX-License-Identifier: BSD-2-Clause
#include "probes/timing/array/array_timer.hpp"

#include <algorithm>

#include "probes/timing/grading.hpp"

namespace diskwright {
namespace {

unsigned in_flight(const TimedDevice& device, std::size_t requests) {
    return static_cast<unsigned>(std::min<std::size_t>(requests, device.most_in_flight()));
}

}  // namespace

ArrayTimer::ArrayTimer(const ProbeContext& context)
    : context_(context),
      sector_(context.device.logical_sector_bytes()),
      size_(context.device.size_bytes() / sector_ * sector_),
      random_(context.seed),
      filler_(context.device.clock()),
      begin_(context.device.clock().now()) {}

bool ArrayTimer::out_of_time() const {
    return context_.device.clock().now() - begin_ >= context_.time;
}

double ArrayTimer::spent() const {
    return seconds(context_.device.clock().now() - begin_) / std::max(seconds(context_.time), 1e-9);
}

bool ArrayTimer::ended() const {
    return failure_ || interrupted() || out_of_time();
}

void ArrayTimer::step(std::string_view name) {
    context_.progress.at(name, seconds(context_.device.clock().now() - begin_), seconds(context_.time));
}

std::optional<RunTiming> ArrayTimer::taken(Result<RunTiming> run) {
    if (!run) {
        failure_ = run.error();
        return std::nullopt;
    }
    requests_ += run->service.size();
    return std::move(*run);
}

std::optional<std::vector<double>> ArrayTimer::one_by_one(std::span<const ReadRequest> requests) {
    if (ended()) return std::nullopt;
    const auto run = taken(context_.device.read(requests, 1));
    if (!run) return std::nullopt;
    std::vector<double> out;
    out.reserve(run->service.size());
    for (const auto time : run->service) out.push_back(seconds(time));
    return out;
}

std::optional<BatchTimes> ArrayTimer::at_once(std::span<const ReadRequest> requests) {
    if (ended()) return std::nullopt;
    const auto run = taken(context_.device.read(requests, in_flight(context_.device, requests.size())));
    if (!run) return std::nullopt;
    BatchTimes out{{}, seconds(run->elapsed)};
    for (const auto time : run->service) out.each.push_back(seconds(time));
    return out;
}

std::optional<BatchTimes> ArrayTimer::at_once(std::span<const MixedRequest> requests) {
    if (ended() || !context_.scratch) return std::nullopt;
    std::uint64_t bytes = 0;
    for (const MixedRequest& request : requests) bytes += request.write ? request.length : 0;
    written_.resize(bytes);
    filler_.fill(written_);
    const auto run =
        taken(context_.scratch->run(requests, in_flight(*context_.scratch, requests.size()), written_));
    if (!run) return std::nullopt;
    BatchTimes out{{}, seconds(run->elapsed)};
    for (const auto time : run->service) out.each.push_back(seconds(time));
    return out;
}

bool ArrayTimer::begin_writing() {
    if (!context_.scratch || ended()) return false;
    failure_ = context_.scratch->begin_step();
    return !failure_;
}

std::optional<double> ArrayTimer::flush() {
    if (ended() || !context_.scratch) return std::nullopt;
    const auto time = context_.scratch->flush();
    if (time) return seconds(*time);
    if (time.error().kind != ErrorKind::unavailable) failure_ = time.error();
    return std::nullopt;
}

}  // namespace diskwright
