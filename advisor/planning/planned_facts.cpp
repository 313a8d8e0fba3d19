// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/devices.hpp"
#include "advisor/planning/plan_parts.hpp"

namespace diskwright {
namespace {

template <class T>
Known<T> planned(T value) {
    static const Provenance from("plan", 0, "as the plan makes it", Provenance::Kind::inferred);
    return Known<T>(std::move(value), from);
}

bool on_target(const Planning& p, std::string_view device) {
    return same_device(p.graph.start_on_base(device).base, p.target.base);
}
bool gone(const Planning& p, std::string_view device) {
    return p.target.partition ? same_device(device, p.target.partition->name) : on_target(p, device);
}

// Measurements and messages told of the old state.
void forget_the_past(HostFacts& facts) {
    facts.io_traces.clear();
    facts.timings.clear();
    facts.throughputs.clear();
    facts.journal_rates.clear();
    facts.events.clear();
    facts.damages.clear();
    facts.conflicts.clear();
    facts.unparsed.clear();
}

void forget_the_device(const Planning& p, HostFacts& facts) {
    std::erase_if(facts.filesystems, [&](const Filesystem& f) { return gone(p, f.device); });
    std::erase_if(facts.mounts, [&](const Mount& m) { return m.device && gone(p, *m.device); });
    std::erase_if(facts.fstab, [&](const FstabEntry& e) { return gone(p, e.device); });
    std::erase_if(facts.swap, [&](const SwapArea& s) { return gone(p, s.device); });
    if (p.decision != PartitionDecision::create) return;
    std::erase_if(facts.tables,
                  [&](const PartitionTable& t) { return same_device(t.parent, p.target.base); });
    std::erase_if(facts.partitions, [&](const Partition& old) { return on_target(p, old.name); });
}

std::string partition_type(const Planning& p, Scheme scheme) {
    if (p.release.os == Os::freebsd) return "freebsd-ufs";
    if (p.release.os == Os::linux_) return "Linux filesystem";
    return scheme == Scheme::gpt ? "ffs" : "4.2BSD";
}

void put_partition(const Planning& p, HostFacts& facts) {
    if (p.decision == PartitionDecision::whole) return;
    Partition& made = partition(facts, p.device);
    if (p.decision == PartitionDecision::create) {
        table(facts, p.target.base, p.partition.scheme).sector_bytes = planned(p.layout.logical);
        made.parent = p.target.base;
        made.scheme = planned(p.partition.scheme);
        made.index = planned(std::uint64_t{1});
        made.type = planned(partition_type(p, p.partition.scheme));
        made.start_bytes = planned(p.layout.start);
        if (p.layout.size != 0) made.size_bytes = planned(p.layout.size);
    } else if (p.decision == PartitionDecision::move) {
        // The start moves up and the end stays, within whatever slice the partition lies in.
        const std::uint64_t by = p.layout.start - *p.target.start_bytes;
        made.start_bytes = planned(*made.start_bytes + by);
        if (made.size_bytes) made.size_bytes = planned(*made.size_bytes - by);
    }
}

void put_ext4(const Planning& p, HostFacts& facts) {
    Filesystem& fs = filesystem(facts, p.device);
    fs.type = planned(std::string("ext4"));
    fs.bsize = planned(p.layout.bsize);
    if (p.layout.size != 0) fs.size_bytes = planned(p.layout.size);
    if (p.layout.unit) fs.stride_bytes = planned(*p.layout.unit);
    if (p.layout.full_stripe) fs.stripe_width_bytes = planned(*p.layout.full_stripe);
    if (!p.intent.label.empty()) fs.label = planned(p.intent.label);
}

void put_filesystem(const Planning& p, HostFacts& facts) {
    if (p.release.ext4) return put_ext4(p, facts);
    Filesystem& fs = filesystem(facts, p.device);
    fs.type = planned(std::string("ffs2"));
    fs.bsize = planned(p.layout.bsize);
    fs.fsize = planned(p.layout.fsize);
    if (p.layout.size != 0) fs.size_bytes = planned(p.layout.size);
    fs.minfree_percent = planned(p.release.minfree_percent);
    fs.optimization = planned(Optimization::time);
    if (p.layout.inodes)
        fs.bytes_per_inode =
            planned(p.layout.density.value_or(p.release.fragments_per_inode * p.layout.fsize));
    if (p.release.os == Os::freebsd) {
        fs.softupdates = planned(p.softupdates);
        fs.su_journal = planned(p.su_journal);
        fs.trim = planned(p.trim);
        if (!p.intent.label.empty()) fs.label = planned(p.intent.label);
    }
    if (p.release.os == Os::netbsd) fs.wapbl = planned(p.release.wapbl);
}

void put_mount(const Planning& p, HostFacts& facts) {
    const std::string type(mount_type(p));
    const StorageGraph graph(facts);
    const FixBuilder fix(facts, graph, p.release.os, {});
    const std::string device = device_path(fix, p.device);
    std::erase_if(facts.mounts, [&](const Mount& m) { return m.point == p.point; });
    Mount& m = mount(facts, p.point);
    m.device = planned(device);
    m.type = planned(type);
    m.options = planned(p.options);
    if (p.intent.mount_point.empty()) return;
    std::erase_if(facts.fstab, [&](const FstabEntry& e) { return e.point == p.point; });
    std::vector<std::string> options{"rw"};
    options.insert(options.end(), p.options.begin(), p.options.end());
    facts.fstab.push_back({device, p.point, planned(type), planned(options), planned(std::uint64_t{1}),
                           planned(std::uint64_t{2})});
}

}  // namespace

HostFacts facts_before_newfs(const Planning& p) {
    HostFacts facts = p.facts;
    forget_the_past(facts);
    forget_the_device(p, facts);
    put_partition(p, facts);
    return facts;
}

HostFacts planned_facts(const Planning& p) {
    HostFacts facts = facts_before_newfs(p);
    put_filesystem(p, facts);
    put_mount(p, facts);
    return facts;
}

}  // namespace diskwright
