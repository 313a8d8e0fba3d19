// SPDX-License-Identifier: BSD-2-Clause
// NetBSD's metadata journal, as sys/kern/vfs_wapbl.c writes it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "tuner/simulator/buffer_cache.hpp"
#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

/// What differs between releases and settings.
struct WapblRules {
    bool gathers = true;  // wapbl_buffered_write: up to MAXPHYS at a time; before it, each block alone
    std::uint32_t in_flight = 1;     // gathered writes that are under way at once
    bool latest_first = false;       // the blocks are written in the reverse order of their last change
    bool flushes_cache = true;       // vfs.wapbl.flush_disk_cache
    std::uint64_t buffer_bytes = 0;  // half of what the buffer cache may hold
};

class WapblModel {
 public:
    /// begin, bytes: of the journal within the file system. before_flush frees what was given up and puts the
    /// superblock into the transaction.
    WapblModel(VirtualIo& io, BufferCache& cache, std::uint64_t begin, std::uint64_t bytes,
               const WapblRules& rules, std::function<void()> before_flush);

    /// wapbl_begin: writes the transaction out when it is large.
    void begin();
    /// A block was given up: its revocation is part of the transaction.
    void revoke() { ++revocations_; }
    /// wapbl_flush: the log, the commit, then the blocks themselves, those without waiting.
    void flush();
    std::uint64_t commits() const { return commits_; }
    std::uint64_t wraps() const { return wraps_; }
    std::uint64_t stalls() const { return stalls_; }

 private:
    std::uint64_t records(std::size_t count) const;
    std::uint64_t transaction_bytes() const;
    void reclaim(bool waits);
    void append(std::uint64_t bytes);
    void write_piece(std::uint64_t at, std::uint64_t bytes);
    void commit();

    struct Transaction {
        std::uint64_t bytes = 0;
        std::vector<std::uint64_t> requests;
    };
    VirtualIo& io_;
    BufferCache& cache_;
    WapblRules rules_;
    std::function<void()> before_flush_;
    std::uint64_t begin_, sector_, circle_, limit_;
    std::uint64_t head_ = 0, used_ = 0, generation_ = 0;  // head within the circle
    std::uint64_t revocations_ = 0, commits_ = 0, wraps_ = 0, stalls_ = 0;
    std::deque<Transaction> transactions_;  // whose blocks may not be written yet
    std::deque<std::uint64_t> under_way_;
};

}  // namespace diskwright
