// SPDX-License-Identifier: BSD-2-Clause
// The metadata of a Linux file system in memory: what was read, what is dirty, what a journal still holds
// back (torvalds/linux:fs/buffer.c, fs/xfs/xfs_buf.c). Memory is taken to hold all that a workload touches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

class MetadataPages {
 public:
    explicit MetadataPages(VirtualIo& io) : io_(io) {}

    bool has(std::uint64_t byte) const {
        const auto page = pages_.find(byte);
        return page != pages_.end() && !page->second.dropped;
    }
    /// Read and waited for unless it is there.
    void read(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose);
    /// Several that lie together, in one request, unless the first is there.
    void read_together(std::uint64_t byte, std::uint32_t bytes, unsigned count, IoPurpose purpose);
    /// Its contents are new: never read.
    void make(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose);
    /// Its block is free again: what is in it is never written.
    void drop(std::uint64_t byte);

    /// Changed, to be written in place at any time; not while a journal holds it.
    void dirty(std::uint64_t byte);
    void hold(std::uint64_t byte);
    void let_go(std::uint64_t byte);

    /// Writes all that is dirty by place, without waiting; the requests' numbers. Data, which a journal had
    /// here, is the page cache's then. One: that alone.
    std::vector<std::uint64_t> write_dirty();
    std::vector<std::uint64_t> write_one(std::uint64_t byte);
    /// When the first of what is dirty was changed.
    std::optional<double> dirty_since() const;
    std::uint32_t bytes(std::uint64_t byte) const { return pages_.at(byte).bytes; }

    void forget();

 private:
    struct Page {
        std::uint32_t bytes = 0, held = 0;
        IoPurpose purpose = IoPurpose::inode;
        bool dropped = false;  // while held: whoever makes it anew finds it held still
    };
    VirtualIo& io_;
    std::map<std::uint64_t, Page> pages_;
    std::map<std::uint64_t, std::uint32_t> dirty_;  // by place
    double dirty_since_s_ = 0;
};

}  // namespace diskwright
