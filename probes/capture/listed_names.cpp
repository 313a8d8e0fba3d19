// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/listed_names.hpp"

#include <map>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

Names names_of(const HostFacts& from_bytes, const HostFacts& listed) {
    std::map<std::pair<std::string, std::uint64_t>, std::string> by_place;
    for (const Partition& p : listed.partitions)
        if (!contains(p.name, "#") && p.start_bytes)
            by_place.emplace(std::pair(p.parent, *p.start_bytes), p.name);
    Names names;
    for (const Partition& p : from_bytes.partitions) {
        if (!contains(p.name, "#") || !p.start_bytes) continue;
        const auto at = by_place.find(std::pair(p.parent, *p.start_bytes));
        if (at != by_place.end()) names.emplace(p.name, at->second);
    }
    return names;
}

}  // namespace

void take_listed_names(HostFacts& from_bytes, const HostFacts& listed) {
    const Names names = names_of(from_bytes, listed);
    if (names.empty()) return;
    const auto rename = [&](std::string& name) {
        if (const auto at = names.find(name); at != names.end()) name = at->second;
    };
    for (PartitionTable& t : from_bytes.tables) rename(t.parent);
    for (Partition& p : from_bytes.partitions) rename(p.name), rename(p.parent);
    for (Filesystem& f : from_bytes.filesystems) rename(f.device);
    for (SwapArea& s : from_bytes.swap) rename(s.device);
    for (Event& e : from_bytes.events) rename(e.subject);
    for (Volume& v : from_bytes.volumes)
        for (Component& c : v.components) rename(c.name);
}

}  // namespace diskwright
