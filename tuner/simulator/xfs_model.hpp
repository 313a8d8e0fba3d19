// SPDX-License-Identifier: BSD-2-Clause
// xfs as a source of requests (torvalds/linux:fs/xfs/xfs_inode.c, xfs_file.c, xfs_super.c, xfs_trans_ail.c,
// libxfs/xfs_ialloc.c, xfs_alloc.c, xfs_bmap.c, xfs_dir2*.c). Simpler: the trees of a group are their roots;
// extents fit into the inode; no reverse map.
#pragma once

#include <set>
#include <vector>

#include "probes/support/random.hpp"
#include "tuner/simulator/free_blocks.hpp"
#include "tuner/simulator/linux_model.hpp"
#include "tuner/simulator/xfs_geometry.hpp"
#include "tuner/simulator/xfs_log.hpp"

namespace diskwright {

class XfsModel final : public LinuxModel {
 public:
    XfsModel(VirtualIo& io, const LinuxHost& host, const XfsGeometry& geometry, std::uint64_t seed);
    ~XfsModel() override;

    std::uint64_t commits() const override { return log_.committed(); }

 private:
    struct Group {
        FreeBlocks free;                 // counted from its start
        std::set<std::uint64_t> inodes;  // free ones of its chunks
        std::uint64_t chunk_goal = 0;
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
    void sync_node(Node& of) override;
    void sync_metadata() override { log_.force(); }
    void metadata_background() override;
    double next_metadata_s() const override;
    void mounted() override;
    void unmounting() override;

    void page_changed(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose, std::uint32_t changed);
    void space_changed(std::uint64_t group);
    void inodes_changed(std::uint64_t group);
    bool add_chunk(std::uint64_t group);
    void give_back_chunk(std::uint64_t group, std::uint64_t inode);
    std::uint64_t cluster_byte(std::uint64_t inode) const;
    std::uint64_t group_of_inode(std::uint64_t inode) const;
    std::optional<BlockRun> take(std::uint64_t group, std::uint64_t goal, std::uint64_t wanted,
                                 std::uint64_t unit);
    std::optional<std::uint64_t> add_directory_block(Node& of);
    bool leave_short_form(Node& of);
    bool is_short(const Node& of) const { return of.leaves.empty(); }
    void worker();

    XfsGeometry fs_;
    Random random_;
    XfsLog log_;
    std::vector<Group> groups_;
    std::uint64_t rotor_ = 0;
    double worker_due_s_ = 0;
    unsigned covers_ = 0;  // transactions that are still to say that nothing is in the log
};

}  // namespace diskwright
