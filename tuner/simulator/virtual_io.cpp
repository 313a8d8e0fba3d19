// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/virtual_io.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::uint64_t block_bytes = 512;

}  // namespace

VirtualIo::VirtualIo(SimulatedDrive& drive, std::uint64_t first_byte, bool records)
    : drive_(drive), first_byte_(first_byte), keeps_(records) {}

std::uint64_t VirtualIo::submit(DriveOperation operation, IoPurpose purpose, std::uint64_t byte,
                                std::uint32_t bytes, bool waited) {
    const std::uint64_t at = operation == DriveOperation::flush ? 0 : first_byte_ + byte;
    drive_.submit({++last_, at / block_bytes, static_cast<std::uint32_t>(bytes / block_bytes), operation,
                   false, now_s_});
    waiting_.insert(last_);
    if (keeps_) records_.push_back({now_s_, 0, operation, purpose, waited, at, bytes});
    return last_;
}

bool VirtualIo::take_next(double until_s) {
    const auto done = drive_.next(until_s);
    if (!done) return false;
    waiting_.erase(done->id);
    if (tells_done_) done_.push_back(done->id);
    last_done_s_ = std::max(last_done_s_, done->done_s);
    if (keeps_) records_[done->id - 1].done_s = done->done_s;
    return true;
}

void VirtualIo::wait(std::uint64_t request, IoPurpose purpose) {
    if (!waiting_.contains(request)) return;
    while (waiting_.contains(request) && take_next(never)) {
    }
    const double done_s = std::max(now_s_, last_done_s_);
    waited_s_[static_cast<std::size_t>(purpose)] += done_s - now_s_;
    now_s_ = done_s;
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
    while (!waiting_.empty() && take_next(never)) {
    }
    now_s_ = std::max(now_s_, last_done_s_);
}

void VirtualIo::wait_until_fewer(std::size_t than, IoPurpose purpose) {
    double done_s = now_s_;
    while (waiting_.size() >= than && take_next(never)) done_s = std::max(done_s, last_done_s_);
    waited_s_[static_cast<std::size_t>(purpose)] += done_s - now_s_;
    now_s_ = done_s;
}

void VirtualIo::idle_until(double at_s) {
    while (take_next(at_s)) {
    }
    now_s_ = std::max(now_s_, at_s);
}

}  // namespace diskwright
