// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "probes/live/file_descriptor.hpp"
#include "probes/timing/timed_device.hpp"

namespace diskwright {

/// Requests in flight at the most.
inline constexpr unsigned most_threads = 64;

/// Runs reads and writes on a descriptor with several in flight: one thread for each, kept from run to run so
/// that no run pays for their start.
class RequestRunner {
 public:
    /// shift is added to every offset. name stands in errors.
    RequestRunner(int fd, std::uint64_t shift, std::string name);
    RequestRunner(const RequestRunner&) = delete;
    RequestRunner& operator=(const RequestRunner&) = delete;
    ~RequestRunner();

    Result<RunTiming> read(std::span<const ReadRequest> requests, unsigned depth);
    /// from: what the writes write, one after the other. Whether they may be written is for the caller to
    /// know.
    Result<RunTiming> run(std::span<const MixedRequest> requests, unsigned depth,
                          std::span<const std::byte> from);

 private:
    using Time = std::chrono::steady_clock::time_point;
    /// What one thread did of a run.
    struct Share {
        Time first_issue = Time::max(), last_end = Time::min();
        std::optional<Error> error;
    };
    struct Run {
        std::span<const MixedRequest> requests;
        std::vector<std::size_t> from;  // of each, in what is written
        std::vector<std::chrono::nanoseconds> service;
        std::atomic<std::size_t> next{0};  // not yet taken
        std::atomic<bool> failed{false};
        unsigned threads = 0;  // that take part
        unsigned working = 0;  // of them not yet done, under mutex_
        std::vector<Share> shares;
    };

    void carry_out(Run& run, std::size_t longest);
    void start_threads(unsigned count, std::size_t buffer_bytes);
    void thread_main(unsigned index);
    void work(Run& run, Share& share, std::span<std::byte> buffer) const;
    std::optional<Error> perform(const MixedRequest& request, std::byte* buffer) const;

    int fd_;
    std::uint64_t shift_;
    std::string name_;
    AlignedBuffer own_buffer_, written_;
    std::vector<AlignedBuffer> buffers_;  // of the threads
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable begin_, done_;
    Run* run_ = nullptr;
    std::uint64_t generation_ = 0;
    bool stopping_ = false;
};

}  // namespace diskwright
