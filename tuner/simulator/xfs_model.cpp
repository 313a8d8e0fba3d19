// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/xfs_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace diskwright {
namespace {

constexpr double worker_s = 30;  // xfs_syncd_centisecs
constexpr std::uint64_t first_chunk = 16;
constexpr std::uint32_t extent_bytes = 16;  // of one in the inode's fork

XfsLogRules log_rules(const XfsGeometry& fs, const LinuxHost& host) {
    XfsLogRules rules;
    rules.first_byte = fs.log_block * fs.block_bytes;
    rules.bytes = fs.log_bytes;
    rules.unit_bytes = fs.log_unit_bytes;
    rules.sector_bytes = fs.sector_bytes;
    rules.flushes = host.flushes;
    return rules;
}

}  // namespace

XfsModel::XfsModel(VirtualIo& io, const LinuxHost& host, const XfsGeometry& geometry, std::uint64_t seed)
    : LinuxModel(io, host, geometry.block_bytes),
      fs_(geometry),
      random_(seed),
      log_(io, pages_, log_rules(geometry, host)),
      groups_(geometry.groups),
      worker_due_s_(worker_s) {
    for (std::uint64_t i = 0; i < groups_.size(); ++i) {
        groups_[i].free = fs_.free_blocks(i);
        groups_[i].chunk_goal = first_chunk;
    }
    const std::uint64_t chunk_blocks =
        std::uint64_t{XfsGeometry::inodes_in_chunk} * XfsGeometry::inode_bytes / block_bytes_;
    const auto run = groups_[0].free.take(first_chunk, chunk_blocks, chunk_blocks);
    const std::uint64_t first = (run ? run->place : first_chunk) * block_bytes_ / XfsGeometry::inode_bytes;
    node(root).inode = first;
    for (std::uint64_t i = 3; i < XfsGeometry::inodes_in_chunk; ++i) groups_[0].inodes.insert(first + i);
    groups_[0].chunk_goal = first_chunk + chunk_blocks;
    mounted();
}

XfsModel::~XfsModel() = default;

void XfsModel::begin() {
    covers_ = 2;
    log_.advance();
    log_.make_room();
}

void XfsModel::page_changed(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose,
                            std::uint32_t changed) {
    pages_.read(byte, bytes, purpose);
    log_.add_page(byte, changed);
}

// AGF, AGFL, and the trees of free space.
void XfsModel::space_changed(std::uint64_t group) {
    page_changed(fs_.header_byte(group, 1), fs_.sector_bytes, IoPurpose::group, 128);
    pages_.read(fs_.header_byte(group, 3), fs_.sector_bytes, IoPurpose::group);
    for (const unsigned tree : {1U, 2U})
        page_changed(fs_.tree_byte(group, tree), fs_.block_bytes, IoPurpose::group, 128);
}

// AGI, and the trees of inodes and of free ones.
void XfsModel::inodes_changed(std::uint64_t group) {
    page_changed(fs_.header_byte(group, 2), fs_.sector_bytes, IoPurpose::group, 128);
    for (const unsigned tree : {3U, 4U})
        page_changed(fs_.tree_byte(group, tree), fs_.block_bytes, IoPurpose::group, 128);
}

std::uint64_t XfsModel::group_of_inode(std::uint64_t inode) const {
    return fs_.group_of(inode * XfsGeometry::inode_bytes / block_bytes_);
}

std::uint64_t XfsModel::cluster_byte(std::uint64_t inode) const {
    constexpr std::uint64_t cluster = XfsGeometry::inodes_in_cluster * XfsGeometry::inode_bytes;
    const std::uint64_t start = fs_.group_start(group_of_inode(inode)) * block_bytes_;
    return start + (inode * XfsGeometry::inode_bytes - start) / cluster * cluster;
}

void XfsModel::inode_changed(Node& of) {
    const std::uint64_t page = cluster_byte(of.inode);
    pages_.read(page, XfsGeometry::inodes_in_cluster * XfsGeometry::inode_bytes, IoPurpose::inode);
    const auto fork = of.directory && is_short(of)
                          ? static_cast<std::uint32_t>(6 + of.size)
                          : static_cast<std::uint32_t>(std::min<std::size_t>(of.extents.size() * extent_bytes,
                                                                             XfsGeometry::fork_bytes));
    log_.add_inode(of.inode, fork, page);
    of.transaction = log_.running();
}

void XfsModel::visit(Node& of) {
    if (of.visited == mounts()) return;
    of.visited = mounts();
    if (of.self != root) visit(node(of.parent));
    pages_.read(cluster_byte(of.inode), XfsGeometry::inodes_in_cluster * XfsGeometry::inode_bytes,
                IoPurpose::inode);
    for (const std::uint64_t byte : of.pointers) pages_.read(byte, fs_.block_bytes, IoPurpose::directory);
}

// xfs_file_fsync
void XfsModel::sync_node(Node& of) {
    if (of.transaction > log_.committed())
        log_.force();
    else
        flush_drive();
}

// xfs_log_worker: forces the log, has the AIL written, and when nothing is left, covers the log twice with a
// transaction of the superblock.
void XfsModel::worker() {
    const bool quiet = log_.idle() && log_.empty() && !pages_.dirty_since();
    if (!log_.empty()) log_.begin_force();
    pages_.write_dirty();
    if (log_.empty() && log_.idle()) log_.tail_moved();
    if (!quiet || covers_ == 0) return;
    --covers_;
    page_changed(0, fs_.sector_bytes, IoPurpose::summary, 128);
    log_.begin_force();
}

void XfsModel::metadata_background() {
    log_.advance();
    if (io_.now_s() < worker_due_s_) return;
    worker_due_s_ = (std::floor(io_.now_s() / worker_s) + 1) * worker_s;
    worker();
}

double XfsModel::next_metadata_s() const {
    if (!log_.idle()) return io_.now_s();
    if (log_.empty() && !pages_.dirty_since() && covers_ == 0) return std::numeric_limits<double>::infinity();
    return worker_due_s_;
}

void XfsModel::unmounting() {
    log_.force();
    for (const std::uint64_t request : pages_.write_dirty()) io_.wait(request, IoPurpose::inode);
    log_.tail_moved();
    covers_ = 0;
}

// xfs_mountfs: the superblock, the root inode, and AGF and AGI of each group.
void XfsModel::mounted() {
    pages_.read(0, fs_.sector_bytes, IoPurpose::summary);
    for (std::uint64_t group = 0; group < groups_.size(); ++group)
        for (const unsigned sector : {1U, 2U})
            pages_.read(fs_.header_byte(group, sector), fs_.sector_bytes, IoPurpose::group);
    pages_.read(cluster_byte(node(root).inode), XfsGeometry::inodes_in_cluster * XfsGeometry::inode_bytes,
                IoPurpose::inode);
    node(root).visited = mounts();
}

}  // namespace diskwright
