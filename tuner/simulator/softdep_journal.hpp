// SPDX-License-Identifier: BSD-2-Clause
// The journal of soft updates: records of 32 bytes, gathered into segments of one sector to one block
// (softdep_process_journal and journal_mount of freebsd/freebsd-src sys/ufs/ffs/ffs_softdep.c). No flush of
// the drive's cache belongs to it: debug.softdep.flushcache is 0.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "tuner/simulator/softdep_model.hpp"
#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

class SoftJournal {
 public:
    /// begin, bytes: within the file system; block_bytes: of the file system.
    SoftJournal(VirtualIo& io, SoftUpdates& updates, std::uint64_t begin, std::uint64_t bytes,
                std::uint32_t block_bytes);

    /// So many records of one operation. A change that must not be written before them waits for what comes
    /// back.
    SoftUpdates::Change record(std::uint32_t count = 1);
    /// The segment of that record stays in the journal until the change is on the disk.
    void keep_until(SoftUpdates::Change change);
    /// Once a second: full segments, or else the one that is begun.
    void process();
    /// All of it, without waiting.
    void flush();
    /// Less than a third is free (jb_low): the syncer is hurried. Less than a tenth (jb_min): writers wait.
    bool low() const { return free_ < bytes_ / 3; }
    bool nearly_full() const { return free_ < bytes_ / 10; }
    bool pending() const { return pending_ > 0; }
    std::uint64_t segments() const { return written_; }

 private:
    struct Segment {
        std::uint64_t bytes = 0, uses = 0;
    };
    void write();
    void release();

    VirtualIo& io_;
    SoftUpdates& updates_;
    std::uint64_t begin_, bytes_, free_, sector_, block_;
    std::uint64_t head_ = 0, pending_ = 0, written_ = 0;
    bool full_written_ = false;
    SoftUpdates::Change open_ = SoftUpdates::none;
    std::deque<std::shared_ptr<Segment>> segments_;
    std::shared_ptr<Segment> current_;
};

}  // namespace diskwright
