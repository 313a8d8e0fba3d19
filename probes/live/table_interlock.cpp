// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/table_interlock.hpp"

#include <fmt/format.h>

#include "probes/ondisk/gpt.hpp"
#include "probes/ondisk/mbr.hpp"
#include "probes/ondisk/partition_types.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

Obstacle in_the_way(std::string what) {
    return {"overlap", std::move(what)};
}

// From first to last; numbers that no disk has may be anywhere.
ByteRange sectors(std::uint64_t first, std::uint64_t last, std::uint64_t sector) {
    constexpr ByteRange anywhere{0, UINT64_MAX / 2};
    const auto begin = multiply(first, sector), end = multiply(last, sector);
    if (first > last || !begin || !end || *end > anywhere.length) return anywhere;
    return {*begin, *end + sector - *begin};
}

std::optional<Obstacle> in_gpt(const Gpt& gpt, ByteRange region) {
    for (const GptCopy* copy : {&gpt.primary, &gpt.backup}) {
        if (copy->state != GptCopy::State::valid)
            return in_the_way("cannot be checked: one copy of its GPT is missing or damaged");
        const GptHeader& header = copy->header;
        const ByteRange usable = sectors(header.first_usable, header.last_usable, gpt.sector_bytes);
        if (region.offset < usable.offset || region.offset + region.length > usable.offset + usable.length)
            return in_the_way("it reaches outside what the GPT leaves to partitions");
        for (const GptEntry& entry : copy->entries)
            if (overlap(region, sectors(entry.first, entry.last, gpt.sector_bytes)))
                return in_the_way(fmt::format("entry {} of the GPT lies there", entry.index + 1));
    }
    return std::nullopt;
}

std::optional<Obstacle> in_mbr(const Mbr& mbr, ByteRange region, bool with_gpt) {
    constexpr std::uint8_t protective = 0xee;
    if (!mbr.damage.empty()) return in_the_way("cannot be checked: " + escaped(mbr.damage.front()));
    for (const MbrEntry& entry : mbr.entries) {
        if (is_mbr_container(entry.type))
            return in_the_way(
                "cannot be checked: tables of the extended partition lie between its partitions");
        if (with_gpt && entry.type == protective) continue;
        if (overlap(region, sectors(entry.start, entry.start + entry.sectors - 1, mbr.sector_bytes)))
            return in_the_way(fmt::format("entry {} of the MBR lies there", entry.index + 1));
    }
    return std::nullopt;
}

}  // namespace

std::optional<Obstacle> region_in_table(ByteSource& disk, ByteRange region) {
    const Gpt gpt = read_gpt(disk);
    const auto mbr = read_mbr(disk);
    if (!mbr) return in_the_way("cannot be checked: " + mbr.error().message);
    if (!gpt.present() && !*mbr) return in_the_way("cannot be checked: its partition table cannot be read");
    if (gpt.present())
        if (auto found = in_gpt(gpt, region)) return found;
    return *mbr ? in_mbr(**mbr, region, gpt.present()) : std::nullopt;
}

}  // namespace diskwright
