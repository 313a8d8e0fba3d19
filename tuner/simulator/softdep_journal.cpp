// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/softdep_journal.hpp"

#include <algorithm>
#include <utility>

namespace diskwright {
namespace {

constexpr std::uint64_t record_bytes = 32;  // JREC_SIZE, sys/ufs/ffs/fs.h

}  // namespace

SoftJournal::SoftJournal(VirtualIo& io, SoftUpdates& updates, std::uint64_t begin, std::uint64_t bytes,
                         std::uint32_t block_bytes)
    : io_(io),
      updates_(updates),
      begin_(begin),
      bytes_(bytes / block_bytes * block_bytes),
      free_(bytes_),
      sector_(io.sector_bytes()),
      block_(block_bytes) {}

SoftUpdates::Change SoftJournal::record(std::uint32_t count) {
    const std::uint64_t most = block_ / sector_ * (sector_ / record_bytes - 1);
    if (pending_ + count > most) {
        write();
        full_written_ = true;
    }
    if (open_ == SoftUpdates::none) {
        open_ = updates_.elsewhere();
        current_ = std::make_shared<Segment>();
    }
    pending_ += count;
    return open_;
}

void SoftJournal::keep_until(SoftUpdates::Change change) {
    if (!current_ || updates_.on_disk(change)) return;
    ++current_->uses;
    updates_.then({change}, [this, segment = current_] {
        --segment->uses;
        release();
    });
}

void SoftJournal::release() {
    while (!segments_.empty() && segments_.front()->uses == 0 && segments_.front() != current_) {
        free_ += segments_.front()->bytes;
        segments_.pop_front();
    }
}

// jblocks_alloc: what lies together, at most to the end of the journal. Each sector begins with a header.
void SoftJournal::write() {
    if (pending_ == 0) return;
    const std::uint64_t per_sector = sector_ / record_bytes - 1;
    std::uint64_t left = std::min((pending_ + per_sector - 1) / per_sector * sector_, block_);
    current_->bytes = left;
    free_ -= std::min(free_, left);
    std::uint64_t request = 0;
    while (left > 0) {
        const std::uint64_t piece = std::min(left, bytes_ - head_);
        request = io_.submit(DriveOperation::write, IoPurpose::log, begin_ + head_,
                             static_cast<std::uint32_t>(piece));
        head_ = (head_ + piece) % bytes_;
        left -= piece;
        ++written_;
    }
    updates_.goes_out(open_, request);
    segments_.push_back(std::move(current_));
    current_.reset();
    open_ = SoftUpdates::none;
    pending_ = 0;
    release();
}

// One that is begun goes out when no full one did since the last time.
void SoftJournal::process() {
    if (!std::exchange(full_written_, false)) write();
}

void SoftJournal::flush() {
    write();
}

}  // namespace diskwright
