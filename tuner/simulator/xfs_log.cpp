// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/xfs_log.hpp"

#include <algorithm>

namespace diskwright {
namespace {

// fs/xfs/libxfs/xfs_log_format.h: xlog_op_header; xfs_inode_log_format; xfs_log_dinode; xfs_buf_log_format;
// XFS_BLF_CHUNK; the record of start, the transaction's header and the one of commit.
constexpr std::uint32_t operation = 12, inode_format = 56, inode_core = 176, buffer_format = 28, chunk = 128,
                        checkpoint_head = 12 + 12 + 16 + 12;
constexpr std::uint64_t inode_item = std::uint64_t{1} << 63;
constexpr std::uint64_t record_bytes = 32768, record_head = 512;  // XLOG_BIG_RECORD_BSIZE
constexpr std::uint64_t most_gathered = std::uint64_t{32} << 20;  // XLOG_CIL_SPACE_LIMIT

}  // namespace

void XfsLog::add_inode(std::uint64_t inode, std::uint32_t fork_bytes, std::uint64_t page) {
    Item& item = items_[inode | inode_item];
    const std::uint32_t fork = fork_bytes > 0 ? operation + (fork_bytes + 3) / 4 * 4 : 0;
    const std::uint32_t bytes = 2 * operation + inode_format + inode_core + fork;
    gathered_ = gathered_ - item.bytes + bytes;
    item.bytes = bytes;
    if (held_.insert(page).second) pages_.hold(page);
}

void XfsLog::add_page(std::uint64_t page, std::uint32_t changed_bytes) {
    Item& item = items_[page];
    std::uint32_t bytes = (changed_bytes + chunk - 1) / chunk * chunk + operation;
    if (item.bytes == 0) {
        bytes += operation + buffer_format;
        item.most = pages_.bytes(page) + 2 * operation + buffer_format;
    }
    bytes = std::min(bytes, item.most - item.bytes);
    item.bytes += bytes;
    gathered_ += bytes;
    if (held_.insert(page).second) pages_.hold(page);
}

// Each record a multiple of the log's stripe unit, or of a sector (xlog_calc_iclog_size).
XfsLog::Step XfsLog::records(std::uint64_t payload) {
    Step step;
    const std::uint64_t whole = std::max(record_bytes, rules_.unit_bytes);
    const std::uint64_t unit = std::max(rules_.unit_bytes, rules_.sector_bytes);
    while (payload > 0) {
        const std::uint64_t some = std::min(payload, whole - record_head);
        std::uint64_t length = (some + record_head + unit - 1) / unit * unit;
        payload -= some;
        used_ += length;
        while (length > 0) {
            const std::uint64_t piece = std::min(length, rules_.bytes - head_);
            step.push_back({rules_.first_byte + head_, piece, IoPurpose::log});
            head_ = (head_ + piece) % rules_.bytes;
            length -= piece;
        }
    }
    return step;
}

// xlog_cil_push_work: the first record comes after a flush; so does the last, which is written through.
void XfsLog::begin_force() {
    if (items_.empty() || !idle()) return;
    Step writes = records(gathered_ + checkpoint_head);
    const Step flush = rules_.flushes ? Step{{0, 0, IoPurpose::flush}} : Step{};
    Write last = writes.back();
    last.purpose = IoPurpose::commit;
    writes.pop_back();
    steps_.push_back(flush);
    if (!writes.empty()) {
        steps_.push_back(std::move(writes));
        steps_.push_back(flush);
    }
    steps_.push_back({last});
    steps_.push_back(flush);
    committing_.assign(held_.begin(), held_.end());
    held_.clear();
    items_.clear();
    gathered_ = 0;
    ++running_;
    step();
}

// True while there is something to wait for.
bool XfsLog::step() {
    pending_.clear();
    while (!steps_.empty() && pending_.empty()) {
        for (const Write& write : steps_.front()) {
            waiting_for_ = write.purpose;
            const auto operation = write.bytes == 0 ? DriveOperation::flush : DriveOperation::write;
            pending_.push_back(
                io_.submit(operation, write.purpose, write.byte, static_cast<std::uint32_t>(write.bytes)));
        }
        steps_.pop_front();
    }
    if (!pending_.empty()) return true;
    if (!committing_.empty()) {
        for (const std::uint64_t page : committing_) pages_.let_go(page);
        committing_.clear();
        committed_ = running_ - 1;
    }
    return false;
}

void XfsLog::wait_for_pending() {
    for (const std::uint64_t request : pending_) io_.wait(request, waiting_for_);
}

void XfsLog::force() {
    do wait_for_pending();
    while (step());
    begin_force();
    do wait_for_pending();
    while (step());
}

void XfsLog::advance() {
    while (!idle()) {
        for (const std::uint64_t request : pending_)
            if (io_.outstanding(request)) return;
        if (!step()) return;
    }
}

// xlog_cil_push_background; xlog_grant_push_ail when less than a quarter of the log is free.
void XfsLog::make_room() {
    const std::uint64_t limit = std::min(rules_.bytes / 8, most_gathered);
    if (gathered_ > 2 * limit)
        force();
    else if (gathered_ > limit)
        begin_force();
    if (used_ <= rules_.bytes / 4 * 3) return;
    for (const std::uint64_t request : pages_.write_dirty()) io_.wait(request, IoPurpose::log);
    tail_moved();
}

}  // namespace diskwright
