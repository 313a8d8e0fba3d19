// SPDX-License-Identifier: BSD-2-Clause
// What a disk is asked to write when small files are made on a block file system, issued raw on a scratch
// area: whole blocks and packed fragments of the files, the block of their inodes, a flush per commit. It
// measures what the device makes of requests of that size and place; it is no file system.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/support/progress.hpp"
#include "probes/timing/timed_device.hpp"
#include "tuner/search.hpp"
#include "tuner/search_space.hpp"

namespace diskwright {

struct PatternLoad {
    std::uint64_t files = 48;
    std::uint64_t files_per_commit = 4;
    std::uint64_t seed = 1;  // of the files' sizes: 1 to 96 KiB, small ones more often
};

struct PatternWrite {
    std::uint64_t offset = 0, length = 0;
    bool operator==(const PatternWrite&) const = default;
};

/// The commits in order, each the writes before one flush. An FFS keeps whole blocks at multiples of bsize
/// and tails at multiples of fsize (fsize <= bsize, both powers of two). Empty when `area_bytes` is too
/// small.
std::vector<std::vector<PatternWrite>> small_file_writes(const PatternLoad& load, std::uint64_t bsize,
                                                         std::uint64_t fsize, std::uint64_t area_bytes);

/// The blocks and fragments worth trying: bsize and fsize of an FFS, or bsize alone where fragments do not
/// exist.
SearchSpace pattern_space(bool fragments);
/// What newfs or mkfs of that system takes by itself on a large device; the first point where the system is
/// none that plan covers.
Point usual_point(const SearchSpace& space, const HostFacts& facts);

/// Runs the pattern on a scratch device; the value is seconds, flushes included. A fragment below the
/// device's sector, or a ratio over 8, is invalid.
class PatternRunner final : public TrialRunner {
 public:
    PatternRunner(const SearchSpace& space, ScratchDevice& scratch, PatternLoad load,
                  const ProgressMeter& stop)
        : space_(space), scratch_(scratch), load_(load), stop_(stop) {}
    Result<Trial> run(const Point& point, const CommandLimits& limits) override;

 private:
    const SearchSpace& space_;
    ScratchDevice& scratch_;
    PatternLoad load_;
    const ProgressMeter& stop_;
};

}  // namespace diskwright
