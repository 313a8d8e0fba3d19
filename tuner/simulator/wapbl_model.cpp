// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/wapbl_model.hpp"

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t most_transfer = 65536;  // MAXPHYS
constexpr std::uint64_t list_header = 16,
                        list_entry = 16;  // struct wapbl_wc_blocklist, sys/sys/wapbl_replay.h

}  // namespace

WapblModel::WapblModel(VirtualIo& io, BufferCache& cache, std::uint64_t begin, std::uint64_t bytes,
                       const WapblRules& rules, std::function<void()> before_flush)
    : io_(io),
      cache_(cache),
      rules_(rules),
      before_flush_(std::move(before_flush)),
      begin_(begin),
      sector_(io.sector_bytes()),
      circle_((bytes - 2 * sector_) / sector_ * sector_),
      limit_(std::min(circle_, rules.buffer_bytes)) {}

std::uint64_t WapblModel::records(std::size_t count) const {
    const std::uint64_t per_sector = (sector_ - list_header) / list_entry;
    return (count + per_sector - 1) / per_sector * sector_;
}

std::uint64_t WapblModel::transaction_bytes() const {
    return cache_.logged_bytes() + records(cache_.logged_count()) + records(revocations_) + sector_;
}

void WapblModel::begin() {
    if (cache_.logged_bytes() > limit_ / 2 || transaction_bytes() > circle_ / 2) flush();
}

void WapblModel::reclaim(bool waits) {
    while (!transactions_.empty()) {
        Transaction& oldest = transactions_.front();
        auto& requests = oldest.requests;
        if (waits)
            for (const std::uint64_t request : requests) io_.wait(request, IoPurpose::log);
        requests.erase(std::remove_if(requests.begin(), requests.end(),
                                      [&](std::uint64_t request) { return !io_.outstanding(request); }),
                       requests.end());
        if (!requests.empty()) return;
        used_ -= oldest.bytes;
        transactions_.pop_front();
    }
}

void WapblModel::write_piece(std::uint64_t at, std::uint64_t bytes) {
    const auto place = begin_ + 2 * sector_ + at;
    if (rules_.in_flight <= 1) {
        io_.perform(DriveOperation::write, IoPurpose::log, place, static_cast<std::uint32_t>(bytes));
        return;
    }
    if (under_way_.size() >= rules_.in_flight) {
        io_.wait(under_way_.front(), IoPurpose::log);
        under_way_.pop_front();
    }
    under_way_.push_back(
        io_.submit(DriveOperation::write, IoPurpose::log, place, static_cast<std::uint32_t>(bytes), true));
}

// Gathered writes end on a multiple of MAXPHYS of the device.
void WapblModel::append(std::uint64_t bytes) {
    while (bytes > 0) {
        std::uint64_t piece = std::min(bytes, circle_ - head_);
        const std::uint64_t place = begin_ + 2 * sector_ + head_;
        if (rules_.gathers) piece = std::min(piece, most_transfer - place % most_transfer);
        write_piece(head_, piece);
        head_ += piece;
        bytes -= piece;
        if (head_ == circle_) {
            head_ = 0;
            ++wraps_;
        }
    }
}

void WapblModel::commit() {
    for (; !under_way_.empty(); under_way_.pop_front()) io_.wait(under_way_.front(), IoPurpose::log);
    if (rules_.flushes_cache) io_.perform(DriveOperation::flush, IoPurpose::flush, 0, 0);
    io_.perform(DriveOperation::write, IoPurpose::commit, begin_ + generation_++ % 2 * sector_,
                static_cast<std::uint32_t>(sector_));
    if (rules_.flushes_cache) io_.perform(DriveOperation::flush, IoPurpose::flush, 0, 0);
    ++commits_;
}

void WapblModel::flush() {
    before_flush_();
    if (cache_.logged_count() == 0) return;
    const std::uint64_t bytes = transaction_bytes();
    reclaim(false);
    if (used_ + bytes > circle_) {  // wapbl_truncate: the tail moves before the head may
        ++stalls_;
        reclaim(true);
        commit();
    }
    if (rules_.gathers) {
        append(bytes);
    } else {
        std::size_t index = 0;
        const std::uint64_t per_list = (sector_ - list_header) / list_entry;
        for (const auto& block : cache_.logged()) {
            if (index++ % per_list == 0) append(sector_);
            append(block.bytes);
        }
        for (std::uint64_t left = records(revocations_) / sector_ + 1; left > 0; --left) append(sector_);
    }
    reclaim(false);
    commit();
    used_ += bytes;
    revocations_ = 0;
    transactions_.push_back({bytes, cache_.write_logged(rules_.latest_first)});
}

}  // namespace diskwright
