// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/linux_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

LinuxModel::LinuxModel(VirtualIo& io, const LinuxHost& host, std::uint64_t block_bytes)
    : io_(io), host_(host), block_bytes_(block_bytes), pages_(io) {
    auto top = std::make_unique<Node>();
    top->directory = top->top = true;
    nodes_.push_back(std::move(top));
}

LinuxModel::~LinuxModel() = default;

LinuxModel::Node& LinuxModel::add_node(Handle parent, bool directory) {
    auto fresh = std::make_unique<Node>();
    fresh->self = static_cast<Handle>(nodes_.size());
    fresh->parent = parent;
    fresh->directory = directory;
    fresh->visited = mounts_;
    nodes_.push_back(std::move(fresh));
    return *nodes_.back();
}

void LinuxModel::fail(std::string why) {
    if (!failure_) failure_ = std::move(why);
}

// The flusher looks every dirty_writeback_centisecs; taken from the start of the run.
double LinuxModel::tick_after(double at_s) const {
    return std::ceil(at_s / host_.dirty_writeback_s) * host_.dirty_writeback_s;
}

LinuxModel::Handle LinuxModel::make(Handle parent, std::size_t name, bool directory) {
    if (failure_) return root;
    background();
    begin();
    visit(node(parent));
    Node& made = add_node(parent, directory);
    if (!new_inode(made) || !enter(node(parent), made, name)) return root;
    return made.self;
}

LinuxModel::Handle LinuxModel::make_directory(Handle parent, std::size_t name) {
    return make(parent, name, true);
}

LinuxModel::Handle LinuxModel::create(Handle parent, std::size_t name) {
    return make(parent, name, false);
}

void LinuxModel::rename(Handle moved, Handle parent, std::size_t name) {
    if (failure_) return;
    background();
    begin();
    Node& child = node(moved);
    Node& from = node(child.parent);
    visit(from);
    visit(node(parent));
    visit(child);
    leave(from, child);
    child.parent = parent;
    if (!enter(node(parent), child, name)) return;
    inode_changed(child);
}

void LinuxModel::unlink(Handle file) {
    if (failure_) return;
    background();
    begin();
    Node& gone = node(file);
    Node& parent = node(gone.parent);
    visit(parent);
    visit(gone);
    leave(parent, gone);
    dirty_blocks_ -= gone.dirty.total();
    gone.dirty.clear();
    cached_blocks_ -= gone.cached.total();
    gone.cached.clear();
    give_back(gone);
    free_inode(gone);
    gone.removed = true;
}

void LinuxModel::flush_drive() {
    if (host_.flushes) io_.perform(DriveOperation::flush, IoPurpose::flush, 0, 0);
}

void LinuxModel::fsync(Handle file) {
    if (failure_) return;
    background();
    Node& of = node(file);
    visit(of);
    WritePlug plug(io_);
    write_data(of, std::numeric_limits<std::uint64_t>::max(), plug);
    plug.finish(true);
    for (const std::uint64_t request : of.writing) io_.wait(request, IoPurpose::data);
    of.writing.clear();
    if (!failure_) sync_node(of);
}

// ksys_sync: the data of all files, then each file system, then what is dirty of the device's own pages.
void LinuxModel::sync() {
    if (failure_) return;
    write_all_data(never);
    io_.wait_until_fewer(1, IoPurpose::data);
    sync_metadata();
}

// wb_do_writeback: what is older than dirty_expire_centisecs.
void LinuxModel::background() {
    metadata_background();
    while (!dirty_files_.empty() && was_written(dirty_files_.front())) dirty_files_.pop_front();
    if (dirty_files_.empty()) return;
    const double now = io_.now_s();
    if (now >= tick_after(dirty_files_.front().since_s + host_.dirty_expire_s))
        write_all_data(now - host_.dirty_expire_s);
}

double LinuxModel::next_background_s() const {
    double next_s = next_metadata_s();
    for (const DirtyFile& of : dirty_files_) {
        if (was_written(of)) continue;
        next_s = std::min(next_s, tick_after(of.since_s + host_.dirty_expire_s));
        break;
    }
    return next_s;
}

void LinuxModel::remount() {
    sync();
    unmounting();
    io_.wait_for_all();
    pages_.forget();
    for (const auto& each : nodes_) {
        each->cached.clear();
        each->reading.clear();
        each->writing.clear();
        each->read_ahead = each->read_next = 0;
    }
    cached_nodes_.clear();
    cached_blocks_ = 0;
    ++mounts_;
    mounted();
}

}  // namespace diskwright
