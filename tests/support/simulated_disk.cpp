// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/simulated_disk.hpp"

#include <algorithm>
#include <utility>

namespace diskwright::test {

std::chrono::nanoseconds SimulatedDisk::take(double seconds) {
    const auto before = clock_.now();
    clock_.advance(seconds);
    return clock_.now() - before;
}

void SimulatedDisk::check(std::uint64_t offset, std::uint64_t length) {
    well_formed = well_formed && length > 0 && offset % sector == 0 && length % sector == 0 &&
                  length <= size && offset <= size - length;
}

Result<RunTiming> SimulatedDisk::read(std::span<const ReadRequest> requests, unsigned depth) {
    if (read_error && reads >= good_reads) return *read_error;
    RunTiming timing;
    const double overlap = std::min(depth, parallel);
    for (const auto& request : requests) {
        check(request.offset, request.length);
        ++reads;
        bytes_read += request.length;
        read_at.insert(request.offset);
        const double positioning = command_s + (request.offset == head_ ? 0 : seek_s);
        const auto took =
            take(positioning / overlap + static_cast<double>(request.length) / rate(request.offset));
        timing.elapsed += took;
        // With others before it in the queue it is there for their time, too.
        timing.service.push_back(took * std::max(depth, 1U));
        head_ = request.offset + request.length;
    }
    return timing;
}

std::optional<Error> SimulatedDisk::begin_step() {
    ++steps;
    after_check_ = true;
    return step_error;
}

// Reading for a check puts the heads elsewhere, which the flush after it pays for.
Result<WriteTiming> SimulatedDisk::write_at(std::uint64_t offset, std::span<const std::byte> from) {
    if (write_error && writes >= good_writes) return *write_error;
    if (check_every > 0 && writes % check_every == check_every - 1) after_check_ = true;
    check(offset, from.size());
    ++writes;
    written_at.insert(offset);
    contents.emplace(from.begin(), from.end());
    return WriteTiming{take(write_s), std::exchange(after_check_, false)};
}

Result<std::chrono::nanoseconds> SimulatedDisk::flush() {
    if (flush_error) return *flush_error;
    return take(flush_s(flushes++));
}

}  // namespace diskwright::test
