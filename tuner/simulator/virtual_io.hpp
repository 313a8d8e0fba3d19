// SPDX-License-Identifier: BSD-2-Clause
// A host's side of a simulated drive: a clock of its own, requests that it waits for or not, and what it
// waited for.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "probes/support/result.hpp"
#include "tuner/simulator/simulated_drive.hpp"

namespace diskwright {

enum class IoPurpose : std::uint8_t { data, directory, inode, group, pointers, summary, log, commit, flush };
inline constexpr std::size_t io_purposes = 9;

struct IoRecord {
    double arrival_s = 0, done_s = 0;
    DriveOperation operation = DriveOperation::read;
    IoPurpose purpose = IoPurpose::data;
    bool waited = false;
    std::uint64_t byte = 0;  // from the start of the volume
    std::uint32_t bytes = 0;
};

/// Thrown out of whatever is being simulated.
struct StoppedSimulation {
    Error error;
};

/// Every member that may take time throws StoppedSimulation: internal when goes_on says no, when nothing
/// happens any more or when the drive loses a request, bad_data when the clock passes longest_s.
class VirtualIo {
 public:
    /// 30 years; a clock in double has a resolution of 0.1 microseconds there.
    static constexpr double longest_s = 30 * 365.25 * 86400;

    /// first_byte: of the file system on the volume, a multiple of 512. With records every request is kept.
    /// goes_on is asked every thousand events or so; it may be empty.
    VirtualIo(SimulatedDrive& drive, std::uint64_t first_byte, bool records,
              std::function<bool()> goes_on = {});

    double now_s() const { return now_s_; }
    std::uint64_t sector_bytes() const { return std::uint64_t{drive_.logical_blocks()} * 512; }
    /// Time of the processor; the drive goes on.
    void spend(double seconds) { advance_to(now_s_ + seconds); }
    /// Its number, never 0. Bytes from the start of the file system; a flush has none.
    std::uint64_t submit(DriveOperation operation, IoPurpose purpose, std::uint64_t byte, std::uint32_t bytes,
                         bool waited = false);
    void wait(std::uint64_t request, IoPurpose purpose);
    void perform(DriveOperation operation, IoPurpose purpose, std::uint64_t byte, std::uint32_t bytes);
    /// Not done by now.
    bool outstanding(std::uint64_t request);
    /// The requests that were done since it was asked last; kept from the first time on.
    std::vector<std::uint64_t> take_done();
    /// Those that were not seen to be done.
    std::size_t outstanding() const { return waiting_.size(); }
    void wait_for_all();
    void wait_until_fewer(std::size_t than, IoPurpose purpose);
    /// So long for that purpose, whatever is done meanwhile.
    void sleep(double seconds, IoPurpose purpose);
    /// Nothing to do until then; until the next request is done, and until then at the latest.
    void idle_until(double at_s);
    void idle_until_done(double until_s);

    double last_done_s() const { return last_done_s_; }
    const std::array<double, io_purposes>& waited_s() const { return waited_s_; }
    const std::vector<IoRecord>& records() const { return records_; }

 private:
    bool take_next(double until_s);
    void take_one();
    void event();
    void advance_to(double at_s);

    SimulatedDrive& drive_;
    std::uint64_t first_byte_;
    bool keeps_, tells_done_ = false;
    std::function<bool()> goes_on_;
    unsigned events_ = 0;
    std::uint64_t idle_calls_ = 0;  // since the clock moved or a request was made
    double now_s_ = 0, last_done_s_ = 0;
    std::uint64_t last_ = 0;
    std::unordered_set<std::uint64_t> waiting_;
    std::vector<std::uint64_t> done_;
    std::array<double, io_purposes> waited_s_{};
    std::vector<IoRecord> records_;
};

}  // namespace diskwright
