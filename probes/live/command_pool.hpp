// SPDX-License-Identifier: BSD-2-Clause
// Commands of this host, several at a time: one that hangs costs only its own output.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "probes/support/command_runner.hpp"

namespace diskwright {

struct PoolLimits {
    std::size_t at_once = 1;  // 1: in the caller's thread, so that a runner need not be safe for others
    std::chrono::steady_clock::time_point end;  // nothing begins after it, and what runs then is ended
    std::chrono::milliseconds command_time{10'000};
    ProgressMeter* progress = nullptr;  // once cancelled, nothing begins
};

class CommandPool {
 public:
    struct Done {
        Result<CommandOutcome> outcome;
        double seconds = 0;
        bool begun = false;          // else the time was up, or the user asked to stop
        bool program_hangs = false;  // not begun since the program gave no answer before
    };
    enum class Kind {
        file,       // answers at once, whatever else hangs: begun before all others
        of_host,    // when it hangs, its program is not asked again
        of_device,  // likewise, when it hangs on two of them: one may be broken
    };

    CommandPool(CommandRunner& runner, const PoolLimits& limits) : runner_(runner), limits_(limits) {}
    CommandPool(const CommandPool&) = delete;
    CommandPool& operator=(const CommandPool&) = delete;
    /// Waits for what has begun.
    ~CommandPool();

    /// Its number: 0 for the first, and so on.
    std::size_t add(std::vector<std::string> argv, Kind kind = Kind::of_host);
    /// Runs what was added, until all is done or that time is over; what runs then goes on.
    void wait_for(std::chrono::milliseconds time);
    /// Runs what was added until all is done; then there is no thread of the pool any more.
    void wait_for_all();
    /// Nothing while the command waits or runs; the pointer stays good.
    const Done* done(std::size_t number);
    Done take(std::size_t number);

 private:
    struct Job {
        std::vector<std::string> argv;
        Kind kind = Kind::of_host;
        Done done{CommandOutcome{}};
        bool finished = false;
    };

    bool stopped() const;
    bool left_out(Job& job) const;
    void finish(Job& job, Done done);
    Done run(const std::vector<std::string>& argv);
    void run_here();
    void start_workers();
    void end_workers();
    void work();
    void wait_until(std::chrono::steady_clock::time_point time);

    CommandRunner& runner_;
    PoolLimits limits_;
    std::mutex mutex_;
    std::condition_variable added_, finished_;
    std::deque<Job> jobs_;
    std::deque<std::size_t> waiting_;
    std::size_t files_ = 0;  // of those that wait
    std::map<std::string, int> hangs_;
    std::size_t unfinished_ = 0;
    std::string newest_;  // of those that have begun
    bool ending_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace diskwright
