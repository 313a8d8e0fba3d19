// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/scratch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probes/live/device_system.hpp"
#include "probes/live/interlocks.hpp"
#include "probes/live/request_runner.hpp"
#include "probes/support/text.hpp"
#include "probes/timing/filler.hpp"

namespace diskwright {
namespace {

using std::chrono::nanoseconds;

constexpr std::chrono::milliseconds longest_trust{500};
constexpr std::size_t fill_block = MiB;

class LiveScratch final : public ScratchDevice {
 public:
    LiveScratch(OpenedDevice device, DeviceGeometry geometry, ByteRange region, Interlocks interlocks,
                std::unique_ptr<Clock> clock)
        : device_(std::move(device)),
          geometry_(std::move(geometry)),
          region_(region),
          interlocks_(std::move(interlocks)),
          clock_(std::move(clock)),
          runner_(device_.io.get(), region.offset, device_.path) {}

    std::string name() const override { return device_.path; }
    std::uint64_t size_bytes() const override { return region_.length; }
    std::uint64_t logical_sector_bytes() const override { return geometry_.sector_bytes; }
    std::string cached_because() const override { return geometry_.cached_because; }
    DeviceReport reported() const override { return geometry_.report; }
    std::uint64_t first_byte() const override { return region_.offset; }
    unsigned most_in_flight() const override { return most_threads; }
    Result<RunTiming> run(std::span<const MixedRequest> requests, unsigned depth,
                          std::span<const std::byte> from) override;
    Clock& clock() override { return *clock_; }
    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth) override {
        return runner_.read(requests, depth);
    }
    std::optional<Error> begin_step() override;
    Result<WriteTiming> write_at(std::uint64_t offset, std::span<const std::byte> from) override;
    Result<nanoseconds> flush() override;

    /// Writes all of it once, so that no later write has to allocate.
    std::optional<Error> fill(ProgressMeter& progress);
    bool needs_fill() const { return device_.is_file() && !device_system::is_written(device_, region_); }

 private:
    std::optional<Error> check_if_due() {
        return refused_ || clock_->now() - checked_ >= longest_trust ? begin_step() : std::nullopt;
    }

    OpenedDevice device_;
    DeviceGeometry geometry_;
    ByteRange region_;
    Interlocks interlocks_;
    std::unique_ptr<Clock> clock_;
    RequestRunner runner_;
    AlignedBuffer buffer_;
    nanoseconds checked_{};
    bool after_check_ = false;
    std::optional<Error> refused_;
};

std::optional<Error> LiveScratch::begin_step() {
    if (!refused_) refused_ = interlocks_.before_write(device_, geometry_, region_);
    checked_ = clock_->now();
    after_check_ = true;
    return refused_;
}

Result<WriteTiming> LiveScratch::write_at(std::uint64_t offset, std::span<const std::byte> from) {
    if (from.size() > region_.length || offset > region_.length - from.size())
        return Error{ErrorKind::internal,
                     fmt::format("write of {} bytes at {}: outside the scratch area", from.size(), offset)};
    if (auto refusal = check_if_due()) return std::move(*refusal);
    if (buffer_.bytes().size() < from.size()) buffer_ = AlignedBuffer(from.size());
    std::copy(from.begin(), from.end(), buffer_.bytes().begin());
    const auto at = static_cast<off_t>(region_.offset + offset);
    ssize_t count = -1;
    const auto begin = clock_->now();
    do count = pwrite(device_.io.get(), buffer_.bytes().data(), from.size(), at);
    while (count < 0 && errno == EINTR);
    const auto end = clock_->now();
    if (count == static_cast<ssize_t>(from.size()))
        return WriteTiming{end - begin, std::exchange(after_check_, false)};
    Error error = system_error(device_.path, fmt::format("write at byte {}", at), count < 0 ? errno : EIO);
    error.kind = ErrorKind::io_error;
    return error;
}

Result<RunTiming> LiveScratch::run(std::span<const MixedRequest> requests, unsigned depth,
                                   std::span<const std::byte> from) {
    for (const MixedRequest& request : requests)
        if (request.length > region_.length || request.offset > region_.length - request.length)
            return Error{ErrorKind::internal, fmt::format("{} bytes at {}: outside the scratch area",
                                                          request.length, request.offset)};
    if (auto refusal = check_if_due()) return std::move(*refusal);
    auto timing = runner_.run(requests, depth, from);
    if (timing) timing->after_check = std::exchange(after_check_, false);
    return timing;
}

Result<nanoseconds> LiveScratch::flush() {
    const auto begin = clock_->now();
    const auto done = device_system::flush(device_);
    const auto end = clock_->now();
    if (!done) return done.error();
    return end - begin;
}

std::optional<Error> LiveScratch::fill(ProgressMeter& progress) {
    std::vector<std::byte> block(fill_block);
    Filler filler(*clock_);
    for (std::uint64_t done = 0; done < region_.length;) {
        if (progress.cancelled())
            return Error{ErrorKind::os_error, escaped(device_.path) + ": interrupted while it was filled"};
        progress.at("filling the scratch file", static_cast<double>(done),
                    static_cast<double>(region_.length));
        filler.fill(block);
        const auto length = std::min<std::uint64_t>(block.size(), region_.length - done);
        const auto written = write_at(done, std::span(block).first(length));
        if (!written) return written.error();
        done += length;
    }
    const auto flushed = device_system::flush(device_);
    if (!flushed && flushed.error().kind != ErrorKind::unavailable) return flushed.error();
    return std::nullopt;
}

std::optional<Error> wrong_region(const std::string& path, ByteRange region, const DeviceGeometry& geometry) {
    const auto wrong = [&](std::string why) { return Error{ErrorKind::usage, escaped(path) + ": " + why}; };
    if (region.length == 0) return wrong("the scratch area is empty");
    if (region.offset > geometry.size_bytes || region.length > geometry.size_bytes - region.offset)
        return wrong(fmt::format("the scratch area {}+{} is not within its {} bytes", region.offset,
                                 region.length, geometry.size_bytes));
    if (region.offset % geometry.sector_bytes != 0 || region.length % geometry.sector_bytes != 0)
        return wrong(fmt::format("the scratch area {}+{} is not on multiples of the sector of {} bytes",
                                 region.offset, region.length, geometry.sector_bytes));
    return std::nullopt;
}

}  // namespace

