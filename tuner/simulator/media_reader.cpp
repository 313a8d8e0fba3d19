// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/media_reader.hpp"

#include <cmath>

namespace diskwright {
namespace {

// Of a block's time: what sums of times may be off by.
constexpr double slack = 1e-6;

}  // namespace

void MediaReader::begin(std::uint64_t block, double from_s, bool zero_latency) {
    zero_latency_ = zero_latency;
    next_ = block;
    land(from_s);
}

void MediaReader::land(double from_s) {
    landing_ = mechanics_.move(next_, from_s, false);
    block_s_ = mechanics_.block_s(landing_.run);
    run_end_ = next_ + landing_.run.blocks;
    passed_ = landed_ = 0;
    if (!zero_latency_) return;
    jump_to_ = std::min(run_end_, std::max(end_, next_ + 1));
    const double since_first = mechanics_.revolution_s() - (landing_.start_s - landing_.on_track_s);
    const auto over = static_cast<std::uint64_t>(std::ceil(since_first / block_s_ - slack));
    if (landing_.start_s > landing_.on_track_s && over < jump_to_ - next_) landed_ = over;
}

MediaReader::Piece MediaReader::take() {
    if (next_ == run_end_) land(left_s());
    Piece piece;
    const std::uint64_t to = std::min(run_end_, end_);
    piece.blocks = to - next_;
    piece.start_s = next_s();
    piece.block_s = block_s_;
    piece.in_order = landed_ > passed_ && to <= jump_to_ ? landed_ - passed_ : piece.blocks;
    piece.in_order = std::min(piece.in_order, piece.blocks);
    passed_ += piece.blocks;
    next_ = to;
    return piece;
}

void MediaReader::advance(double at_s) {
    while (!done()) {
        if (next_ == run_end_) {
            if (left_s() > at_s) return;
            land(left_s());
        }
        const double gone = (at_s - landing_.start_s) / block_s_ + slack;
        std::uint64_t to = landing_.run.first;
        if (gone > 0) to += static_cast<std::uint64_t>(std::min(gone, double(landing_.run.blocks)));
        if (landed_ > 0 && gone >= double(landed_)) to = std::max(to, jump_to_);
        to = std::min({to, run_end_, end_});
        if (to > next_) {
            passed_ += to - next_;
            next_ = to;
        }
        if (next_ < run_end_) return;
    }
}

double MediaReader::stopped_s(double at_s, bool within_block) const {
    if (done()) return at_s;
    if (at_s < landing_.on_track_s) return landing_.on_track_s;
    if (within_block) return at_s;
    if (at_s < landing_.start_s) return landing_.start_s;
    const double gone = (at_s - landing_.start_s) / block_s_;
    return std::max(at_s, landing_.start_s + std::ceil(gone - slack) * block_s_);
}

}  // namespace diskwright
