// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tuner/simulator/media_reader.hpp"

namespace diskwright {

/// The blocks of one read on their way to the host, each as soon as it is there and the one before is
/// through.
struct HostTransfer {
    std::uint64_t blocks = 0, had = 0, mark = 0;  // of the request; in the buffer beforehand; enough to begin
    double block_s = 0;                           // on the bus
    double marked_s = 0;                          // when enough of them are there
    double media_s = 0;                           // when the medium is done
    double done_s = 0;                            // no earlier, for what comes from the medium

    /// The next blocks come from the medium; index: of the first of them in the request.
    void add(std::uint64_t index, const MediaReader::Piece& piece) {
        const auto there_s = [&](std::uint64_t i) {
            return piece.start_s + double(std::min(i + 1, piece.in_order)) * piece.block_s;
        };
        const auto not_before = [&](std::uint64_t i) {
            done_s = std::max(done_s, there_s(i) + double(blocks - index - i) * block_s);
        };
        not_before(0);
        not_before(piece.in_order - 1);
        not_before(piece.blocks - 1);
        if (mark > index && mark <= index + piece.blocks) marked_s = there_s(mark - index - 1);
        media_s = there_s(piece.blocks - 1);
    }
};

}  // namespace diskwright
