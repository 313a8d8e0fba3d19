// SPDX-License-Identifier: BSD-2-Clause
// The log of xfs with delayed logging (torvalds/linux:fs/xfs/xfs_log_cil.c, xfs_log.c;
// Documentation/filesystems/xfs-delayed-logging-design.rst): what changed is gathered, each item once, and a
// checkpoint writes all of it as records. Simpler: one checkpoint at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tuner/simulator/metadata_pages.hpp"
#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

struct XfsLogRules {
    std::uint64_t first_byte = 0, bytes = 0, unit_bytes = 0;  // of the log; its stripe unit, 0: none
    std::uint64_t sector_bytes = 512;
    bool flushes = true;
};

class XfsLog {
 public:
    XfsLog(VirtualIo& io, MetadataPages& pages, const XfsLogRules& rules)
        : io_(io), pages_(pages), rules_(rules) {}

    /// An inode as it is now, with what of its fork is in it; the page that holds it.
    void add_inode(std::uint64_t inode, std::uint32_t fork_bytes, std::uint64_t page);
    /// So many bytes of that page, more by more, in pieces of 128 (XFS_BLF_CHUNK).
    void add_page(std::uint64_t page, std::uint32_t changed_bytes);

    /// The number of the checkpoint that is gathered, from 1 on; of the last one that is on the disk.
    std::uint64_t running() const { return running_; }
    std::uint64_t committed() const { return committed_; }
    bool empty() const { return items_.empty(); }
    bool idle() const { return steps_.empty() && pending_.empty(); }

    /// Writes out what was gathered and waits (xfs_log_force with XFS_LOG_SYNC).
    void force();
    /// Begins to; goes on with what was begun.
    void begin_force();
    void advance();
    /// When so much was gathered or logged that something must be written first.
    void make_room();
    /// Everything is in its place: the log is free.
    void tail_moved() { used_ = 0; }

 private:
    struct Write {
        std::uint64_t byte = 0, bytes = 0;  // no bytes: a flush
        IoPurpose purpose = IoPurpose::log;
    };
    using Step = std::vector<Write>;
    struct Item {
        std::uint32_t bytes = 0, most = 0;
    };
    Step records(std::uint64_t payload);
    bool step();
    void wait_for_pending();

    VirtualIo& io_;
    MetadataPages& pages_;
    XfsLogRules rules_;
    std::unordered_map<std::uint64_t, Item> items_;
    std::unordered_set<std::uint64_t> held_;  // pages of what was gathered
    std::vector<std::uint64_t> committing_;
    std::uint64_t gathered_ = 0, head_ = 0, used_ = 0, running_ = 1, committed_ = 0;
    std::deque<Step> steps_;  // each after the one before has ended
    std::vector<std::uint64_t> pending_;
    IoPurpose waiting_for_ = IoPurpose::log;
};

}  // namespace diskwright
