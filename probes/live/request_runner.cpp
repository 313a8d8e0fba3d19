// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/request_runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// A disk that recovers a bad sector by itself takes some seconds; one that takes longer is no subject for a
// measurement, and the request cannot be called back.
constexpr std::chrono::seconds longest_request{10};

}  // namespace

RequestRunner::RequestRunner(int fd, std::uint64_t shift, std::string name)
    : fd_(fd), shift_(shift), name_(std::move(name)) {}

RequestRunner::~RequestRunner() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    begin_.notify_all();
    for (auto& thread : threads_) thread.join();
}

std::optional<Error> RequestRunner::perform(const MixedRequest& request, std::byte* buffer) const {
    const auto at = static_cast<off_t>(shift_ + request.offset);
    ssize_t count = -1;
    do count = request.write ? pwrite(fd_, buffer, request.length, at)
                             : pread(fd_, buffer, request.length, at);
    while (count < 0 && errno == EINTR);
    if (count == static_cast<ssize_t>(request.length)) return std::nullopt;
    const std::string_view what = request.write ? "write" : "read";
    const std::string why =
        count < 0 ? errno_text() : fmt::format("short {}, {} of {} bytes", what, count, request.length);
    return Error{ErrorKind::io_error,
                 fmt::format("{}: {} at byte {}: {}", escaped(name_), what, shift_ + request.offset, why)};
}

void RequestRunner::work(Run& run, Share& share, std::span<std::byte> buffer) const {
    // No lock on the way: threads that wait for one another would be time of the device.
    while (!run.failed) {
        const std::size_t index = run.next++;
        if (index >= run.requests.size()) return;
        const Time issue = std::chrono::steady_clock::now();
        std::byte* const place =
            run.requests[index].write ? written_.bytes().data() + run.from[index] : buffer.data();
        share.error = perform(run.requests[index], place);
        const Time end = std::chrono::steady_clock::now();
        share.first_issue = std::min(share.first_issue, issue);
        share.last_end = end;
        run.service[index] = end - issue;
        if (!share.error && end - issue > longest_request)
            share.error =
                Error{ErrorKind::io_error, fmt::format("{}: {} at byte {}: the answer took {:.0f} s",
                                                       escaped(name_), run.requests[index].write ? "write" : "read",
                                                       shift_ + run.requests[index].offset,
                                                       std::chrono::duration<double>(end - issue).count())};
        if (share.error) run.failed = true;
    }
}

void RequestRunner::thread_main(unsigned index) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        begin_.wait(lock,
                    [&] { return stopping_ || (run_ && generation_ != seen && index < run_->threads); });
        if (stopping_) return;
        seen = generation_;
        Run& run = *run_;
        lock.unlock();
        work(run, run.shares[index], buffers_[index].bytes());
        lock.lock();
        if (--run.working == 0) done_.notify_one();
    }
}

void RequestRunner::start_threads(unsigned count, std::size_t buffer_bytes) {
    // No run is under way, so the threads wait and none of them touches its buffer.
    const std::lock_guard lock(mutex_);
    buffers_.resize(std::max<std::size_t>(buffers_.size(), count));
    for (auto& buffer : buffers_)
        if (buffer.bytes().size() < buffer_bytes) buffer = AlignedBuffer(buffer_bytes);
    while (threads_.size() < count)
        threads_.emplace_back([this, index = static_cast<unsigned>(threads_.size())] { thread_main(index); });
}

Result<RunTiming> RequestRunner::read(std::span<const ReadRequest> requests, unsigned depth) {
    std::vector<MixedRequest> reads;
    reads.reserve(requests.size());
    for (const ReadRequest& request : requests) reads.push_back({request.offset, request.length, false});
    return run(reads, depth, {});
}

Result<RunTiming> RequestRunner::run(std::span<const MixedRequest> requests, unsigned depth,
                                     std::span<const std::byte> from) {
    RunTiming timing;
    if (requests.empty()) return timing;
    std::size_t longest = 0, written = 0;
    Run run;
    for (const auto& request : requests) {
        run.from.push_back(written);
        (request.write ? written : longest) =
            request.write ? written + request.length : std::max<std::size_t>(longest, request.length);
    }
    if (written > from.size())
        return Error{ErrorKind::internal, fmt::format("{} bytes to write, {} given", written, from.size())};
    // Copied before the time runs: direct I/O wants its memory aligned.
    if (written_.bytes().size() < written) written_ = AlignedBuffer(written);
    std::copy_n(from.begin(), written, written_.bytes().begin());
    run.requests = requests;
    run.service.resize(requests.size());
    run.threads = std::clamp(depth, 1U, most_threads);
    run.shares.resize(run.threads);
    carry_out(run, longest);
    Share all;
    for (const Share& share : run.shares) {
        if (share.error) return *share.error;
        all.first_issue = std::min(all.first_issue, share.first_issue);
        all.last_end = std::max(all.last_end, share.last_end);
    }
    timing.service = std::move(run.service);
    timing.elapsed = all.last_end - all.first_issue;
    return timing;
}

void RequestRunner::carry_out(Run& run, std::size_t longest) {
    if (run.threads == 1) {
        if (own_buffer_.bytes().size() < longest) own_buffer_ = AlignedBuffer(longest);
        work(run, run.shares[0], own_buffer_.bytes());
        return;
    }
    start_threads(run.threads, longest);
    std::unique_lock lock(mutex_);
    run.working = run.threads;
    run_ = &run;
    ++generation_;
    begin_.notify_all();
    done_.wait(lock, [&] { return run.working == 0; });
    run_ = nullptr;
}

}  // namespace diskwright
