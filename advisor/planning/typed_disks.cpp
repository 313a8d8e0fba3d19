// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/planning/typed_disks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "advisor/planning/disk_names.hpp"
#include "advisor/planning/typed_set.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t most_disks = 128;  // RF_MAX_DISKS; no class takes more
constexpr std::uint64_t smallest_disk = 64 * MiB, largest_disk = std::uint64_t{1} << 60;
constexpr std::uint64_t slowest = 3600, fastest = 15000;

Error wrong(const TypedDisks& typed, std::string_view why) {
    return {ErrorKind::usage, fmt::format("--disks {}: {}", escaped(typed.disks), why)};
}

// A disk's advertised size is decimal: 3t and 3tb are 3,000,000,000,000 bytes.
std::optional<std::uint64_t> advertised_size(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::string decimal(text);
    if (decimal.back() != 'b' && decimal.back() != 'B') decimal += "B";
    return to_size(decimal, true);
}

struct DiskKind {
    std::optional<std::uint64_t> count, size, logical, physical, rpm;
    std::string transport;
    bool flash = false;
};

// One word behind the size; the reason when it is none.
std::string_view read_word(std::string_view word, DiskKind& kind) {
    static constexpr std::array<std::string_view, 7> known{"512n", "512e", "4kn", "ssd",
                                                           "nvme", "sata", "sas"};
    if (word == "512n") {
        kind.logical = kind.physical = 512;
    } else if (word == "512e") {
        kind.logical = 512, kind.physical = 4096;
    } else if (word == "4kn") {
        kind.logical = kind.physical = 4096;
    } else if (word == "ssd" || word == "nvme") {
        kind.flash = true;
        if (word == "nvme") kind.transport = "nvme";
    } else if (word == "sata" || word == "sas") {
        kind.transport = std::string(word);
    } else if (const auto rpm = to_unsigned(word); rpm && *rpm >= slowest && *rpm <= fastest) {
        kind.rpm = rpm;
    } else {
        const auto near = nearest(word, known);
        return near ? *near : "?";
    }
    return "";
}

Result<DiskKind> read_disks(const TypedDisks& typed) {
    DiskKind kind;
    const auto parts = split(typed.disks, ',');
    const auto count = leading_unsigned(parts[0]);
    if (!count || !count->rest.starts_with('x')) return wrong(typed, "expected COUNTxSIZE, such as 5x3t");
    kind.count = count->value;
    kind.size = advertised_size(count->rest.substr(1));
    if (*kind.count < 1 || *kind.count > most_disks)
        return wrong(typed, fmt::format("from 1 to {} disks", most_disks));
    if (!kind.size) return wrong(typed, "the size is a number and k, m, g or t, such as 3t");
    if (*kind.size < smallest_disk || *kind.size > largest_disk) return wrong(typed, "no disk has that size");
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::string_view near = read_word(parts[i], kind);
        if (near.empty()) continue;
        return wrong(typed, fmt::format("'{}' is no property of a disk; {}", escaped(parts[i]),
                                        near == "?" ? "512n, 512e, 4kn, an RPM, ssd, nvme, sata or sas"
                                                    : fmt::format("did you mean '{}'?", near)));
    }
    if (kind.flash && kind.rpm) return wrong(typed, "flash does not rotate");
    return kind;
}

void put_disks(HostFacts& facts, const TypedDisks& typed, const DiskKind& kind) {
    const Provenance from("--disks", 0, typed.disks, Provenance::Kind::user);
    const std::uint64_t sector = kind.logical.value_or(512);
    for (std::uint64_t i = 0; i < *kind.count; ++i) {
        Disk& d = disk(facts, new_disk_name(facts.os.name ? std::optional(*facts.os.name) : std::nullopt,
                                            kind.transport, i));
        d.size_bytes = Number(*kind.size / sector * sector, from);
        if (kind.logical) d.logical_sector_bytes = Number(*kind.logical, from);
        if (kind.physical) d.physical_sector_bytes = Number(*kind.physical, from);
        if (kind.rpm) d.rpm = Number(*kind.rpm, from);
        if (kind.flash || kind.rpm) d.rotational = Flag(!kind.flash, from);
        if (!kind.transport.empty()) d.transport = Text(kind.transport, from);
    }
}

}  // namespace

Result<HostFacts> typed_server(const Platform& os, const TypedDisks& typed) {
    if (!os.name) return Error{ErrorKind::usage, "--disks needs --os NAME-RELEASE, such as --os netbsd-9.3"};
    const auto kind = read_disks(typed);
    if (!kind) return kind.error();
    HostFacts facts;
    facts.os = os;
    put_disks(facts, typed, *kind);
    if (typed.raid.empty()) {
        if (*kind->count == 1) return facts;
        return Error{ErrorKind::usage,
                     fmt::format("--disks {}: several disks need --raid LEVEL[:UNIT]", escaped(typed.disks))};
    }
    const auto made = put_typed_set(facts, typed.raid);
    if (!made) return made.error();
    return facts;
}

}  // namespace diskwright
