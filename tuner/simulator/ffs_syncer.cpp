// SPDX-License-Identifier: BSD-2-Clause
// The syncer and soft updates: sched_sync of sys/kern/vfs_subr.c (FreeBSD: vfs_subr.c, OpenBSD: vfs_sync.c),
// which takes files, directories and the device each by its own delay, and once a second the list of what has
// become possible.
#include <algorithm>
#include <cmath>

#include "tuner/simulator/ffs_model.hpp"
#include "tuner/simulator/ffs_node.hpp"

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double round_s = 1;

bool of_directory(const BufferCache::Dirty& buffer) {
    return buffer.purpose == IoPurpose::directory;
}

}  // namespace

// softdep_fsync_mountdev: the groups first, and the rest when they have been written.
void FfsModel::start_device() {
    if (rules_.syncer.maps_first) {
        for (const BufferCache::Dirty& buffer : cache_.dirty())
            if (buffer.purpose == IoPurpose::group)
                groups_under_way_.push_back(cache_.write(buffer.byte, false));
    }
    device_begun_ = true;
}

void FfsModel::finish_device() {
    if (!device_begun_) return;
    std::erase_if(groups_under_way_, [&](std::uint64_t request) { return !io_.outstanding(request); });
    if (!groups_under_way_.empty()) return;
    soft_->collect();
    device_begun_ = false;
    bool left = false;
    for (const BufferCache::Dirty& buffer : cache_.dirty()) {
        if (of_directory(buffer)) continue;
        if (rules_.syncer.defers && soft_->holds_back(buffer.byte) &&
            passed_over_.insert(buffer.byte).second) {
            left = true;
            continue;
        }
        passed_over_.erase(buffer.byte);
        cache_.write(buffer.byte, false);
    }
    device_not_before_s_ = left ? io_.now_s() + rules_.syncer.file_system_s : 0;
}

void FfsModel::write_directories(bool all) {
    const double now = io_.now_s();
    for (const BufferCache::Dirty& buffer : cache_.dirty()) {
        if (!of_directory(buffer)) continue;
        const auto passed = directories_due_s_.find(buffer.byte);
        const double due_s =
            passed != directories_due_s_.end() ? passed->second : buffer.since_s + rules_.syncer.directory_s;
        if (!all && due_s > now) continue;
        if (passed == directories_due_s_.end() && soft_->holds_back(buffer.byte)) {
            directories_due_s_.emplace(buffer.byte, now + rules_.syncer.file_system_s);
            continue;
        }
        if (passed != directories_due_s_.end()) directories_due_s_.erase(passed);
        cache_.write(buffer.byte, false);
    }
}

double FfsModel::device_due_s() const {
    double since_s = never;
    for (const BufferCache::Dirty& buffer : cache_.dirty())
        if (!of_directory(buffer)) since_s = std::min(since_s, buffer.since_s);
    if (since_s == never) return never;
    return device_not_before_s_ > 0 ? device_not_before_s_ : since_s + rules_.syncer.metadata_s;
}

void FfsModel::soft_background() {
    const double now = io_.now_s();
    if (now < next_round_s_) return;
    next_round_s_ = std::floor(now / round_s) * round_s + round_s;
    cache_.set_behind(true);
    soft_->collect();
    finish_device();
    write_all_data(now);
    if (!device_begun_ && device_due_s() <= now) {
        start_device();
        finish_device();
    }
    write_directories(false);
    if (now >= next_file_system_sync_s_) {
        while (next_file_system_sync_s_ <= now) next_file_system_sync_s_ += rules_.syncer.file_system_s;
        write_summary(false);
    }
    if (journal_) journal_->process();
    soft_->work();
    cache_.set_behind(false);
}

