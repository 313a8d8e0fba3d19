// SPDX-License-Identifier: BSD-2-Clause
// Soft updates: which change of a buffer may be written only after which others are on the disk. A buffer is
// written without the changes that must still wait, and is dirty again when that write is done (the rollback
// and rollforward of freebsd/freebsd-src sys/ufs/ffs/ffs_softdep.c, softdep_disk_io_initiation and
// softdep_disk_write_complete; NetBSD/src and openbsd/src had the same code). What becomes possible once
// changes are on the disk, freeing blocks and inodes, waits in a list for the next round of the syncer
// (softdep_process_worklist).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <unordered_map>
#include <vector>

#include "tuner/simulator/buffer_cache.hpp"
#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

class SoftUpdates {
 public:
    /// 0 and those on the disk depend on nothing any more.
    using Change = std::uint64_t;
    static constexpr Change none = 0;

    /// From now on the cache tells of its writes, and keeps what is held back.
    SoftUpdates(VirtualIo& io, BufferCache& cache);

    /// Of the buffer at that byte of the file system; the caller makes the buffer dirty.
    Change in_buffer(std::uint64_t byte, std::initializer_list<Change> after);
    /// Of no buffer: data of a file, a record of the journal. On the disk when that request is done.
    Change elsewhere();
    void goes_out(Change change, std::uint64_t request);
    /// To be done by the syncer when those are on the disk.
    void then(std::initializer_list<Change> after, std::function<void()> work);
    /// It was undone before it came to the disk.
    void cancel(Change change);
    /// The buffer's contents lie elsewhere now; its block is free again.
    void move(std::uint64_t from, std::uint64_t to);
    void drop(std::uint64_t byte);

    bool on_disk(Change change) const { return !changes_.contains(change); }
    /// Not on the disk, nor in a write that is under way.
    bool in_memory(Change change) const;
    bool holds_back(std::uint64_t byte) const;
    /// Takes what was written by now.
    void collect();
    /// What became possible, in its order. Whether there was anything.
    bool work();
    bool has_work() const { return !work_.empty(); }
    bool waits_for_requests() const { return !written_.empty(); }
    /// Writes what it depends on and then its buffer, and waits for that (ffs_fsync). Calls force for a
    /// change of no buffer that is not under way.
    void make_durable(Change change, const std::function<void(Change)>& force);

    std::size_t changes() const { return changes_.size(); }
    /// Buffers that were written without some of their changes.
    std::uint64_t rollbacks() const { return rollbacks_; }

 private:
    static constexpr std::uint64_t no_buffer = ~std::uint64_t{0};
    struct Item {
        std::uint64_t byte = no_buffer, request = 0;
        std::size_t waits = 0, users = 1;
        std::vector<Change> after, before;  // before: what waits for this one
        std::function<void()> work;
    };
    struct Written {
        std::uint64_t byte = no_buffer;
        std::vector<Change> changes;
        bool held_back = false;
    };
    Change add(Item item, std::initializer_list<Change> after);
    void writing(std::uint64_t byte, std::uint64_t request);
    void finish(Change change);

    VirtualIo& io_;
    BufferCache& cache_;
    std::unordered_map<Change, Item> changes_;
    std::unordered_map<std::uint64_t, std::vector<Change>> buffers_;  // those in memory, by place
    std::unordered_map<std::uint64_t, Written> written_;              // by request
    std::deque<std::function<void()>> work_;
    Change last_ = 0;
    std::uint64_t rollbacks_ = 0;
};

}  // namespace diskwright
