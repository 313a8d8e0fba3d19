// SPDX-License-Identifier: BSD-2-Clause
// Which copy a mirror reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/simulator/array_driver.hpp"
#include "tuner/simulator/array_layout.hpp"

namespace diskwright {

enum class MirrorBalance : std::uint8_t {
    shorter_queue,  // RAIDframe: then the nearer one (sys/dev/raidframe/rf_dagutils.c,
                    // rf_SelectMirrorDiskIdle)
    load,           // gmirror (sys/geom/mirror/g_mirror.c, g_mirror_request_load)
    split,          // gmirror: parts of a request to each
    round_robin,
    prefer,   // the first
    nearest,  // md: where it reads on, else one that does nothing, else the nearest (drivers/md/raid1.c,
              // read_balance)
    lowest,   // md RAID 10 with far copies: the one that lies lowest (drivers/md/raid10.c, read_balance)
};

class MirrorReader {
 public:
    MirrorReader(MirrorBalance balance, std::uint32_t components)
        : balance_(balance), loads_(components), last_end_(components) {}

    /// Index in copies, of which there is at least one; all of them hold the data. offset: into them.
    std::size_t choose(std::span<const ComponentPlace> copies, std::uint64_t offset, std::uint32_t blocks,
                       const ArrayServices& array);

 private:
    std::size_t by_queue(std::span<const ComponentPlace> copies, std::uint64_t offset,
                         const ArrayServices& array) const;
    std::size_t by_load(std::span<const ComponentPlace> copies, std::uint64_t offset, std::uint32_t blocks,
                        const ArrayServices& array);
    std::size_t by_distance(std::span<const ComponentPlace> copies, std::uint64_t offset,
                            const ArrayServices& array) const;

    MirrorBalance balance_;
    std::vector<std::int64_t> loads_;
    std::vector<std::uint64_t> last_end_;
    std::uint64_t turn_ = 0;
};

}  // namespace diskwright
