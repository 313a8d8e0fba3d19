// SPDX-License-Identifier: BSD-2-Clause
// ext4, and ext2 and ext3 as Linux's ext4 code mounts them (torvalds/linux:fs/ext4/namei.c, ialloc.c,
// mballoc.c, inode.c, extents.c, fsync.c). Simpler: one locality group; hashed directories have one index
// block; extents have one level of blocks outside of the inode; no fast commits.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "probes/support/random.hpp"
#include "tuner/simulator/ext4_geometry.hpp"
#include "tuner/simulator/free_blocks.hpp"
#include "tuner/simulator/jbd2_model.hpp"
#include "tuner/simulator/linux_model.hpp"

namespace diskwright {

struct Ext4Rules {
    enum class Data { ordered, writeback, journal } data = Data::ordered;
    bool delayed = true;  // allocation; ext2 and ext3 mounts have none
    double commit_s = 5;
    std::uint64_t seed = 1;
};

class Ext4Model final : public LinuxModel {
 public:
    Ext4Model(VirtualIo& io, const LinuxHost& host, const Ext4Geometry& geometry, const Ext4Rules& rules);
    ~Ext4Model() override;

    std::uint64_t commits() const override { return journal_ ? journal_->commits() : 0; }

 private:
    struct Group {
        std::uint32_t next_inode = 0, free_inodes = 0, directories = 0;
        std::set<std::uint32_t> given_up;  // inodes below next_inode
        bool has_inode_bitmap = false, has_block_bitmap = false;
    };

    void begin() override;
    void visit(Node& of) override;
    bool new_inode(Node& made) override;
    void free_inode(Node& gone) override;
    void inode_changed(Node& of) override;
    bool enter(Node& parent, Node& child, std::size_t name) override;
    void leave(Node& parent, Node& child) override;
    bool allocate(Node& of, std::uint64_t logical, std::uint64_t blocks) override;
    void give_back(Node& gone) override;
    bool delays_allocation() const override { return rules_.delayed; }
    bool logs_data(Node& of, std::uint64_t first, std::uint64_t end) override;
    void data_submitted(Node& of) override;
    void sync_node(Node& of) override;
    void sync_metadata() override;
    void metadata_background() override;
    double next_metadata_s() const override;
    void mounted() override;

    void changed(std::uint64_t block, Node* of = nullptr);
    void use(std::uint64_t block, IoPurpose purpose);
    void make(std::uint64_t block, IoPurpose purpose);
    void blocks_changed(std::uint64_t place, std::uint64_t blocks);
    void group_changed(std::uint64_t group);
    std::optional<std::uint64_t> group_for_directory(const Node& parent);
    std::optional<std::uint64_t> group_for_file(const Node& parent);
    std::optional<std::uint64_t> group_in(std::uint64_t flex) const;
    std::uint64_t inode_block(std::uint64_t inode) const;
    void use_inode(std::uint64_t inode, bool others);
    std::uint64_t goal_for(const Node& of, std::uint64_t logical) const;
    std::optional<BlockRun> find_blocks(const Node& of, std::uint64_t logical, std::uint64_t wanted);
    bool add_pointers(Node& of, std::uint64_t logical);
    void extents_grew(Node& of);
    bool add_directory_block(Node& of);
    Node::Leaf* leaf_for(Node& of, std::uint32_t hash);
    bool split(Node& of, std::uint32_t hash);
    std::vector<std::uint64_t> before_commit();

    Ext4Geometry fs_;
    Ext4Rules rules_;
    Random random_;
    FreeBlocks free_;
    std::vector<Group> groups_;
    std::unique_ptr<Jbd2Model> journal_;
    std::vector<Handle> ordered_;  // whose data goes before the commit
    BlockRun small_files_;         // what the locality group holds
    std::uint64_t stream_goal_ = 0, directories_ = 0;
    bool opened_ = false;
};

}  // namespace diskwright
