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

/// Calls make(0) to make(count - 1) on several threads, this one among them, and take(result) on this one in
/// that order. At most `ahead` pieces are begun before the oldest one is taken, so memory does not grow with
/// count. take returns whether to go on. make must not throw.
template <class Make, class Take>
void in_order(std::size_t count, std::size_t ahead, Make make, Take take) {
    using Piece = std::invoke_result_t<Make, std::size_t>;
    std::mutex mutex;
    std::condition_variable made, room;
    std::map<std::size_t, Piece> waiting;
    std::size_t next = 0, taken = 0, workers_idle = 0;
    bool stopped = false, taker_idle = false;
    // With the lock held before and after.
    const auto make_next = [&](std::unique_lock<std::mutex>& lock) {
        const std::size_t at = next++;
        lock.unlock();
        Piece piece = make(at);
        lock.lock();
        waiting.emplace(at, std::move(piece));
        if (taker_idle && at == taken) made.notify_one();
    };
    const auto work = [&] {
        std::unique_lock lock(mutex);
        for (;;) {
            ++workers_idle;
            room.wait(lock, [&] { return stopped || next >= count || next < taken + ahead; });
            --workers_idle;
            if (stopped || next >= count) return;
            make_next(lock);
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
    while (workers.threads.size() + 1 < most) workers.threads.emplace_back(work);
    // This thread makes a piece where there is none to take: to sleep and be woken costs more than most
    // pieces.
    std::unique_lock lock(mutex);
    while (taken < count) {
        if (const auto oldest = waiting.find(taken); oldest != waiting.end()) {
            Piece piece = std::move(waiting.extract(oldest).mapped());
            ++taken;
            if (workers_idle > 0) room.notify_all();
            lock.unlock();
            if (!take(std::move(piece))) return;
            lock.lock();
        } else if (next < count && next < taken + ahead) {
            make_next(lock);
        } else {
            taker_idle = true;
            made.wait(lock, [&] { return waiting.contains(taken); });
            taker_idle = false;
        }
    }
}

}  // namespace diskwright
