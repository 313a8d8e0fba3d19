// SPDX-License-Identifier: BSD-2-Clause
// Reads and writes of the array probe: counted, within its time, ended by the first failure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "probes/support/random.hpp"
#include "probes/timing/filler.hpp"
#include "probes/timing/probes.hpp"

namespace diskwright {

/// Seconds.
struct BatchTimes {
    std::vector<double> each;
    double all = 0;
};

class ArrayTimer {
 public:
    explicit ArrayTimer(const ProbeContext& context);

    std::uint64_t sector_bytes() const { return sector_; }
    std::uint64_t size_bytes() const { return size_; }
    Random& random() { return random_; }
    /// Multiple of `grain` with `length` bytes behind it.
    std::uint64_t any_place(std::uint64_t grain, std::uint64_t length) {
        return random_.below((size_ - length) / grain + 1) * grain;
    }

    /// Of whole sectors within the device. Nothing once the probe has ended.
    std::optional<std::vector<double>> one_by_one(std::span<const ReadRequest> requests);
    std::optional<BatchTimes> at_once(std::span<const ReadRequest> requests);
    bool can_write() const { return context_.scratch != nullptr; }
    /// On the scratch area.
    std::optional<BatchTimes> at_once(std::span<const MixedRequest> requests);
    /// Nothing, too, where the system offers no flush.
    std::optional<double> flush();
    /// Evaluates the interlocks; false when they refuse.
    bool begin_writing();

    /// Time over, interrupted, or failed.
    bool ended() const;
    bool out_of_time() const;
    /// Of the time, so far.
    double spent() const;
    bool interrupted() const { return context_.progress.cancelled(); }
    const std::optional<Error>& failure() const { return failure_; }
    std::uint64_t requests() const { return requests_; }
    void step(std::string_view name);

 private:
    std::optional<RunTiming> taken(Result<RunTiming> run);

    const ProbeContext& context_;
    std::uint64_t sector_, size_;
    Random random_;
    Filler filler_;
    std::vector<std::byte> written_;
    std::chrono::nanoseconds begin_;
    std::optional<Error> failure_;
    std::uint64_t requests_ = 0;
};

}  // namespace diskwright
