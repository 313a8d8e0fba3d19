// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/ext4_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace diskwright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::uint32_t first_free_inode = 11;  // EXT4_GOOD_OLD_FIRST_INO, lost+found's
constexpr std::uint64_t root_inode = 1;         // counted from 0
constexpr unsigned table_read_ahead = 32;       // s_inode_readahead_blks

}  // namespace

Ext4Model::Ext4Model(VirtualIo& io, const LinuxHost& host, const Ext4Geometry& geometry,
                     const Ext4Rules& rules)
    : LinuxModel(io, host, geometry.block_bytes),
      fs_(geometry),
      rules_(rules),
      random_(rules.seed),
      free_(geometry.free_blocks()),
      groups_(geometry.groups) {
    for (std::uint64_t i = 0; i < groups_.size(); ++i) {
        groups_[i].free_inodes = fs_.inodes_per_group;
        groups_[i].has_block_bitmap = fs_.initialised(i);
        groups_[i].has_inode_bitmap = !fs_.modern;
    }
    groups_[0].next_inode = first_free_inode;
    groups_[0].free_inodes -= first_free_inode;
    groups_[0].directories = 2;
    groups_[0].has_inode_bitmap = true;
    directories_ = 2;
    if (!fs_.journal.empty()) {
        Jbd2Rules journal;
        journal.runs = fs_.journal;
        journal.blocks = fs_.journal_blocks();
        journal.block_bytes = fs_.block_bytes;
        journal.flushes = host.flushes;
        journal.commit_s = rules.commit_s;
        journal.wide_tags = fs_.modern;
        journal_ = std::make_unique<Jbd2Model>(io, pages_, journal, [this] { return before_commit(); });
    }
    Node& top = node(root);
    top.inode = root_inode;
    if (const auto run = free_.take(fs_.inode_table(0) + fs_.table_blocks, 1))
        top.add_extent({0, run->place, 1});
    else
        fail("the journal leaves no room");
    top.size = block_bytes_;
    top.leaves.push_back({0, 24 + 20, 0});  // ".", "..", "lost+found"
    mounted();
}

Ext4Model::~Ext4Model() = default;

void Ext4Model::begin() {
    if (journal_) journal_->advance();
}

void Ext4Model::use(std::uint64_t block, IoPurpose purpose) {
    pages_.read(block * block_bytes_, fs_.block_bytes, purpose);
}

void Ext4Model::make(std::uint64_t block, IoPurpose purpose) {
    pages_.make(block * block_bytes_, fs_.block_bytes, purpose);
}

// ext4_handle_dirty_metadata
void Ext4Model::changed(std::uint64_t block, Node* of) {
    if (!journal_) {
        pages_.dirty(block * block_bytes_);
        return;
    }
    journal_->add(block * block_bytes_);
    if (of) of->transaction = journal_->running();
}

void Ext4Model::group_changed(std::uint64_t group) {
    const std::uint64_t block = fs_.descriptor_block(group);
    use(block, IoPurpose::group);
    changed(block);
}

// The bitmaps and descriptors of what was taken or given back.
void Ext4Model::blocks_changed(std::uint64_t place, std::uint64_t blocks) {
    const std::uint64_t last = fs_.group_of(place + blocks - 1);
    for (std::uint64_t group = fs_.group_of(place); group <= last; ++group) {
        const std::uint64_t bitmap = fs_.block_bitmap(group);
        if (groups_[group].has_block_bitmap)
            use(bitmap, IoPurpose::group);
        else
            make(bitmap, IoPurpose::group);
        groups_[group].has_block_bitmap = true;
        changed(bitmap);
        group_changed(group);
    }
}

std::uint64_t Ext4Model::inode_block(std::uint64_t inode) const {
    return fs_.inode_table(inode / fs_.inodes_per_group) +
           inode % fs_.inodes_per_group * fs_.inode_bytes / fs_.block_bytes;
}

// __ext4_get_inode_loc: a block without other inodes in use need not be read; with it come those that follow
// in an aligned stretch, as far as they were ever used.
void Ext4Model::use_inode(std::uint64_t inode, bool others) {
    const std::uint64_t block = inode_block(inode);
    if (pages_.has(block * block_bytes_)) return;
    if (!others) {
        make(block, IoPurpose::inode);
        return;
    }
    const std::uint64_t group = inode / fs_.inodes_per_group, table = fs_.inode_table(group);
    const std::uint64_t start = std::max(block / table_read_ahead * table_read_ahead, table);
    const std::uint64_t used = groups_[group].next_inode * std::uint64_t{fs_.inode_bytes};
    const std::uint64_t end =
        std::min(start + table_read_ahead, table + (used + block_bytes_ - 1) / block_bytes_);
    if (!pages_.has(start * block_bytes_) && end > block)
        pages_.read_together(start * block_bytes_, fs_.block_bytes, static_cast<unsigned>(end - start),
                             IoPurpose::inode);
    use(block, IoPurpose::inode);
}

