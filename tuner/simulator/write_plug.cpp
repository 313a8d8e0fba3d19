// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/write_plug.hpp"

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t page_bytes = 4096;

}  // namespace

void WritePlug::add(std::uint64_t byte, std::uint64_t bytes, IoPurpose purpose,
                    std::vector<std::uint64_t>* for_whom) {
    const std::uint64_t most =
        purpose == IoPurpose::data ? most_data_bytes : most_metadata_blocks * page_bytes;
    while (bytes > 0) {
        const bool joins = !pieces_.empty() && pieces_.back().byte + pieces_.back().bytes == byte &&
                           pieces_.back().bytes < most;
        if (!joins) pieces_.push_back({byte, 0, most, purpose, {}});
        Piece& piece = pieces_.back();
        const std::uint64_t some = std::min(bytes, most - piece.bytes);
        piece.bytes += some;
        if (for_whom && (piece.for_whom.empty() || piece.for_whom.back() != for_whom))
            piece.for_whom.push_back(for_whom);
        byte += some;
        bytes -= some;
    }
}

std::vector<std::uint64_t> WritePlug::finish(bool waited) {
    std::vector<std::uint64_t> requests;
    for (const Piece& piece : pieces_) {
        requests.push_back(io_.submit(DriveOperation::write, piece.purpose, piece.byte,
                                      static_cast<std::uint32_t>(piece.bytes), waited));
        for (auto* list : piece.for_whom) list->push_back(requests.back());
    }
    pieces_.clear();
    return requests;
}

}  // namespace diskwright