double FfsModel::soft_next_s() const {
    if (soft_->has_work() || soft_->waits_for_requests() || device_begun_ ||
        (journal_ && journal_->pending()))
        return next_round_s_;
    double next_s = modified_ ? next_file_system_sync_s_ : never;
    for (const Handle handle : dirty_nodes_)
        if (nodes_[handle]->dirty || !nodes_[handle]->overwritten.empty())
            next_s = std::min(next_s, nodes_[handle]->dirty_since_s + rules_.syncer.file_s);
    next_s = std::min(next_s, device_due_s());
    for (const BufferCache::Dirty& buffer : cache_.dirty()) {
        if (!of_directory(buffer)) continue;
        const auto passed = directories_due_s_.find(buffer.byte);
        next_s =
            std::min(next_s, passed != directories_due_s_.end() ? passed->second
                                                                : buffer.since_s + rules_.syncer.directory_s);
    }
    return std::isfinite(next_s) ? std::max(next_round_s_, std::ceil(next_s / round_s) * round_s) : never;
}

// ffs_sync with MNT_NOWAIT: what is held back is left to the syncer.
void FfsModel::soft_sync() {
    soft_->collect();
    if (journal_) journal_->flush();
    write_directories(true);
    start_device();
    for (const std::uint64_t request : groups_under_way_) io_.wait(request, IoPurpose::group);
    finish_device();
    write_summary(false);
    soft_->collect();
}

// softdep_flushfiles: vnodes and the device in turn until nothing is left.
void FfsModel::soft_unmount() {
    constexpr unsigned most_rounds = 64;
    const auto written = [&] {
        io_.wait_for_all();
        soft_->collect();
    };
    for (unsigned round = 0; round < most_rounds; ++round) {
        if (journal_) journal_->flush();
        write_all_data(never);
        written();
        for (const bool groups : {true, false}) {
            for (const BufferCache::Dirty& buffer : cache_.dirty())
                if (!of_directory(buffer) && groups == (buffer.purpose == IoPurpose::group))
                    cache_.write(buffer.byte, false);
            written();
        }
        for (const BufferCache::Dirty& buffer : cache_.dirty())
            if (of_directory(buffer)) cache_.write(buffer.byte, false);
        written();
        const bool worked = soft_->work();
        if (!worked && cache_.dirty_count() == 0 && !(journal_ && journal_->pending())) break;
    }
    write_summary(false);
    passed_over_.clear();
    directories_due_s_.clear();
    device_not_before_s_ = 0;
    device_begun_ = false;
    groups_under_way_.clear();
}

// softdep_prealloc and journal_suspend: whoever makes more than fits waits for the disk; request_cleanup:
// above max_softdeps for inodes, above half of it for removals, he sleeps for tickdelay, two ticks, while the
// syncer writes what holds them.
void FfsModel::soft_push() {
    constexpr double nap_s = 0.02;
    constexpr unsigned most_pushes = 64;
    const auto write = [&] {
        if (journal_) journal_->flush();
        cache_.set_behind(true);
        for (const BufferCache::Dirty& buffer : cache_.dirty())
            if (!soft_->holds_back(buffer.byte)) cache_.write(buffer.byte, false);
        cache_.set_behind(false);
    };
    const auto go_on = [&] {
        soft_->collect();
        cache_.set_behind(true);
        soft_->work();
        cache_.set_behind(false);
    };
    for (unsigned push = 0; push < most_pushes && journal_ && journal_->nearly_full(); ++push) {
        write();
        io_.wait_until_fewer(1, IoPurpose::log);
        go_on();
    }
    if (inode_updates_ <= rules_.inode_updates && removals_ <= rules_.inode_updates / 2) return;
    write();
    io_.sleep(nap_s, IoPurpose::inode);
    go_on();
}

void FfsModel::soft_begin() {
    soft_push();
    if (journal_ && journal_->low() && device_not_before_s_ == 0 && !device_begun_) {
        cache_.set_behind(true);
        start_device();
        finish_device();
        write_directories(true);
        cache_.set_behind(false);
        device_not_before_s_ = io_.now_s() + round_s;
    }
}

}  // namespace diskwright
