// SPDX-License-Identifier: BSD-2-Clause
// The FFS of the BSDs as a source of requests: what it reads and writes for each operation on files, when,
// and what it waits for (of NetBSD/src, freebsd/freebsd-src and openbsd/src: sys/ufs/ufs/ufs_vnops.c,
// ufs_lookup.c, ufs_readwrite.c, sys/ufs/ffs/ffs_alloc.c, ffs_balloc.c, ffs_inode.c, ffs_vfsops.c; the syncer
// of sys/kern/vfs_subr.c).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "tuner/simulator/buffer_cache.hpp"
#include "tuner/simulator/ffs_layout.hpp"
#include "tuner/simulator/file_system_model.hpp"
#include "tuner/simulator/page_cache.hpp"
#include "tuner/simulator/softdep_journal.hpp"
#include "tuner/simulator/softdep_model.hpp"
#include "tuner/simulator/virtual_io.hpp"
#include "tuner/simulator/wapbl_model.hpp"

namespace diskwright {

struct FfsRules {
    enum class Metadata { synchronous, asynchronous, wapbl, soft_updates } metadata = Metadata::synchronous;
    WapblRules log;
    bool synchronous_data = false;       // mount -o sync
    std::uint64_t journal_bytes = 0;     // of the journal of soft updates
    std::uint64_t inode_updates = 0;     // of soft updates at a time; above it writers wait (max_softdeps)
    std::uint64_t cache_bytes = 0;       // of the buffer cache
    std::uint64_t dirty_data_bytes = 0;  // of files that may wait or be under way; above it a writer waits
    std::uint64_t page_cache_bytes = 0;  // of files that stay in memory
    /// sys/kern/vfs_subr.c: syncdelay, filedelay, dirdelay, metadelay. maps_first: the syncer writes the
    /// groups of the device and waits for them before the rest; defers: and passes over what would be rolled
    /// back, the first time (ffs_fsync and softdep_fsync_mountdev).
    struct Syncer {
        double file_system_s = 30, file_s = 30, directory_s = 15, metadata_s = 10;
        bool maps_first = true, defers = true;
    } syncer;
    /// Bytes. least_write: what is written of a file begins at a multiple of it.
    struct Transfers {
        std::uint64_t most = 65536, read_ahead = 8 * 65536, least_write = 4096;
        bool gathers_synchronous = true;
    } transfers;
    /// Dirty buffers of files and metadata, or bytes of them: above `start` the oldest are written until
    /// `enough` are left, above `most` writers wait as well; 0: no such limit.
    struct DirtyLimit {
        std::uint64_t most = 0, start = 0, enough = 0;
        bool counts_buffers = false;
    } dirty;
    bool copies_groups = false;
    std::uint64_t seed = 1;
};

class FfsModel final : public FileSystemModel {
 public:
    FfsModel(VirtualIo& io, const FfsGeometry& geometry, const FfsRules& rules);
    ~FfsModel() override;

    Handle make_directory(Handle parent, std::size_t name) override;
    Handle create(Handle parent, std::size_t name) override;
    void append(Handle file, std::uint64_t bytes) override;
    void write(Handle file, std::uint64_t from, std::uint64_t bytes) override;
    void read(Handle file, std::uint64_t from, std::uint64_t bytes) override;
    void rename(Handle moved, Handle parent, std::size_t name) override;
    void unlink(Handle file) override;
    void fsync(Handle file) override;
    /// Everything on its way to the disk; it does not wait but for the log.
    void sync() override;
    void background() override;
    double next_background_s() const override;
    void remount() override;

    std::uint64_t size(Handle file) const override;
    std::uint64_t dirty_data_bytes() const override { return dirty_data_; }
    std::uint64_t data_bytes_written() const override { return data_written_; }
    std::uint64_t commits() const override {
        return log_ ? log_->commits() : journal_ ? journal_->segments() : 0;
    }
    const std::optional<std::string>& failure() const override { return failure_; }
    const WapblModel* log() const { return log_.get(); }
    /// Writes of soft updates that left something out.
    std::uint64_t rollbacks() const { return soft_ ? soft_->rollbacks() : 0; }
    const FfsLayout& layout() const { return *layout_; }

    /// fs_size / 1024, 1 MiB to 64 MiB (wapbl_create_infs_log of sys/ufs/ffs/ffs_wapbl.c).
    static std::uint64_t log_bytes(const FfsGeometry& geometry);

 private:
    struct Node;
    enum class Order { later, first };  // whether what follows depends on it

