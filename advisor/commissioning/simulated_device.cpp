// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/simulated_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace diskwright {
namespace {

constexpr std::uint64_t block_bytes = 512;
constexpr double never = std::numeric_limits<double>::infinity();

std::chrono::nanoseconds nanoseconds(double seconds) {
    return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

}  // namespace

SimulatedDevice::SimulatedDevice(std::string name, std::unique_ptr<SimulatedDrive> drive, double noise,
                                 std::uint64_t seed)
    : name_(std::move(name)), drive_(std::move(drive)), noise_(noise), random_(seed) {}

std::chrono::nanoseconds SimulatedDevice::VirtualClock::now() {
    return nanoseconds(seconds);
}

std::uint64_t SimulatedDevice::size_bytes() const {
    return drive_->blocks() * block_bytes;
}

std::uint64_t SimulatedDevice::logical_sector_bytes() const {
    return drive_->logical_blocks() * block_bytes;
}

double SimulatedDevice::noisy(double seconds) {
    if (noise_ <= 0) return seconds;
    return seconds * std::exp(noise_ * random_.normal() - noise_ * noise_ / 2);  // of mean 1
}

std::optional<Error> SimulatedDevice::misplaced(std::uint64_t offset, std::uint64_t length) const {
    const std::uint64_t sector = logical_sector_bytes(), size = size_bytes();
    const bool fits = length > 0 && length <= size && offset <= size - length;
    if (fits && offset % sector == 0 && length % sector == 0) return std::nullopt;
    return Error{
        ErrorKind::io_error,
        fmt::format("{}: {} bytes at {}: not on the device, or no whole sectors", name_, length, offset)};
}

DriveRequest SimulatedDevice::request(DriveOperation operation, std::uint64_t offset, std::uint64_t length) {
    return {next_id_++, offset / block_bytes, static_cast<std::uint32_t>(length / block_bytes), operation,
            false,      clock_.seconds};
}

Result<RunTiming> SimulatedDevice::read(std::span<const ReadRequest> requests, unsigned depth) {
    std::vector<MixedRequest> reads;
    reads.reserve(requests.size());
    for (const ReadRequest& wanted : requests) reads.push_back({wanted.offset, wanted.length, false});
    return in_flight(reads, depth);
}

Result<RunTiming> SimulatedDevice::run(std::span<const MixedRequest> requests, unsigned depth,
                                       std::span<const std::byte> /*from*/) {
    return in_flight(requests, depth);
}

Result<RunTiming> SimulatedDevice::in_flight(std::span<const MixedRequest> requests, unsigned depth) {
    for (const MixedRequest& wanted : requests)
        if (const auto error = misplaced(wanted.offset, wanted.length)) return *error;
    RunTiming timing;
    timing.service.resize(requests.size());
    const std::uint64_t first_id = next_id_;
    const double begun_s = clock_.seconds;
    double simulated_s = 0, measured_s = 0;
    std::size_t submitted = 0;
    const auto submit = [&] {
        const MixedRequest& wanted = requests[submitted++];
        const auto operation = wanted.write ? DriveOperation::write : DriveOperation::read;
        drive_->submit(request(operation, wanted.offset, wanted.length));
    };
    while (submitted < std::min<std::size_t>(requests.size(), std::max(depth, 1U))) submit();
    for (std::size_t done = 0; done < requests.size(); ++done) {
        const auto completion = drive_->next(never);
        if (!completion) return Error{ErrorKind::internal, name_ + ": a request was not completed"};
        clock_.seconds = completion->done_s;
        const double took_s = completion->done_s - completion->arrival_s, seen_s = noisy(took_s);
        timing.service[completion->id - first_id] = nanoseconds(seen_s);
        simulated_s += took_s;
        measured_s += seen_s;
        if (submitted < requests.size()) submit();
    }
    // With noise the whole takes as much longer as its parts do.
    const double stretched = simulated_s > 0 ? measured_s / simulated_s : 1;
    timing.elapsed = nanoseconds((clock_.seconds - begun_s) * stretched);
    return timing;
}

Result<double> SimulatedDevice::alone(const DriveRequest& request) {
    drive_->submit(request);
    const auto completion = drive_->next(never);
    if (!completion) return Error{ErrorKind::internal, name_ + ": a request was not completed"};
    clock_.seconds = completion->done_s;
    return noisy(completion->done_s - completion->arrival_s);
}

Result<WriteTiming> SimulatedDevice::write_at(std::uint64_t offset, std::span<const std::byte> from) {
    if (const auto error = misplaced(offset, from.size())) return *error;
    const auto seconds = alone(request(DriveOperation::write, offset, from.size()));
    if (!seconds) return seconds.error();
    return WriteTiming{nanoseconds(*seconds), false};
}

Result<std::chrono::nanoseconds> SimulatedDevice::flush() {
    if (!no_flush_.empty()) return Error{ErrorKind::unavailable, no_flush_};
    const auto seconds = alone(request(DriveOperation::flush, 0, 0));
    if (!seconds) return seconds.error();
    return nanoseconds(*seconds);
}

}  // namespace diskwright
