// SPDX-License-Identifier: BSD-2-Clause
// Which pages of which files are in memory: the least recently used go first, 64 KiB of a file at a time.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

namespace diskwright {

class PageCache {
 public:
    static constexpr std::uint64_t page_bytes = 4096;

    explicit PageCache(std::uint64_t capacity_bytes);

    /// From that byte up to that one, in whole pages.
    void add(std::uint32_t file, std::uint64_t from, std::uint64_t to);
    /// All of it; what is asked for counts as used.
    bool contains(std::uint32_t file, std::uint64_t from, std::uint64_t to);
    /// The file is gone; it had so many bytes.
    void drop(std::uint32_t file, std::uint64_t bytes);
    void forget();

 private:
    struct Stretch {
        std::uint16_t pages = 0;  // a bit for each
        std::list<std::uint64_t>::iterator used;
    };
    template <class Visit>
    static bool each(std::uint32_t file, std::uint64_t from, std::uint64_t to, Visit visit);

    std::uint64_t most_;
    std::unordered_map<std::uint64_t, Stretch> stretches_;
    std::list<std::uint64_t> used_;  // the latest last
};

}  // namespace diskwright