Result<ScratchRequest> parse_scratch(std::string_view scratch, std::string_view yes_destroy) {
    ScratchRequest request;
    request.path = scratch;
    request.yes_destroy = yes_destroy;
    const auto colon = scratch.rfind(':');
    const auto plus = colon == std::string_view::npos ? colon : scratch.find('+', colon);
    if (plus == std::string_view::npos) return request;
    const auto start = to_size(scratch.substr(colon + 1, plus - colon - 1), true);
    const auto length = to_size(scratch.substr(plus + 1), true);
    if (colon == 0 || !start || !length || !add(*start, *length))
        return Error{ErrorKind::usage,
                     fmt::format("--scratch {}: not DEVICE or DEVICE:START+LENGTH", escaped(scratch))};
    request.path = scratch.substr(0, colon);
    request.region = ByteRange{*start, *length};
    return request;
}

Result<std::unique_ptr<ScratchDevice>> open_scratch(const ScratchRequest& request, CommandRunner& commands,
                                                    ProgressMeter& progress, std::unique_ptr<Clock> clock) {
    Interlocks interlocks(request, commands);
    if (auto refusal = interlocks.before_open()) return std::move(*refusal);
    auto device = device_system::open_exclusively(request.path);
    if (!device) return device.error();
    auto geometry = device_system::geometry(*device);
    if (!geometry) return geometry.error();
    // The last part of a file that is no whole sector is out of reach of direct I/O.
    const ByteRange all{0, geometry->size_bytes - geometry->size_bytes % geometry->sector_bytes};
    const ByteRange region = request.region.value_or(all);
    if (auto wrong = wrong_region(request.path, region, *geometry)) return std::move(*wrong);
    geometry->size_bytes = all.length;
    auto scratch = std::make_unique<LiveScratch>(std::move(*device), std::move(*geometry), region,
                                                 std::move(interlocks), std::move(clock));
    if (auto refusal = scratch->begin_step()) return std::move(*refusal);
    if (scratch->needs_fill())
        if (auto error = scratch->fill(progress)) return std::move(*error);
    return std::unique_ptr<ScratchDevice>(std::move(scratch));
}

}  // namespace diskwright
