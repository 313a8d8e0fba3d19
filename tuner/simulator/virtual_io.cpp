// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/virtual_io.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::uint64_t block_bytes = 512;
// The drive takes between 0.1 and some 10 microseconds an event.
constexpr unsigned events_between_questions = 1024;
constexpr std::uint64_t most_idle_calls = 100'000;

void check_time(double at_s) {
    if (!(at_s <= VirtualIo::longest_s))
        throw StoppedSimulation{
            {ErrorKind::bad_data, "it would take more than 30 years: a drive or the host is too slow"}};
}

}  // namespace

VirtualIo::VirtualIo(SimulatedDrive& drive, std::uint64_t first_byte, bool records,
                     std::function<bool()> goes_on)
    : drive_(drive), first_byte_(first_byte), keeps_(records), goes_on_(std::move(goes_on)) {}

void VirtualIo::event() {
    if (events_++ % events_between_questions == 0 && goes_on_ && !goes_on_())
        throw StoppedSimulation{{ErrorKind::internal, "the simulation was cancelled"}};
}

void VirtualIo::advance_to(double at_s) {
    event();
    check_time(at_s);
    if (at_s > now_s_) idle_calls_ = 0;
    now_s_ = std::max(now_s_, at_s);
}

std::uint64_t VirtualIo::submit(DriveOperation operation, IoPurpose purpose, std::uint64_t byte,
                                std::uint32_t bytes, bool waited) {
    event();
    idle_calls_ = 0;
    const std::uint64_t at = operation == DriveOperation::flush ? 0 : first_byte_ + byte;
    drive_.submit({++last_, at / block_bytes, static_cast<std::uint32_t>(bytes / block_bytes), operation,
                   false, now_s_});
    waiting_.insert(last_);
    if (keeps_) records_.push_back({now_s_, 0, operation, purpose, waited, at, bytes});
    return last_;
}

bool VirtualIo::take_next(double until_s) {
    event();
    const auto done = drive_.next(until_s);
    if (!done) return false;
    check_time(done->done_s);
    waiting_.erase(done->id);
    if (tells_done_) done_.push_back(done->id);
    last_done_s_ = std::max(last_done_s_, done->done_s);
    if (keeps_) records_[done->id - 1].done_s = done->done_s;
    return true;
}

void VirtualIo::take_one() {
    if (!take_next(never))
        throw StoppedSimulation{{ErrorKind::internal, "a request to a simulated drive never ends"}};
}

void VirtualIo::wait(std::uint64_t request, IoPurpose purpose) {
    if (!waiting_.contains(request)) return;
    while (waiting_.contains(request)) take_one();
    const double done_s = std::max(now_s_, last_done_s_);
    waited_s_[static_cast<std::size_t>(purpose)] += done_s - now_s_;
    advance_to(done_s);
}

void VirtualIo::perform(DriveOperation operation, IoPurpose purpose, std::uint64_t byte,
                        std::uint32_t bytes) {
    wait(submit(operation, purpose, byte, bytes, true), purpose);
}

bool VirtualIo::outstanding(std::uint64_t request) {
    if (!waiting_.contains(request)) return false;
    while (take_next(now_s_)) {
    }
    return waiting_.contains(request);
}

std::vector<std::uint64_t> VirtualIo::take_done() {
    tells_done_ = true;
    while (take_next(now_s_)) {
    }
    return std::exchange(done_, {});
}

void VirtualIo::wait_for_all() {
    while (!waiting_.empty()) take_one();
    advance_to(last_done_s_);
}

void VirtualIo::wait_until_fewer(std::size_t than, IoPurpose purpose) {
    double done_s = now_s_;
    while (!waiting_.empty() && waiting_.size() >= than) {
        take_one();
        done_s = std::max(done_s, last_done_s_);
    }
    waited_s_[static_cast<std::size_t>(purpose)] += done_s - now_s_;
    advance_to(done_s);
}

void VirtualIo::sleep(double seconds, IoPurpose purpose) {
    waited_s_[static_cast<std::size_t>(purpose)] += seconds;
    idle_until(now_s_ + seconds);
}

void VirtualIo::idle_until_done(double until_s) {
    advance_to(take_next(until_s) ? last_done_s_ : until_s);
}

void VirtualIo::idle_until(double at_s) {
    if (++idle_calls_ > most_idle_calls)
        throw StoppedSimulation{{ErrorKind::internal, "the simulated clock stands still"}};
    while (take_next(at_s)) {
    }
    advance_to(at_s);
}

}  // namespace diskwright
