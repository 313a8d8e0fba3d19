// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commands/partition_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::optional<std::uint64_t> sector_of(const FixBuilder& fix, const Partition& p) {
    for (const PartitionTable& table : fix.host().tables)
        if (same_device(table.parent, p.parent) && table.scheme.is(*p.scheme) && table.sector_bytes)
            return *table.sector_bytes;
    if (const auto sector = fix.graph().medium(p.name).logical_sector_bytes) return *sector;
    // Nothing says otherwise and both numbers are whole: 4096-byte sectors are shown by every tool of their
    // system.
    return 512;
}

std::optional<std::uint64_t> index_of(const Partition& p) {
    if (p.index) return *p.index;
    if (!p.scheme.is(Scheme::disklabel) || p.name.empty()) return std::nullopt;
    const char letter = p.name.back();
    return letter >= 'a' && letter <= 'p' ? std::optional<std::uint64_t>(letter - 'a' + 1) : std::nullopt;
}

struct Alias {
    std::string_view part, name;
};
// NetBSD/src sbin/gpt/gpt_uuid.c: descriptions as gpt show prints them, and their short names.
constexpr std::array aliases{
    Alias{"NetBSD FFS", "ffs"},           Alias{"NetBSD swap", "swap"}, Alias{"NetBSD RAIDFrame", "raid"},
    Alias{"NetBSD Cryptographic", "cgd"}, Alias{"NetBSD ccd", "ccd"},   Alias{"NetBSD LFS", "lfs"},
    Alias{"FreeBSD UFS", "ufs"},          Alias{"EFI System", "efi"},   Alias{"Linux data", "linux"},
    Alias{"Windows basic", "windows"},    Alias{"BIOS Boot", "bios"},
};
constexpr std::array<std::string_view, 11> short_names{"ffs", "swap",  "raid",    "cgd", "ccd", "lfs",
                                                       "ufs", "linux", "windows", "efi", "bios"};

}  // namespace

std::optional<PartitionTarget> partition_target(const FixBuilder& fix, std::string_view name,
                                                std::optional<std::uint64_t> start,
                                                std::optional<std::uint64_t> size) {
    const Partition* p = fix.graph().partition(name);
    if (!p || p->parent.empty() || !p->scheme) return std::nullopt;
    const auto index = index_of(*p);
    const auto sector = sector_of(fix, *p);
    if (!index || !sector || *sector == 0) return std::nullopt;
    PartitionTarget out{
        p->parent, *p->scheme, *index, *sector, 0, 0, p->type.value_or(""), p->label.value_or("")};
    if (!start && !size) return out;  // only the entry is asked for
    if (!p->start_bytes || !p->size_bytes) return std::nullopt;
    const auto end = add(*p->start_bytes, *p->size_bytes);
    out.start = start.value_or(*p->start_bytes);
    if (!end || out.start >= *end) return std::nullopt;
    out.size = size ? *size : start ? *end - out.start : *p->size_bytes;
    if (out.size == 0 || out.start % out.sector != 0 || out.size % out.sector != 0) return std::nullopt;
    return out;
}

std::string gpt_alias(std::string_view type) {
    for (const std::string_view name : short_names)
        if (type == name) return std::string(name);
    for (const Alias& alias : aliases)
        if (contains(type, alias.part)) return std::string(alias.name);
    return {};
}

bool safe_type_code(std::string_view type) {
    return !type.empty() && type.size() <= 36 && std::all_of(type.begin(), type.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '-';
    });
}

const Mount* unmount_partition(FixBuilder& fix, std::string_view device) {
    const Mount* mount = fix.graph().mount_of(device);
    if (!mount) {
        if (fix.host().mounts.empty())
            fix.note(fmt::format("nothing may be using {} while its table changes", escaped(device)));
    } else if (mount->point == "/") {
        fix.note("this is the root file system: do it from another system, such as the installation medium");
    } else {
        fix.run(Command("umount").name(mount->point));
    }
    return mount;
}

}  // namespace diskwright
