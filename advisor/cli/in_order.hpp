// SPDX-License-Identifier: BSD-2-Clause
// Independent pieces of work on all processors, their results one after the other in the order of the pieces.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace diskwright {

/// Calls make(0) to make(count - 1) from several threads, and take(result) from this one in that order, each
/// as soon as all before it are taken. At most `ahead` pieces are begun before the oldest one is taken, so
/// memory does not grow with count. take returns whether to go on. make must not throw.
template <class Make, class Take>
void in_order(std::size_t count, std::size_t ahead, Make make, Take take) {
    using Piece = std::invoke_result_t<Make, std::size_t>;
    if (count == 1) {
        take(make(0));
        return;
    }
    std::mutex mutex;
    std::condition_variable made, room;
    std::map<std::size_t, Piece> waiting;
    std::size_t next = 0, taken = 0;
    bool stopped = false;
    const auto work = [&] {
        std::unique_lock lock(mutex);
        for (;;) {
            room.wait(lock, [&] { return stopped || next >= count || next < taken + ahead; });
            if (stopped || next >= count) return;
            const std::size_t at = next++;
            lock.unlock();
            Piece piece = make(at);
            lock.lock();
            waiting.emplace(at, std::move(piece));
            made.notify_one();
        }
    };
    struct Workers {
        std::mutex& mutex;
        std::condition_variable& room;
        bool& stopped;
        std::vector<std::thread> threads{};
        ~Workers() {
            {
                const std::lock_guard lock(mutex);
                stopped = true;
            }
            room.notify_all();
            for (auto& thread : threads) thread.join();
        }
    } workers{mutex, room, stopped};
    const std::size_t most = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
    while (workers.threads.size() < most) workers.threads.emplace_back(work);
    while (taken < count) {
        std::unique_lock lock(mutex);
        made.wait(lock, [&] { return waiting.contains(taken); });
        Piece piece = std::move(waiting.extract(taken).mapped());
        ++taken;
        lock.unlock();
        room.notify_all();
        if (!take(std::move(piece))) return;
    }
}

}  // namespace diskwright
