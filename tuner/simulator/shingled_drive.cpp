// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/shingled_drive.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace diskwright {
namespace {

constexpr std::uint64_t own_request = std::uint64_t{1} << 63;  // an id that no host uses
constexpr std::size_t most_extents = 250'000;                  // of the map of the cache
constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

ShingledDrive::ShingledDrive(std::unique_ptr<SimulatedDrive> medium, const ShingledParameters& shingles)
    : medium_(std::move(medium)), shingles_(shingles) {}

void ShingledDrive::count(const DriveRequest& request) {
    switch (request.operation) {
        case DriveOperation::read:
            ++counters_.reads, counters_.blocks_read += request.blocks;
            break;
        case DriveOperation::write:
            ++counters_.writes, counters_.blocks_written += request.blocks;
            break;
        case DriveOperation::flush:
            ++counters_.flushes;
            break;
    }
}

void ShingledDrive::to_medium(DriveRequest request, std::uint64_t block) {
    request.block = block;
    ++outstanding_;
    medium_->submit(request);
}

// The cache has nothing of these blocks any more.
void ShingledDrive::forget(std::uint64_t begin, std::uint64_t end) {
    auto at = extents_.upper_bound(begin);
    if (at != extents_.begin() && std::prev(at)->second.end > begin) --at;
    while (at != extents_.end() && at->first < end) {
        const auto [first, extent] = *at;
        at = extents_.erase(at);
        cached_ -= extent.end - first;
        const auto keep = [&](std::uint64_t from, std::uint64_t to) {
            if (from >= to) return;
            extents_.insert_or_assign(from, Extent{to, extent.at + (from - first)});
            cached_ += to - from;
        };
        keep(first, std::min(extent.end, begin));
        keep(std::max(first, end), extent.end);
    }
}

bool ShingledDrive::follows(const DriveRequest& request) const {
    return request.block == stream_end_ || request.block % shingles_.band_blocks == 0 ||
           request.blocks > shingles_.cache_blocks;
}

bool ShingledDrive::fits(const DriveRequest& request) const {
    return cached_ + request.blocks <= shingles_.cache_blocks && extents_.size() < most_extents;
}

void ShingledDrive::append(const DriveRequest& request) {
    const std::uint64_t end = request.block + request.blocks;
    forget(request.block, end);
    if (head_ + request.blocks > shingles_.cache_blocks) head_ = 0;
    extents_.insert_or_assign(request.block, Extent{end, head_});
    cached_ += request.blocks;
    for (std::uint64_t band = request.block / shingles_.band_blocks; band * shingles_.band_blocks < end;
         ++band)
        if (listed_.insert(band).second) bands_.push_back(band);
    to_medium(request, head_);
    head_ += request.blocks;
}

void ShingledDrive::write(DriveRequest request) {
    if (follows(request)) {
        stream_end_ = request.block + request.blocks;
        forget(request.block, stream_end_);
        return to_medium(request, shingles_.cache_blocks + request.block);
    }
    if (waiting_.empty() && fits(request)) return append(request);
    arrivals_.emplace(request.id, request.arrival_s);
    waiting_.push_back(request);
    if (!cleaning_) clean(request.arrival_s);
}

void ShingledDrive::dispatch(DriveRequest request) {
    count(request);
    if (request.operation == DriveOperation::write) return write(request);
    std::uint64_t place = shingles_.cache_blocks + request.block;
    if (request.operation == DriveOperation::read) {
        const auto after = extents_.upper_bound(request.block);
        if (after != extents_.begin()) {
            const auto& [first, extent] = *std::prev(after);
            if (request.block < extent.end) place = extent.at + (request.block - first);
        }
    }
    to_medium(request, request.operation == DriveOperation::flush ? 0 : place);
}

DriveRequest ShingledDrive::of_band(std::uint64_t band, DriveOperation operation, double at_s) const {
    const std::uint64_t first = band * shingles_.band_blocks;
    const auto length = static_cast<std::uint32_t>(std::min(shingles_.band_blocks, blocks() - first));
    return {own_request, shingles_.cache_blocks + first, length, operation, true, at_s};
}

// Bands of which the cache has nothing any more need none.
void ShingledDrive::clean(double at_s) {
    while (!bands_.empty() && !cleaning_) {
        const std::uint64_t band = bands_.front(), first = band * shingles_.band_blocks;
        bands_.pop_front();
        listed_.erase(band);
        const auto after = extents_.lower_bound(first + shingles_.band_blocks);
        if (after == extents_.begin() || std::prev(after)->second.end <= first) continue;
        cleaning_ = Cleaning{band, false};
        medium_->submit(of_band(band, DriveOperation::read, at_s));
    }
}

void ShingledDrive::go_on_cleaning(double at_s) {
    if (!cleaning_->read) {
        cleaning_->read = true;
        medium_->submit(of_band(cleaning_->band, DriveOperation::write, at_s));
        return;
    }
    const std::uint64_t first = cleaning_->band * shingles_.band_blocks;
    forget(first, first + shingles_.band_blocks);
    cleaning_.reset();
    release_waiting(at_s);
    if (!waiting_.empty()) clean(at_s);
}

void ShingledDrive::release_waiting(double at_s) {
    while (!waiting_.empty() && fits(waiting_.front())) {
        DriveRequest request = waiting_.front();
        waiting_.pop_front();
        request.arrival_s = at_s;
        append(request);
    }
}

std::optional<DriveCompletion> ShingledDrive::next(double until_s) {
    for (;;) {
        const bool idle = outstanding_ == 0 && waiting_.empty() && !cleaning_ && !bands_.empty();
        const double arrival_s = host_.empty() ? never : host_.front().arrival_s;
        const double clean_s = idle ? idle_since_s_ + shingles_.clean_after_s : never;
        const double limit_s = std::min({until_s, arrival_s, clean_s});
        if (auto done = medium_->next(limit_s)) {
            const DriveCounters& of_medium = medium_->counters();
            counters_.media_written = of_medium.media_written, counters_.busy_s = of_medium.busy_s;
            counters_.seek_s = of_medium.seek_s, counters_.rotation_s = of_medium.rotation_s;
            counters_.transfer_s = of_medium.transfer_s;
            counters_.blocks_from_buffer = of_medium.blocks_from_buffer;
            counters_.overwritten_in_buffer = of_medium.overwritten_in_buffer;
            if (done->id == own_request) {
                // One band after the other, until a request comes.
                idle_since_s_ = std::max(idle_since_s_, done->done_s - shingles_.clean_after_s);
                go_on_cleaning(done->done_s);
                continue;
            }
            --outstanding_;
            idle_since_s_ = done->done_s;
            if (const auto waited = arrivals_.find(done->id); waited != arrivals_.end()) {
                done->arrival_s = waited->second;
                arrivals_.erase(waited);
            }
            return done;
        }
        if (clean_s <= std::min(until_s, arrival_s) && clean_s < never) {
            clean(clean_s);
        } else if (arrival_s <= until_s && !host_.empty()) {
            const DriveRequest request = host_.front();
            host_.pop_front();
            dispatch(request);
        } else {
            return std::nullopt;
        }
    }
}

}  // namespace diskwright
