// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/buffer_cache.hpp"

#include <algorithm>
#include <iterator>

namespace diskwright {

BufferCache::Buffer& BufferCache::there(std::uint64_t byte) {
    Buffer& buffer = buffers_.at(byte);
    settle(buffer);
    used_.splice(used_.end(), used_, buffer.used);
    return buffer;
}

BufferCache::Buffer& BufferCache::insert(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose) {
    Buffer& buffer = buffers_[byte];
    buffer.bytes = bytes;
    buffer.purpose = purpose;
    buffer.used = used_.insert(used_.end(), byte);
    bytes_ += bytes;
    make_room();
    return buffer;
}

// getnewbuf takes the least recently used; a dirty one is written first, one of the journal's is locked.
void BufferCache::make_room() {
    auto oldest = used_.begin();
    while (bytes_ > capacity_ && oldest != used_.end() && std::next(oldest) != used_.end()) {
        const std::uint64_t byte = *oldest++;
        Buffer& buffer = buffers_.at(byte);
        if (buffer.logged || (stays_ && stays_(byte))) continue;
        if (buffer.dirty) write(byte, false);
        bytes_ -= buffer.bytes;
        used_.erase(buffer.used);
        buffers_.erase(byte);
    }
}

void BufferCache::read(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose) {
    if (buffers_.contains(byte)) {
        there(byte);
        return;
    }
    if (behind_) {
        const std::uint64_t request = io_.submit(DriveOperation::read, purpose, byte, bytes);
        insert(byte, bytes, purpose).writing = request;
        return;
    }
    io_.perform(DriveOperation::read, purpose, byte, bytes);
    insert(byte, bytes, purpose);
}

void BufferCache::make(std::uint64_t byte, std::uint32_t bytes, IoPurpose purpose) {
    if (!buffers_.contains(byte)) {
        insert(byte, bytes, purpose);
        return;
    }
    Buffer& buffer = there(byte);
    bytes_ += bytes - buffer.bytes;
    buffer.bytes = bytes;
    buffer.purpose = purpose;
}

void BufferCache::move(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
    Buffer& old = there(from);
    const IoPurpose purpose = old.purpose;
    const bool logged = old.logged, dirty = old.dirty;
    drop(from);
    make(to, bytes, purpose);
    if (logged)
        add_to_log(to);
    else if (dirty)
        delay(to);
}

void BufferCache::drop(std::uint64_t byte) {
    const auto found = buffers_.find(byte);
    if (found == buffers_.end()) return;
    Buffer& buffer = found->second;
    settle(buffer);
    clean(byte, buffer);
    if (buffer.logged) {
        logged_bytes_ -= buffer.bytes;
        logged_.erase(buffer.in_log);
    }
    bytes_ -= buffer.bytes;
    used_.erase(buffer.used);
    buffers_.erase(found);
}

void BufferCache::clean(std::uint64_t byte, Buffer& buffer) {
    if (!buffer.dirty) return;
    buffer.dirty = false;
    dirty_bytes_ -= buffer.bytes;
    (buffer.dirty_as_directory ? dirty_directories_ : dirty_others_).erase({buffer.dirty_since_s, byte});
    dirty_.erase(byte);
}

void BufferCache::delay(std::uint64_t byte) {
    Buffer& buffer = there(byte);
    if (buffer.dirty || buffer.logged) return;
    buffer.dirty = true;
    buffer.dirty_since_s = io_.now_s();
    dirty_bytes_ += buffer.bytes;
    dirty_.emplace(byte, io_.now_s());
    buffer.dirty_as_directory = buffer.purpose == IoPurpose::directory;
    (buffer.dirty_as_directory ? dirty_directories_ : dirty_others_).emplace(io_.now_s(), byte);
}

std::uint64_t BufferCache::write(std::uint64_t byte, bool waits) {
    Buffer& buffer = there(byte);
    clean(byte, buffer);
    buffer.writing = io_.submit(DriveOperation::write, buffer.purpose, byte, buffer.bytes, waits);
    if (writes_) writes_(byte, buffer.writing);
    if (waits) io_.wait(buffer.writing, buffer.purpose);
    return buffer.writing;
}

void BufferCache::write_if_dirty(std::uint64_t byte, bool waits) {
    const auto found = buffers_.find(byte);
    if (found == buffers_.end()) return;
    if (found->second.dirty)
        write(byte, waits);
    else if (waits)
        settle(found->second);
}

void BufferCache::add_to_log(std::uint64_t byte) {
    Buffer& buffer = there(byte);
    if (buffer.logged) {
        logged_.splice(logged_.end(), logged_, buffer.in_log);
        return;
    }
    clean(byte, buffer);
    buffer.logged = true;
    buffer.in_log = logged_.insert(logged_.end(), byte);
    logged_bytes_ += buffer.bytes;
}

std::vector<BufferCache::Logged> BufferCache::logged() const {
    std::vector<Logged> list;
    list.reserve(logged_.size());
    for (const std::uint64_t byte : logged_) list.push_back({byte, buffers_.at(byte).bytes});
    return list;
}

std::vector<std::uint64_t> BufferCache::write_logged(bool latest_first) {
    std::vector<std::uint64_t> requests;
    requests.reserve(logged_.size());
    if (latest_first) logged_.reverse();
    for (const std::uint64_t byte : logged_) {
        Buffer& buffer = buffers_.at(byte);
        buffer.logged = false;
        buffer.writing = io_.submit(DriveOperation::write, buffer.purpose, byte, buffer.bytes);
        requests.push_back(buffer.writing);
    }
    logged_.clear();
    logged_bytes_ = 0;
    return requests;
}

void BufferCache::write_dirty(Part part) {
    std::vector<std::uint64_t> places;
    for (const auto& [byte, since] : dirty_) {
        const bool directory = buffers_.at(byte).purpose == IoPurpose::directory;
        if (part == Part::all || directory == (part == Part::directories)) places.push_back(byte);
    }
    for (const std::uint64_t byte : places) write(byte, false);
}

std::vector<BufferCache::Dirty> BufferCache::dirty() const {
    std::vector<Dirty> list;
    list.reserve(dirty_.size());
    for (const auto& [byte, since] : dirty_) list.push_back({byte, buffers_.at(byte).purpose, since});
    return list;
}

std::optional<double> BufferCache::dirty_since(Part part) const {
    std::optional<double> oldest;
    const auto look = [&](const auto& aged) {
        if (!aged.empty()) oldest = std::min(oldest.value_or(aged.begin()->first), aged.begin()->first);
    };
    if (part != Part::others) look(dirty_directories_);
    if (part != Part::directories) look(dirty_others_);
    return oldest;
}

void BufferCache::forget() {
    buffers_.clear();
    used_.clear();
    dirty_.clear();
    dirty_directories_.clear();
    dirty_others_.clear();
    logged_.clear();
    bytes_ = dirty_bytes_ = logged_bytes_ = 0;
}

}  // namespace diskwright
