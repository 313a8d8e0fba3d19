// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/command_pool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <utility>

namespace diskwright {
namespace {

using SteadyTime = std::chrono::steady_clock;

constexpr int most_hangs = 2;  // of one program

std::string step_of(const std::vector<std::string>& argv) {
    return fmt::format("collecting: {}", fmt::join(argv, " "));
}

}  // namespace

CommandPool::~CommandPool() {
    {
        const std::lock_guard lock(mutex_);
        waiting_.clear();
    }
    end_workers();
}

void CommandPool::end_workers() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    added_.notify_all();
    for (auto& worker : workers_) worker.join();
    workers_.clear();
    ending_ = false;
}

std::size_t CommandPool::add(std::vector<std::string> argv, Kind kind) {
    const std::lock_guard lock(mutex_);
    const std::size_t number = jobs_.size();
    Job& job = jobs_.emplace_back();
    job.argv = std::move(argv);
    job.kind = kind;
    ++unfinished_;
    if (kind == Kind::file)
        waiting_.insert(waiting_.begin() + static_cast<std::ptrdiff_t>(files_++), number);
    else
        waiting_.push_back(number);
    return number;
}

bool CommandPool::stopped() const {
    return SteadyTime::now() >= limits_.end || (limits_.progress && limits_.progress->cancelled());
}

// Whether there is no use in asking, which done then says.
bool CommandPool::left_out(Job& job) const {
    const auto hangs = hangs_.find(job.argv.front());
    job.done.program_hangs = hangs != hangs_.end() && hangs->second >= most_hangs;
    return job.done.program_hangs || stopped();
}

void CommandPool::finish(Job& job, Done done) {
    if (done.outcome && done.outcome->timed_out && !done.outcome->output_cut && job.kind != Kind::file)
        hangs_[job.argv.front()] += job.kind == Kind::of_device ? 1 : most_hangs;
    job.done = std::move(done);
}

CommandPool::Done CommandPool::run(const std::vector<std::string>& argv) {
    const auto begun = SteadyTime::now();
    CommandLimits limits;
    limits.time =
        std::min(limits_.command_time, std::chrono::ceil<std::chrono::milliseconds>(limits_.end - begun));
    limits.end_when_cut = true;
    limits.progress = limits_.progress;
    const auto outcome = [&]() -> Result<CommandOutcome> {
        try {
            return runner_.run(argv, limits);
        } catch (const std::bad_alloc&) {
            return Error{ErrorKind::os_error,
                         fmt::format("{}: not enough memory for what it prints", argv.front())};
        }
    };
    Done done{outcome(), 0, true};
    done.seconds = std::chrono::duration<double>(SteadyTime::now() - begun).count();
    return done;
}

void CommandPool::run_here() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
        Job& job = jobs_.at(waiting_.front());
        if (!left_out(job)) {
            if (limits_.progress) limits_.progress->at(step_of(job.argv), 0, 0);
            finish(job, run(job.argv));
        }
        job.finished = true;
        --unfinished_;
    }
    files_ = 0;
}

void CommandPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        added_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        Job& job = jobs_.at(waiting_.front());
        waiting_.pop_front();
        if (files_ > 0) --files_;
        if (!left_out(job)) {
            newest_ = step_of(job.argv);
            lock.unlock();
            Done done = run(job.argv);
            lock.lock();
            finish(job, std::move(done));
        }
        job.finished = true;
        --unfinished_;
        finished_.notify_all();
    }
}

void CommandPool::start_workers() {
    const std::size_t most = std::min(limits_.at_once, unfinished_);
    while (workers_.size() < most) workers_.emplace_back([this] { work(); });
    added_.notify_all();
}

void CommandPool::wait_until(SteadyTime::time_point time) {
    if (limits_.at_once <= 1) return run_here();
    std::unique_lock lock(mutex_);
    start_workers();
    while (unfinished_ > 0 && SteadyTime::now() < time) {
        constexpr std::chrono::milliseconds look_up(100);
        finished_.wait_until(lock, std::min(time, SteadyTime::now() + look_up));
        // The meter is the caller's, and may take long: not while the workers wait for the lock.
        const std::string step = newest_;
        lock.unlock();
        if (limits_.progress && !step.empty()) limits_.progress->at(step, 0, 0);
        lock.lock();
    }
}

void CommandPool::wait_for(std::chrono::milliseconds time) {
    wait_until(SteadyTime::now() + time);
}

void CommandPool::wait_for_all() {
    wait_until(SteadyTime::time_point::max());
    end_workers();
}

const CommandPool::Done* CommandPool::done(std::size_t number) {
    const std::lock_guard lock(mutex_);
    const Job& job = jobs_.at(number);
    return job.finished ? &job.done : nullptr;
}

CommandPool::Done CommandPool::take(std::size_t number) {
    const std::lock_guard lock(mutex_);
    return std::exchange(jobs_.at(number).done, {CommandOutcome{}});
}

}  // namespace diskwright
