// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/media_writer.hpp"

#include <algorithm>
#include <cmath>

namespace diskwright {
namespace {

constexpr double slack = 1e-9;  // seconds

// How many of the next blocks are in the buffer as each of them begins to pass, the first at start_s.
std::uint64_t in_time(const BufferFilling& filling, std::uint64_t done, std::uint64_t blocks, double start_s,
                      double block_s) {
    const double lead = start_s + slack - filling.there_s(done);
    if (lead < 0) return 0;
    if (filling.block_s <= block_s) return blocks;
    const double until = std::floor(lead / (filling.block_s - block_s)) + 1;
    return static_cast<std::uint64_t>(std::min(until, double(blocks)));
}

// The head settles within what is to be written there and has it all: one turn writes it.
bool at_once(const BufferFilling& filling, const Landing& landing, std::uint64_t done, std::uint64_t blocks,
             double revolution_s, double block_s) {
    const double since_first = revolution_s - (landing.start_s - landing.on_track_s);
    return landing.start_s > landing.on_track_s && since_first < double(blocks) * block_s &&
           filling.there_s(done + blocks - 1) <= landing.on_track_s;
}

}  // namespace

MediaWrite write_medium(DiskMechanics& mechanics, std::uint64_t block, std::uint64_t blocks, double from_s,
                        double least_s, const BufferFilling& filling, bool zero_latency) {
    MediaWrite out;
    const double turn = mechanics.revolution_s();
    const double enough_s = filling.least_blocks > 0 ? filling.there_s(filling.least_blocks - 1) : 0;
    double at_s = from_s;
    for (std::uint64_t done = 0; done < blocks;) {
        const Landing landing = mechanics.move(block + done, at_s, true, done == 0 ? least_s : 0);
        const double block_s = mechanics.block_s(landing.run);
        const std::uint64_t here = std::min<std::uint64_t>(landing.run.blocks, blocks - done);
        if (done == 0) out.settled_s = landing.on_track_s;
        if (zero_latency && at_once(filling, landing, done, here, turn, block_s)) {
            if (done == 0) out.begun_s = landing.on_track_s;
            at_s = landing.on_track_s + turn;
            done += here;
            continue;
        }
        double start_s = landing.start_s;
        for (std::uint64_t left = here; left > 0;) {
            const double missed = std::max(filling.there_s(done), enough_s) - start_s;
            if (missed > slack) start_s += std::ceil(missed / turn - slack) * turn;
            if (done == 0) out.begun_s = start_s;
            const std::uint64_t now =
                std::max<std::uint64_t>(1, in_time(filling, done, left, start_s, block_s));
            done += now;
            left -= now;
            at_s = start_s + double(now) * block_s;
            // The next block just passes and is not there.
            start_s = at_s;
        }
    }
    out.done_s = at_s;
    return out;
}

}  // namespace diskwright
