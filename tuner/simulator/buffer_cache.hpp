// SPDX-License-Identifier: BSD-2-Clause
// The metadata a file system has in memory: NetBSD's buffer cache (sys/kern/vfs_bio.c). A buffer is busy
// while it is written, so that whoever changes it next waits; of data in files it knows nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tuner/simulator/virtual_io.hpp"

namespace diskwright {

class BufferCache {
 public:
    BufferCache(VirtualIo& io, std::uint64_t capacity_bytes) : io_(io), capacity_(capacity_bytes) {}

    /// The buffer at that byte of the file system: read unless it is there.
    void read(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose);
    /// One whose contents are new: never read.
    void make(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose);
    /// It grew, or lies elsewhere now.
    void move(std::uint64_t from, std::uint64_t to, std::uint32_t bytes);
    /// Its block is free again: what is in it is never written.
    void drop(std::uint64_t byte);

    /// Changed, to be written later (bdwrite); now, waiting or not (bwrite, bawrite), the request comes back;
    /// by the journal.
    void delay(std::uint64_t byte);
    std::uint64_t write(std::uint64_t byte, bool waits);
    void write_if_dirty(std::uint64_t byte, bool waits);
    void add_to_log(std::uint64_t byte);

    /// Writes what is dirty and not the journal's, without waiting. Of directories or of the rest, or both.
    enum class Part { directories, others, all };
    void write_dirty(Part part);
    /// When the oldest of that was changed.
    std::optional<double> dirty_since(Part part) const;
    std::uint64_t dirty_bytes() const { return dirty_bytes_; }
    std::size_t dirty_count() const { return dirty_.size(); }
    struct Dirty {
        std::uint64_t byte = 0;
        IoPurpose purpose = IoPurpose::data;
        double since_s = 0;
    };
    /// What is dirty and not the journal's, by place.
    std::vector<Dirty> dirty() const;
    bool has(std::uint64_t byte) const { return buffers_.contains(byte); }

    /// Soft updates: told of each write of a buffer and its request, and asked whether one must stay.
    void tell(std::function<void(std::uint64_t, std::uint64_t)> writes,
              std::function<bool(std::uint64_t)> stays) {
        writes_ = std::move(writes);
        stays_ = std::move(stays);
    }
    /// What follows is done by another process than the one whose time is counted: it waits for nothing.
    void set_behind(bool behind) { behind_ = behind; }
    /// Groups are written from a copy (BX_BKGRDWRITE of freebsd/freebsd-src sys/kern/vfs_bio.c): whoever
    /// changes them does not wait for that.
    void set_copies_groups(bool copies) { copies_groups_ = copies; }

    std::uint64_t logged_bytes() const { return logged_bytes_; }
    std::size_t logged_count() const { return logged_.size(); }
    struct Logged {
        std::uint64_t byte = 0;
        std::uint32_t bytes = 0;
    };
    /// Those of the transaction in the order of their last change.
    std::vector<Logged> logged() const;
    /// Each is written without waiting; the numbers of the requests come back.
    std::vector<std::uint64_t> write_logged(bool latest_first);

    /// Unmounted and mounted again: nothing is there any more. Everything was written before.
    void forget();

 private:
    struct Buffer {
        std::uint32_t bytes = 0;
        IoPurpose purpose = IoPurpose::data;
        bool dirty = false, logged = false, dirty_as_directory = false;
        double dirty_since_s = 0;
        std::uint64_t writing = 0;  // the request, or that of its read behind
        std::list<std::uint64_t>::iterator used, in_log;
    };
    Buffer& there(std::uint64_t byte);
    Buffer& insert(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose);
    void settle(Buffer& buffer) {
        if (behind_ || (copies_groups_ && buffer.purpose == IoPurpose::group)) return;
        io_.wait(buffer.writing, buffer.purpose);
    }
    void clean(std::uint64_t byte, Buffer& buffer);
    void make_room();

    VirtualIo& io_;
    std::function<void(std::uint64_t, std::uint64_t)> writes_;
    std::function<bool(std::uint64_t)> stays_;
    bool behind_ = false, copies_groups_ = false;
    std::uint64_t capacity_, bytes_ = 0, dirty_bytes_ = 0, logged_bytes_ = 0;
    std::map<std::uint64_t, Buffer> buffers_;
    std::map<std::uint64_t, double> dirty_;                                        // by place
    std::set<std::pair<double, std::uint64_t>> dirty_directories_, dirty_others_;  // by age
    std::list<std::uint64_t> used_;                                                // the latest last
    std::list<std::uint64_t> logged_;                                              // the latest last
};

}  // namespace diskwright
