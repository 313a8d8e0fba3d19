// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/page_cache.hpp"

#include <algorithm>

namespace diskwright {
namespace {

constexpr std::uint64_t stretch_bytes = 16 * PageCache::page_bytes;

std::uint64_t key(std::uint32_t file, std::uint64_t stretch) {
    return std::uint64_t{file} << 32 | stretch;
}

}  // namespace

PageCache::PageCache(std::uint64_t capacity_bytes) : most_(capacity_bytes / stretch_bytes) {}

// visit gets the key of a stretch and the bits of its pages that are meant; it says whether to go on.
template <class Visit>
bool PageCache::each(std::uint32_t file, std::uint64_t from, std::uint64_t to, Visit visit) {
    for (std::uint64_t at = from / page_bytes * page_bytes; at < to;) {
        const std::uint64_t stretch = at / stretch_bytes, end = std::min(to, (stretch + 1) * stretch_bytes);
        const std::uint64_t first = at % stretch_bytes / page_bytes;
        const std::uint64_t last = (end - 1) % stretch_bytes / page_bytes;
        const auto bits = static_cast<std::uint16_t>((2U << last) - (1U << first));
        if (!visit(key(file, stretch), bits)) return false;
        at = end;
    }
    return true;
}

void PageCache::add(std::uint32_t file, std::uint64_t from, std::uint64_t to) {
    if (most_ == 0) return;
    each(file, from, to, [&](std::uint64_t of, std::uint16_t bits) {
        const auto [at, fresh] = stretches_.try_emplace(of);
        if (fresh)
            at->second.used = used_.insert(used_.end(), of);
        else
            used_.splice(used_.end(), used_, at->second.used);
        at->second.pages = static_cast<std::uint16_t>(at->second.pages | bits);
        if (stretches_.size() > most_) {
            stretches_.erase(used_.front());
            used_.pop_front();
        }
        return true;
    });
}

bool PageCache::contains(std::uint32_t file, std::uint64_t from, std::uint64_t to) {
    return each(file, from, to, [&](std::uint64_t of, std::uint16_t bits) {
        const auto at = stretches_.find(of);
        if (at == stretches_.end() || (at->second.pages & bits) != bits) return false;
        used_.splice(used_.end(), used_, at->second.used);
        return true;
    });
}

void PageCache::drop(std::uint32_t file, std::uint64_t bytes) {
    each(file, 0, bytes, [&](std::uint64_t of, std::uint16_t) {
        const auto at = stretches_.find(of);
        if (at == stretches_.end()) return true;
        used_.erase(at->second.used);
        stretches_.erase(at);
        return true;
    });
}

void PageCache::forget() {
    stretches_.clear();
    used_.clear();
}

}  // namespace diskwright
