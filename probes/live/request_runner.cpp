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

std::optional<Error> RequestRunner::read_one(const ReadRequest& request, std::span<std::byte> buffer) const {
    ssize_t count = -1;
    do count = pread(fd_, buffer.data(), request.length, static_cast<off_t>(shift_ + request.offset));
    while (count < 0 && errno == EINTR);
    if (count == static_cast<ssize_t>(request.length)) return std::nullopt;
    const std::string why =
        count < 0 ? errno_text() : fmt::format("short read, {} of {} bytes", count, request.length);
    return Error{ErrorKind::io_error,
                 fmt::format("{}: read at byte {}: {}", escaped(name_), shift_ + request.offset, why)};
}

void RequestRunner::work(Run& run, Share& share, std::span<std::byte> buffer) const {
    // No lock on the way: threads that wait for one another would be time of the device.
    while (!run.failed) {
        const std::size_t index = run.next++;
        if (index >= run.requests.size()) return;
        const Time issue = std::chrono::steady_clock::now();
        share.error = read_one(run.requests[index], buffer);
        const Time end = std::chrono::steady_clock::now();
        share.first_issue = std::min(share.first_issue, issue);
        share.last_end = end;
        run.service[index] = end - issue;
        if (!share.error && end - issue > longest_request)
            share.error =
                Error{ErrorKind::io_error, fmt::format("{}: read at byte {}: the answer took {:.0f} s",
                                                       escaped(name_), shift_ + run.requests[index].offset,
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
    RunTiming timing;
    if (requests.empty()) return timing;
    std::size_t longest = 0;
    for (const auto& request : requests) longest = std::max<std::size_t>(longest, request.length);
    Run run;
    run.requests = requests;
    run.service.resize(requests.size());
    run.threads = std::max(1U, depth);
    run.shares.resize(run.threads);
    if (run.threads == 1) {
        if (own_buffer_.bytes().size() < longest) own_buffer_ = AlignedBuffer(longest);
        work(run, run.shares[0], own_buffer_.bytes());
    } else {
        start_threads(run.threads, longest);
        std::unique_lock lock(mutex_);
        run.working = run.threads;
        run_ = &run;
        ++generation_;
        begin_.notify_all();
        done_.wait(lock, [&] { return run.working == 0; });
        run_ = nullptr;
    }
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

}  // namespace diskwright
