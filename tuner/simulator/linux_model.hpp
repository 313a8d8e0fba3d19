// SPDX-License-Identifier: BSD-2-Clause
// What Linux file systems have in common as sources of requests: the page cache, read-ahead and writing back
// (torvalds/linux:mm/page-writeback.c, fs/fs-writeback.c, mm/readahead.c, fs/sync.c). Simpler than the
// kernel: one writer, one flusher that takes no time of its own, and memory that holds all metadata. What is
// cached of files is forgotten file by file.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tuner/simulator/file_system_model.hpp"
#include "tuner/simulator/linux_node.hpp"
#include "tuner/simulator/metadata_pages.hpp"
#include "tuner/simulator/write_plug.hpp"

namespace diskwright {

/// vm.dirty_* (Documentation/admin-guide/sysctl/vm.rst), read_ahead_kb, and whether the drive says that it
/// has a volatile cache: the block layer drops flushes for one that has none (block/blk-flush.c).
struct LinuxHost {
    std::uint64_t ram_bytes = 0, dirty_background_bytes = 0, dirty_bytes = 0;
    double dirty_expire_s = 30, dirty_writeback_s = 5;
    std::uint64_t read_ahead_bytes = 131072;
    bool flushes = true;
    double block_s = 0;  // of the processor; kernels before 2.6 hand on a buffer for each block
};

class LinuxModel : public FileSystemModel {
 public:
    ~LinuxModel() override;

    Handle make_directory(Handle parent, std::size_t name) override;
    Handle create(Handle parent, std::size_t name) override;
    void append(Handle file, std::uint64_t bytes) override;
    void write(Handle file, std::uint64_t from, std::uint64_t bytes) override;
    void read(Handle file, std::uint64_t from, std::uint64_t bytes) override;
    void rename(Handle moved, Handle parent, std::size_t name) override;
    void unlink(Handle file) override;
    void fsync(Handle file) override;
    /// As the system call, it waits for all it writes.
    void sync() override;
    void background() override;
    double next_background_s() const override;
    void remount() override;

    std::uint64_t size(Handle file) const override { return nodes_.at(file)->size; }
    std::uint64_t dirty_data_bytes() const override { return dirty_blocks_ * block_bytes_; }
    std::uint64_t data_bytes_written() const override { return data_written_; }
    const std::optional<std::string>& failure() const override { return failure_; }

 protected:
    using Node = LinuxNode;
    LinuxModel(VirtualIo& io, const LinuxHost& host, std::uint64_t block_bytes);

    // What each file system does in its own way; what can fail says false and has called fail().
    // Before an operation changes anything: room in the log.
    virtual void begin() = 0;
    // The first use since the mount: the inode and, of a directory, entries.
    virtual void visit(Node& of) = 0;
    virtual bool new_inode(Node& made) = 0;
    virtual void free_inode(Node& gone) = 0;
    virtual void inode_changed(Node& of) = 0;
    virtual bool enter(Node& parent, Node& child, std::size_t name) = 0;
    virtual void leave(Node& parent, Node& child) = 0;
    /// Places for blocks that have none; with delayed allocation when they are written.
    virtual bool allocate(Node& of, std::uint64_t logical, std::uint64_t blocks) = 0;
    virtual void give_back(Node& gone) = 0;  // its blocks
    virtual bool delays_allocation() const { return true; }
    /// True where the journal takes the data: then it is not written otherwise.
    virtual bool logs_data(Node&, std::uint64_t, std::uint64_t) { return false; }
    virtual void data_submitted(Node&) {}
    virtual void sync_node(Node& of) = 0;  // what fsync(2) does after the data
    virtual void sync_metadata() = 0;      // what sync(2) does after the data
    virtual void metadata_background() = 0;
    virtual double next_metadata_s() const = 0;
    virtual void unmounting() {}
    virtual void mounted() = 0;  // what a mount reads; nothing is in memory

    Node& node(Handle handle) { return *nodes_.at(handle); }
    Node& add_node(Handle parent, bool directory);
    void fail(std::string why);
    double tick_after(double at_s) const;
    void write_data(Node& of, std::uint64_t most_blocks, WritePlug& plug);
    void flush_drive();
    std::uint64_t mounts() const { return mounts_; }

    VirtualIo& io_;
    const LinuxHost host_;
    const std::uint64_t block_bytes_;
    MetadataPages pages_;

 private:
    Handle make(Handle parent, std::size_t name, bool directory);
    void read_blocks(Node& of, std::uint64_t first, std::uint64_t end, bool waited);
    void read_for_write(Node& of, std::uint64_t from, std::uint64_t bytes);
    bool place_gaps(Node& of, std::uint64_t first, std::uint64_t end);
    void write_stretch(Node& of, std::uint64_t first, std::uint64_t end, WritePlug& plug);
    void write_all_data(double changed_by_s);
    void limit_dirty_data();
    void keep(Node& of, std::uint64_t first, std::uint64_t end);

    std::vector<std::unique_ptr<Node>> nodes_;
    struct DirtyFile {
        Handle file = root;
        double since_s = 0;
    };
    // Its data was written since, by whomever; if it is dirty again, it is in the list again.
    bool was_written(const DirtyFile& of) const {
        const Node& now = *nodes_[of.file];
        return now.dirty.empty() || now.dirty_since_s != of.since_s;
    }
    std::deque<DirtyFile> dirty_files_;  // the first changed first
    std::deque<Handle> cached_nodes_;    // the first cached first
    std::uint64_t dirty_blocks_ = 0, cached_blocks_ = 0, data_written_ = 0, mounts_ = 1;
    std::optional<std::string> failure_;
};

}  // namespace diskwright
