// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/jbd2_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tuner/simulator/write_plug.hpp"

namespace diskwright {
namespace {

// include/linux/jbd2.h: journal_header_t and the first tag's UUID; a revoke block's header; a record in it.
constexpr std::uint32_t descriptor_head = 12 + 16, revoke_head = 16, revoke_entry = 8;

}  // namespace

Jbd2Model::Jbd2Model(VirtualIo& io, MetadataPages& pages, const Jbd2Rules& rules,
                     std::function<std::vector<std::uint64_t>()> before_commit)
    : io_(io), pages_(pages), rules_(rules), before_commit_(std::move(before_commit)) {}

void Jbd2Model::add(std::uint64_t byte) {
    if (members_.empty()) due_s_ = io_.now_s() + rules_.commit_s;
    if (members_.insert(byte).second) pages_.hold(byte);
}

// Descriptors, the blocks, revoke blocks.
std::uint64_t Jbd2Model::journal_blocks() const {
    const std::uint64_t tags = (rules_.block_bytes - descriptor_head - 4) / (rules_.wide_tags ? 16 : 8);
    const std::uint64_t revokes = (rules_.block_bytes - revoke_head - 4) / revoke_entry;
    const std::uint64_t count = committing_.size();
    return count + (count + tags - 1) / tags + (revoked_ + revokes - 1) / revokes;
}

void Jbd2Model::write_superblock() {
    io_.perform(DriveOperation::write, IoPurpose::log, place_of(0).place * rules_.block_bytes,
                rules_.block_bytes);
}

// Where that block of the journal lies, and how many follow it there.
BlockRun Jbd2Model::place_of(std::uint64_t index) const {
    for (const BlockRun& run : rules_.runs) {
        if (index < run.blocks) return {run.place + index, run.blocks - index};
        index -= run.blocks;
    }
    return {};
}

void Jbd2Model::append(std::uint64_t blocks, IoPurpose purpose) {
    WritePlug plug(io_);
    while (blocks > 0) {
        const BlockRun at = place_of(head_);
        const std::uint64_t some = std::min(blocks, at.blocks);
        plug.add(at.place * rules_.block_bytes, some * rules_.block_bytes, purpose);
        used_ += some;
        blocks -= some;
        head_ += some;
        if (head_ == rules_.blocks) head_ = 1;
    }
    const auto requests = plug.finish();
    pending_.insert(pending_.end(), requests.begin(), requests.end());
}

// jbd2_log_do_checkpoint, then jbd2_update_log_tail.
void Jbd2Model::checkpoint() {
    for (const std::uint64_t request : pages_.write_dirty()) io_.wait(request, IoPurpose::log);
    if (rules_.flushes) io_.perform(DriveOperation::flush, IoPurpose::flush, 0, 0);
    write_superblock();
    used_ = 0;
}

void Jbd2Model::begin_commit() {
    if (std::exchange(clean_, false)) write_superblock();
    pending_ = before_commit_();
    committing_.assign(members_.begin(), members_.end());
    members_.clear();
    const std::uint64_t blocks = journal_blocks();
    if (used_ + blocks + 1 >= rules_.blocks - 1) checkpoint();
    append(blocks, IoPurpose::log);
    revoked_ = 0;
    ++running_;
    stage_ = Stage::written;
}

// From the blocks to the flush, from there to the commit block, then its own flush.
void Jbd2Model::step() {
    pending_.clear();
    const auto flush = [&] {
        if (rules_.flushes) pending_.push_back(io_.submit(DriveOperation::flush, IoPurpose::flush, 0, 0));
    };
    switch (stage_) {
        case Stage::idle:
            return;
        case Stage::written:
            flush();
            stage_ = Stage::flushed;
            return;
        case Stage::flushed:
            append(1, IoPurpose::commit);
            stage_ = Stage::marked;
            return;
        case Stage::marked:
            flush();
            for (const std::uint64_t byte : committing_) pages_.let_go(byte);
            committing_.clear();
            committed_ = running_ - 1;
            ++commits_;
            stage_ = Stage::idle;
            return;
    }
}

void Jbd2Model::wait_for_pending() {
    constexpr IoPurpose waits_for[] = {IoPurpose::flush, IoPurpose::log, IoPurpose::flush, IoPurpose::commit};
    for (const std::uint64_t request : pending_) io_.wait(request, waits_for[static_cast<int>(stage_)]);
}

void Jbd2Model::finish() {
    while (stage_ != Stage::idle) {
        wait_for_pending();
        step();
    }
    wait_for_pending();
}

void Jbd2Model::commit() {
    finish();
    if (members_.empty()) return;
    begin_commit();
    finish();
}

void Jbd2Model::advance() {
    // j_max_transaction_buffers: a quarter of the journal. The next one waits for the one before.
    const bool large = members_.size() >= rules_.blocks / 4;
    if (large) finish();
    while (stage_ != Stage::idle) {
        for (const std::uint64_t request : pending_)
            if (io_.outstanding(request)) return;
        step();
    }
    if (!members_.empty() && (large || io_.now_s() >= due_s_)) begin_commit();
}

double Jbd2Model::next_s() const {
    if (stage_ != Stage::idle) return io_.now_s();
    return members_.empty() ? std::numeric_limits<double>::infinity() : due_s_;
}

}  // namespace diskwright
