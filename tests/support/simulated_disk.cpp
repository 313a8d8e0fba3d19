// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/simulated_disk.hpp"

#include <algorithm>

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
    if (read_error) return *read_error;
    RunTiming timing;
    const double overlap = std::min(depth, parallel);
    for (const auto& request : requests) {
        check(request.offset, request.length);
        ++reads;
        read_at.insert(request.offset);
        const double positioning = command_s + (request.offset == head_ ? 0 : seek_s);
        timing.service.push_back(
            take(positioning / overlap + static_cast<double>(request.length) / rate(request.offset)));
        timing.elapsed += timing.service.back();
        head_ = request.offset + request.length;
    }
    return timing;
}

Result<std::chrono::nanoseconds> SimulatedDisk::write_at(std::uint64_t offset,
                                                         std::span<const std::byte> from) {
    if (write_error) return *write_error;
    check(offset, from.size());
    ++writes;
    written_at.insert(offset);
    return take(write_s);
}

Result<std::chrono::nanoseconds> SimulatedDisk::flush() {
    if (flush_error) return *flush_error;
    return take(flush_s(flushes++));
}

}  // namespace diskwright::test
