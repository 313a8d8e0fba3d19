// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/families.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "probes/ondisk/discover.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright::fuzz {
namespace {

using Names = std::string_view;
constexpr std::array<Names, 6> tables{"gpt", "gpt backup", "mbr", "disklabel", "disklabel64", "sun label"};
constexpr std::array<Names, 1> ffs{"ffs"};
constexpr std::array<Names, 7> contents{"lvm", "swap", "other", "luks", "zfs", "xfs", "ext"};
constexpr std::array<Names, 3> bsd_raid{"raidframe", "softraid", "ccd"};
constexpr std::array<Names, 7> geom{"glabel", "gjournal", "gmirror", "gstripe", "graid3", "gconcat", "geli"};
constexpr std::array<Names, 2> linux_raid{"md", "firmware raid"};

constexpr std::array<Family, 6> all{{{"tables", tables},
                                     {"ffs", ffs},
                                     {"contents", contents},
                                     {"bsd-raid", bsd_raid},
                                     {"geom", geom},
                                     {"linux-raid", linux_raid}}};

std::size_t size_of(const HostFacts& facts) {
    std::size_t out = facts.disks.size() + facts.partitions.size() + facts.tables.size() +
                      facts.filesystems.size() + facts.swap.size() + facts.events.size() +
                      facts.damages.size() + facts.conflicts.size() + facts.unparsed.size();
    for (const Volume& v : facts.volumes) out += 1 + v.components.size();
    return out;
}

void add_up(Cost& cost, const test::MemorySource& source) {
    cost.reads += source.reads;
    cost.bytes_read += source.bytes_read;
}

Cost read_one(const OnDiskFormat& format, std::vector<std::byte> bytes, std::optional<std::uint64_t> size) {
    test::MemorySource source("sd0", std::move(bytes), size);
    Found found;
    (void)format.read(source, found);
    Cost out;
    add_up(out, source);
    out.facts = size_of(found.facts) + found.slots.size() + found.members.size() + found.damage.size();
    return out;
}

Cost larger(const Cost& a, const Cost& b) {
    return {std::max(a.reads, b.reads), std::max(a.bytes_read, b.bytes_read), std::max(a.facts, b.facts)};
}

}  // namespace

std::span<const Family> families() {
    return all;
}

Cost read_as(std::string_view family, const std::uint8_t* data, std::size_t size) {
    const auto row = std::find_if(all.begin(), all.end(), [&](const Family& f) { return f.name == family; });
    if (row == all.end()) std::abort();
    const auto* first = reinterpret_cast<const std::byte*>(data);
    const std::vector<std::byte> whole(first, first + size), part(first, first + size - size / 4);
    Cost out;
    for (const OnDiskFormat& format : on_disk_formats()) {
        if (std::find(row->formats.begin(), row->formats.end(), format.name) == row->formats.end()) continue;
        out = larger(out, read_one(format, whole, whole.size()));
        out = larger(out, read_one(format, part, std::nullopt));
    }
    return out;
}

Cost read_as_host(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return {};
    const std::size_t disks = 1 + data[0] % 4, each = (size - 1) / disks;
    std::vector<std::unique_ptr<test::MemorySource>> sources;
    std::vector<ByteSource*> pointers;
    for (std::size_t i = 0; i < disks; ++i) {
        const auto* first = reinterpret_cast<const std::byte*>(data) + 1 + i * each;
        sources.push_back(std::make_unique<test::MemorySource>(
            "sd" + std::to_string(i), std::vector<std::byte>(first, first + each), each));
        pointers.push_back(sources.back().get());
    }
    const Discovery found = discover(pointers);
    Cost out;
    for (const auto& source : sources) add_up(out, *source);
    out.facts = size_of(found.facts) + found.unrecognised.size();
    return out;
}

int bounded(const Cost& cost, const Cost& most) {
    if (!cost.within(most)) std::abort();
    return 0;
}

}  // namespace diskwright::fuzz
