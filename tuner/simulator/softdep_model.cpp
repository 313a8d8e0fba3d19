// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/softdep_model.hpp"

#include <algorithm>

namespace diskwright {

SoftUpdates::SoftUpdates(VirtualIo& io, BufferCache& cache) : io_(io), cache_(cache) {
    io_.take_done();
    cache_.tell([this](std::uint64_t byte, std::uint64_t request) { writing(byte, request); },
                [this](std::uint64_t byte) { return holds_back(byte); });
}

SoftUpdates::Change SoftUpdates::add(Item item, std::initializer_list<Change> after) {
    const Change change = ++last_;
    for (const Change other : after) {
        const auto found = changes_.find(other);
        if (found == changes_.end()) continue;
        found->second.before.push_back(change);
        item.after.push_back(other);
    }
    item.waits = item.after.size();
    changes_.emplace(change, std::move(item));
    return change;
}

// Changes that wait for the same share one number: bits of the maps of a group, times of an inode.
SoftUpdates::Change SoftUpdates::in_buffer(std::uint64_t byte, std::initializer_list<Change> after) {
    auto& list = buffers_[byte];
    if (!list.empty()) {
        Item& latest = changes_.at(list.back());
        std::size_t same = 0, open = 0;
        for (const Change other : after)
            if (!on_disk(other)) {
                ++open;
                same += std::find(latest.after.begin(), latest.after.end(), other) != latest.after.end();
            }
        if (open == same && latest.waits == open) {
            ++latest.users;
            return list.back();
        }
    }
    Item item;
    item.byte = byte;
    const Change change = add(std::move(item), after);
    list.push_back(change);
    return change;
}

SoftUpdates::Change SoftUpdates::elsewhere() {
    return add({}, {});
}

void SoftUpdates::goes_out(Change change, std::uint64_t request) {
    const auto found = changes_.find(change);
    if (found == changes_.end()) return;
    found->second.request = request;
    written_[request].changes.push_back(change);
}

void SoftUpdates::then(std::initializer_list<Change> after, std::function<void()> work) {
    const bool possible =
        std::all_of(after.begin(), after.end(), [&](Change change) { return on_disk(change); });
    if (possible) {
        work_.push_back(std::move(work));
        return;
    }
    Item item;
    item.work = std::move(work);
    add(std::move(item), after);
}

void SoftUpdates::cancel(Change change) {
    const auto found = changes_.find(change);
    if (found == changes_.end() || --found->second.users > 0) return;
    if (found->second.request == 0 && found->second.byte != no_buffer) {
        const auto buffer = buffers_.find(found->second.byte);
        if (buffer != buffers_.end()) {
            std::erase(buffer->second, change);
            if (buffer->second.empty()) buffers_.erase(buffer);
        }
    }
    finish(change);
}

void SoftUpdates::move(std::uint64_t from, std::uint64_t to) {
    if (from == to) return;
    const auto found = buffers_.find(from);
    if (found == buffers_.end()) return;
    auto list = std::move(found->second);
    buffers_.erase(found);
    for (const Change change : list) changes_.at(change).byte = to;
    auto& at = buffers_[to];
    at.insert(at.end(), list.begin(), list.end());
}

void SoftUpdates::drop(std::uint64_t byte) {
    const auto found = buffers_.find(byte);
    if (found == buffers_.end()) return;
    const auto list = std::move(found->second);
    buffers_.erase(found);
    for (const Change change : list) finish(change);
}

bool SoftUpdates::in_memory(Change change) const {
    const auto found = changes_.find(change);
    return found != changes_.end() && found->second.request == 0;
}

bool SoftUpdates::holds_back(std::uint64_t byte) const {
    const auto found = buffers_.find(byte);
    return found != buffers_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](Change change) { return changes_.at(change).waits > 0; });
}

void SoftUpdates::writing(std::uint64_t byte, std::uint64_t request) {
    const auto found = buffers_.find(byte);
    if (found == buffers_.end()) return;
    Written write;
    write.byte = byte;
    std::vector<Change> kept;
    for (const Change change : found->second) {
        Item& item = changes_.at(change);
        if (item.waits > 0) {
            kept.push_back(change);
            continue;
        }
        item.request = request;
        write.changes.push_back(change);
    }
    write.held_back = !kept.empty();
    rollbacks_ += write.held_back ? 1 : 0;
    if (kept.empty())
        buffers_.erase(found);
    else
        found->second = std::move(kept);
    written_.emplace(request, std::move(write));
}

void SoftUpdates::finish(Change change) {
    const auto found = changes_.find(change);
    if (found == changes_.end()) return;
    const auto before = std::move(found->second.before);
    changes_.erase(found);
    for (const Change other : before) {
        const auto waiting = changes_.find(other);
        if (waiting == changes_.end() || --waiting->second.waits > 0 || !waiting->second.work) continue;
        work_.push_back(std::move(waiting->second.work));
        changes_.erase(waiting);
    }
}

void SoftUpdates::collect() {
    for (const std::uint64_t request : io_.take_done()) {
        const auto found = written_.find(request);
        if (found == written_.end()) continue;
        const Written write = std::move(found->second);
        written_.erase(found);
        for (const Change change : write.changes) finish(change);
        if (write.held_back && cache_.has(write.byte)) cache_.delay(write.byte);
    }
}

bool SoftUpdates::work() {
    bool any = false;
    // What an item makes possible at once belongs to the same round.
    for (; !work_.empty(); any = true) {
        const auto next = std::move(work_.front());
        work_.pop_front();
        next();
    }
    return any;
}

void SoftUpdates::make_durable(Change change, const std::function<void(Change)>& force) {
    collect();
    auto found = changes_.find(change);
    if (found == changes_.end()) return;
    const auto after = found->second.after;
    for (const Change other : after) make_durable(other, force);
    found = changes_.find(change);
    if (found == changes_.end()) return;
    if (found->second.request == 0) {
        if (found->second.byte == no_buffer)
            force(change);
        else if (cache_.has(found->second.byte))
            cache_.write(found->second.byte, true);
    }
    found = changes_.find(change);
    if (found != changes_.end() && found->second.request != 0)
        io_.wait(found->second.request, IoPurpose::inode);
    collect();
}

}  // namespace diskwright