void Ext4Model::inode_changed(Node& of) {
    use_inode(of.inode, true);
    changed(inode_block(of.inode), &of);
}

void Ext4Model::visit(Node& of) {
    if (of.visited == mounts()) return;
    of.visited = mounts();
    if (of.self != root) visit(node(of.parent));
    use_inode(of.inode, true);
    for (const std::uint64_t byte : of.pointers) pages_.read(byte, fs_.block_bytes, IoPurpose::pointers);
}

// fsync(2) of a file whose inode is in no transaction any more flushes the drive only (ext4_sync_file).
void Ext4Model::sync_node(Node& of) {
    if (!journal_) {
        std::vector<std::uint64_t> requests = pages_.write_one(inode_block(of.inode) * block_bytes_);
        for (const std::uint64_t byte : of.pointers)
            for (const std::uint64_t request : pages_.write_one(byte)) requests.push_back(request);
        const Node& parent = node(of.parent);
        for (const Node::Leaf& leaf : parent.leaves)
            if (const auto* extent = parent.extent_of(leaf.block))
                for (const std::uint64_t request :
                     pages_.write_one((extent->place + leaf.block - extent->logical) * block_bytes_))
                    requests.push_back(request);
        for (const std::uint64_t request : pages_.write_one(inode_block(parent.inode) * block_bytes_))
            requests.push_back(request);
        for (const std::uint64_t request : requests) io_.wait(request, IoPurpose::inode);
        flush_drive();
    } else if (of.transaction > journal_->committed()) {
        journal_->commit();
    } else {
        flush_drive();
    }
}

void Ext4Model::sync_metadata() {
    if (journal_) journal_->commit();
    for (const std::uint64_t request : pages_.write_dirty()) io_.wait(request, IoPurpose::inode);
    if (!journal_) flush_drive();
}

void Ext4Model::metadata_background() {
    if (journal_) journal_->advance();
    const auto since = pages_.dirty_since();
    if (since && io_.now_s() >= tick_after(*since + host_.dirty_expire_s)) pages_.write_dirty();
}

double Ext4Model::next_metadata_s() const {
    double next_s = journal_ ? journal_->next_s() : never;
    if (const auto since = pages_.dirty_since())
        next_s = std::min(next_s, tick_after(*since + host_.dirty_expire_s));
    return next_s;
}

// ext4_fill_super, and the bitmaps that the thread of lazy initialisation reads ahead
// (prefetch_block_bitmaps).
void Ext4Model::mounted() {
    opened_ = false;
    if (journal_) journal_->mounted();
    use(fs_.first_block, IoPurpose::summary);
    for (std::uint64_t i = 0; i < fs_.descriptor_blocks; ++i) use(fs_.first_block + 1 + i, IoPurpose::group);
    use_inode(root_inode, true);
    node(root).visited = mounts();
    for (std::uint64_t group = 0; group < groups_.size(); ++group) {
        if (!groups_[group].has_block_bitmap) continue;
        std::uint64_t end = group + 1;
        while (end < groups_.size() && end % fs_.flex != 0 && groups_[end].has_block_bitmap) ++end;
        pages_.read_together(fs_.block_bitmap(group) * block_bytes_, fs_.block_bytes,
                             static_cast<unsigned>(end - group), IoPurpose::group);
        group = end - 1;
    }
}

void Ext4Model::data_submitted(Node& of) {
    if (!journal_ || rules_.data != Ext4Rules::Data::ordered) return;
    if (ordered_.empty() || ordered_.back() != of.self) ordered_.push_back(of.self);
}

// Ordered data: what has a place already and is dirty, as it is without delayed allocation, is written now.
std::vector<std::uint64_t> Ext4Model::before_commit() {
    std::vector<std::uint64_t> requests;
    WritePlug plug(io_);
    const std::vector<Handle> list = std::move(ordered_);
    ordered_.clear();
    for (const Handle handle : list)
        if (!rules_.delayed) write_data(node(handle), std::numeric_limits<std::uint64_t>::max(), plug);
    plug.finish();
    for (const Handle handle : list) {
        auto& writing = node(handle).writing;
        std::erase_if(writing, [&](std::uint64_t request) { return !io_.outstanding(request); });
        requests.insert(requests.end(), writing.begin(), writing.end());
    }
    ordered_.clear();
    return requests;
}

bool Ext4Model::logs_data(Node& of, std::uint64_t first, std::uint64_t end) {
    if (rules_.data != Ext4Rules::Data::journal || !journal_) {
        if (!rules_.delayed) data_submitted(of);
        return false;
    }
    for (std::uint64_t block = first; block < end; ++block) {
        const Node::Extent* extent = of.extent_of(block);
        if (!extent) continue;
        const std::uint64_t place = extent->place + block - extent->logical;
        make(place, IoPurpose::data);
        changed(place, &of);
    }
    return true;
}

}  // namespace diskwright
