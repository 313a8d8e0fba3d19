// SPDX-License-Identifier: BSD-2-Clause
#include "probes/model/host_facts.hpp"

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// A hostile listing has a million names. Lists as long as real hosts have them are searched whole; of longer
// ones only the end, where a listing goes on with the element it began; merging joins what that leaves twice.
constexpr std::ptrdiff_t searched = 2048;

template <class List, class Match, class Make>
auto& find_or_make(List& list, Match match, Make make) {
    const auto from = list.end() - std::min<std::ptrdiff_t>(searched, list.end() - list.begin());
    const auto at = std::find_if(from, list.end(), match);
    if (at != list.end()) return *at;
    list.push_back(make());
    return list.back();
}

constexpr std::array<std::string_view, 10> raw_capable_drivers{"wd", "sd", "raid", "cgd", "ccd",
                                                               "dk", "ld", "vnd",  "xbd", "fd"};

bool is_raw_name(std::string_view name) {
    if (!name.starts_with('r')) return false;
    name.remove_prefix(1);
    return std::any_of(raw_capable_drivers.begin(), raw_capable_drivers.end(), [&](std::string_view driver) {
        return name.starts_with(driver) && name.size() > driver.size() && name[driver.size()] >= '0' &&
               name[driver.size()] <= '9';
    });
}

}  // namespace

std::string device_name(std::string_view as_written) {
    if (as_written.starts_with("/dev/")) as_written.remove_prefix(5);
    if (as_written.size() > 1 && as_written.ends_with('/') && !as_written.starts_with('/'))
        as_written.remove_suffix(1);
    if (is_raw_name(as_written)) as_written.remove_prefix(1);
    return std::string(as_written);
}

Disk& disk(HostFacts& facts, std::string_view name) {
    const std::string key = device_name(name);
    return find_or_make(
        facts.disks, [&](const Disk& d) { return d.name == key; },
        [&] {
            Disk d;
            d.name = key;
            return d;
        });
}

Partition& partition(HostFacts& facts, std::string_view name) {
    const std::string key = device_name(name);
    return find_or_make(
        facts.partitions, [&](const Partition& p) { return p.name == key; },
        [&] {
            Partition p;
            p.name = key;
            return p;
        });
}

PartitionTable& table(HostFacts& facts, std::string_view parent, Scheme scheme) {
    const std::string key = device_name(parent);
    return find_or_make(
        facts.tables, [&](const PartitionTable& t) { return t.parent == key && t.scheme.is(scheme); },
        [&] {
            PartitionTable t;
            t.parent = key;
            t.scheme = Known<Scheme>(scheme, {});
            return t;
        });
}

Volume& volume(HostFacts& facts, std::string_view name) {
    const std::string key = device_name(name);
    return find_or_make(
        facts.volumes, [&](const Volume& v) { return v.name == key; },
        [&] {
            Volume v;
            v.name = key;
            return v;
        });
}

Component& component(Volume& set, std::string_view name) {
    const std::string key = device_name(name);
    return find_or_make(
        set.components, [&](const Component& c) { return !key.empty() && c.name == key; },
        [&] {
            Component c;
            c.name = key;
            return c;
        });
}

Filesystem& filesystem(HostFacts& facts, std::string_view device) {
    const std::string key = device_name(device);
    return find_or_make(
        facts.filesystems, [&](const Filesystem& f) { return f.device == key; },
        [&] {
            Filesystem f;
            f.device = key;
            return f;
        });
}

Mount& mount(HostFacts& facts, std::string_view point) {
    return find_or_make(
        facts.mounts, [&](const Mount& m) { return m.point == point; },
        [&] {
            Mount m;
            m.point = std::string(point);
            return m;
        });
}

Export& exported(HostFacts& facts, std::string_view point) {
    return find_or_make(
        facts.exports, [&](const Export& e) { return e.point == point; },
        [&] {
            Export e;
            e.point = std::string(point);
            return e;
        });
}

bool HostFacts::empty() const {
    return !os.name && !os.release && !os.ram_bytes && disks.empty() && tables.empty() &&
           partitions.empty() && volumes.empty() && filesystems.empty() && mounts.empty() && fstab.empty() &&
           exports.empty() && swap.empty() && sysctls.empty() && io_traces.empty() && timings.empty() &&
           throughputs.empty() && journal_rates.empty() && events.empty() && damages.empty();
}

}  // namespace diskwright
