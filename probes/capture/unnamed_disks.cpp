// SPDX-License-Identifier: BSD-2-Clause
#include "probes/capture/unnamed_disks.hpp"

#include <algorithm>

#include "probes/parsers/partition_listing.hpp"

namespace diskwright {
namespace {

std::string numbered(std::size_t index) {
    std::string name(unnamed_disk);
    if (index > 0) name += std::to_string(index + 1);
    return name;
}

bool is_unnamed(const Disk& d) {
    return d.name.starts_with(unnamed_disk);
}

const Disk* disk_of_serial(const HostFacts& facts, const std::string& serial) {
    const Disk* found = nullptr;
    for (const Disk& d : facts.disks) {
        if (is_unnamed(d) || !d.serial.is(serial)) continue;
        if (found) return nullptr;
        found = &d;
    }
    return found;
}

bool has_unnamed_table(const HostFacts& facts) {
    const auto on_it = [](const auto& e) { return e.parent == unnamed_disk; };
    return std::any_of(facts.tables.begin(), facts.tables.end(), on_it) ||
           std::any_of(facts.partitions.begin(), facts.partitions.end(), on_it);
}

}  // namespace

void UnnamedDisks::name(HostFacts& section) {
    constexpr std::size_t most = 4096;  // as many disks as merge() keeps
    for (Disk& d : section.disks) {
        if (d.name != unnamed_disk) continue;
        const bool goes_on = !d.serial && !d.model && count_ > 0;
        if (!goes_on) {
            last_ = std::min(count_, most);
            const bool is_new =
                !d.serial || by_serial_.size() >= most || by_serial_.emplace(*d.serial, last_).second;
            if (is_new)
                ++count_;
            else
                last_ = by_serial_.at(*d.serial);
        }
        d.name = numbered(last_);
    }
}

void join_unnamed_disks(HostFacts& facts) {
    std::vector<Disk> unnamed;
    for (const Disk& d : facts.disks)
        if (is_unnamed(d)) unnamed.push_back(d);
    if (unnamed.empty()) return;
    std::erase_if(facts.disks, is_unnamed);
    const bool taken = has_unnamed_table(facts);
    for (Disk& d : unnamed) {
        const Disk* same = d.serial ? disk_of_serial(facts, *d.serial) : nullptr;
        if (same)
            d.name = same->name;
        else if (taken && d.name == unnamed_disk)
            d.name = numbered(unnamed.size());
        HostFacts one;
        one.disks.push_back(std::move(d));
        merge(facts, std::move(one));
    }
}

}  // namespace diskwright