    std::uint64_t byte_of(std::uint64_t place) const { return place * layout_->geometry().fsize; }
    Node& node(Handle handle);
    void fail(std::string why);
    void visit(Node& of);
    void use_group(std::uint32_t group);
    void change_group(std::uint32_t group);
    void metadata(std::uint64_t byte, Order order);
    void update(Node& of, Order order);
    void begin();
    Handle new_node(Handle parent, bool directory);
    void enter(Node& parent, Node& child, std::size_t name);
    void leave(Node& parent, const Node& child);
    bool grow_directory(Node& of);
    bool give_blocks(Node& of, std::uint64_t size);
    bool add_block(Node& of, std::uint64_t logical, std::uint32_t frags);
    bool resize_block(Node& of, std::uint64_t logical, std::uint32_t frags);
    bool add_pointers(Node& of, std::uint64_t logical);
    std::uint64_t place_for(const Node& of, std::uint64_t logical) const;
    void give_up(std::uint64_t place, std::uint32_t frags);
    void truncate(Node& of);
    void forget_data(Node& of);
    void release_blocks(Node& of);
    void write_synchronously(Node& of, std::uint64_t from);
    std::uint64_t dirty_buffers(const Node& of) const;
    void count_dirty_data(Node& of);
    std::uint64_t dirty_now() const;
    void write_oldest();
    void write_metadata(bool held_back_too, std::uint64_t at_most);
    void wait_for_buffers();
    void before_flush();
    void write_summary(bool waits);
    void send(Node& of, std::uint64_t from, std::uint64_t to);
    void to_be_written(Node& of);
    void overwrite(Node& of, std::uint64_t from, std::uint64_t to);
    void write_overwritten(Node& of);
    void forget_overwritten(Node& of);
    void read_around(Node& of, std::uint64_t from, std::uint64_t to);
    void wait_for_reads(Node& of, std::uint64_t end);
    void ask_for(Node& of, std::uint64_t end);
    void write_data(Node& of, std::uint64_t from, std::uint64_t to);
    void write_all_data(double due_by_s);
    void limit_dirty_data();
    std::uint32_t frags_at(const Node& of, std::uint64_t logical) const;

    // Soft updates (ffs_soft_updates.cpp).
    SoftUpdates::Change record(std::uint32_t count = 1);
    SoftUpdates::Change map_change(std::uint64_t place_or_group_start, SoftUpdates::Change record);
    void soft_inode(Node& of);
    SoftUpdates::Change soft_block(Node& of, std::uint64_t logical);
    void soft_pointers(Node& of, std::uint64_t place, bool upper);
    void soft_move(Node& of, std::uint64_t logical, std::uint64_t from, std::uint32_t frags);
    void soft_entry(Node& parent, Node& child, std::uint64_t block);
    void soft_unlink(Node& parent, Node& gone);
    void soft_reclaim(Node& gone);
    void soft_data_out(Node& of, std::uint64_t until, std::uint64_t request);
    void soft_begin();
    void soft_background();
    double soft_next_s() const;
    double device_due_s() const;
    void start_device();
    void finish_device();
    void write_directories(bool all);
    void soft_sync();
    void soft_unmount();
    void soft_fsync(Node& of);
    void soft_push();

    VirtualIo& io_;
    FfsRules rules_;
    BufferCache cache_;
    PageCache pages_;
    std::unique_ptr<FfsLayout> layout_;
    std::unique_ptr<WapblModel> log_;
    std::unique_ptr<SoftUpdates> soft_;
    std::unique_ptr<SoftJournal> journal_;
    std::vector<std::unique_ptr<Node>> nodes_;
    struct GivenUp {
        std::uint64_t place = 0;
        std::uint32_t frags = 0;
    };
    std::vector<GivenUp> given_up_;
    std::vector<Handle> dirty_nodes_;
    std::uint64_t dirty_data_ = 0, data_written_ = 0, dirty_data_buffers_ = 0;
    bool modified_ = false;      // fs_fmod
    bool initialising_ = false;  // the change of the group must come first
    std::uint64_t mounts_ = 1;
    double next_file_system_sync_s_ = 0;
    double next_look_s_ = 0;   // of the syncer without soft updates
    double next_flush_s_ = 0;  // of the buffer daemon, after one that did not get far enough
    double next_round_s_ = 0, device_not_before_s_ = 0;
    bool device_begun_ = false;                          // groups are under way, the rest is to follow
    std::vector<std::uint64_t> groups_under_way_;        // requests
    std::unordered_set<std::uint64_t> passed_over_;      // buffers of the device
    std::map<std::uint64_t, double> directories_due_s_;  // those passed over
    std::uint64_t inode_updates_ = 0, removals_ = 0;
    std::optional<std::string> failure_;
};

}  // namespace diskwright
