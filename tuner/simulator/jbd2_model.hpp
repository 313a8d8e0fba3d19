// SPDX-License-Identifier: BSD-2-Clause
// The journal of ext3 and ext4 (torvalds/linux:fs/jbd2/commit.c, checkpoint.c, transaction.c). Simpler: a
// commit that nobody waits for goes on at the next operation after its requests have ended, and a full
// journal is checkpointed whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "tuner/simulator/free_blocks.hpp"
#include "tuner/simulator/metadata_pages.hpp"
#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

struct Jbd2Rules {
    std::vector<BlockRun> runs;  // with its superblock
    std::uint64_t blocks = 0;    // in all
    std::uint32_t block_bytes = 4096;
    bool flushes = true;    // a commit block is written with PREFLUSH and FUA
    double commit_s = 5;    // j_commit_interval
    bool wide_tags = true;  // of 16 bytes (metadata_csum), else of 8
};

class Jbd2Model {
 public:
    /// before_commit: data that goes first; the requests that the commit block waits for.
    Jbd2Model(VirtualIo& io, MetadataPages& pages, const Jbd2Rules& rules,
              std::function<std::vector<std::uint64_t>()> before_commit);

    /// The page at that byte is part of the running transaction.
    void add(std::uint64_t byte);
    /// A block of metadata was given up.
    void revoke() { ++revoked_; }
    /// The number of the transaction that is gathered, from 1 on; of the last one that is on the disk.
    std::uint64_t running() const { return running_; }
    std::uint64_t committed() const { return committed_; }
    std::uint64_t commits() const { return commits_; }

    /// Commits what is running and waits until it is on the disk.
    void commit();
    /// What kjournald does by now.
    void advance();
    /// When it has something to do; now while a commit is under way.
    double next_s() const;
    /// Unmounted and mounted again: empty.
    void mounted() { clean_ = true, used_ = 0; }

 private:
    enum class Stage { idle, written, flushed, marked };
    std::uint64_t journal_blocks() const;
    void begin_commit();
    void step();
    void wait_for_pending();
    void finish();
    void write_superblock();
    void checkpoint();
    void append(std::uint64_t blocks, IoPurpose purpose);
    BlockRun place_of(std::uint64_t index) const;

    VirtualIo& io_;
    MetadataPages& pages_;
    Jbd2Rules rules_;
    std::function<std::vector<std::uint64_t>()> before_commit_;
    std::unordered_set<std::uint64_t> members_;
    std::vector<std::uint64_t> committing_;  // bytes of the pages
    std::vector<std::uint64_t> pending_;     // requests
    Stage stage_ = Stage::idle;
    bool clean_ = true;  // the superblock says that nothing is in it
    std::uint64_t head_ = 1, used_ = 0, revoked_ = 0;
    std::uint64_t running_ = 1, committed_ = 0, commits_ = 0;
    double due_s_ = 0;
};

}  // namespace diskwright
