// SPDX-License-Identifier: BSD-2-Clause
// gjournal, version 0. Layout: freebsd/freebsd-src:sys/geom/journal/g_journal.h; where the data ends:
// g_journal.c (g_journal_create): at the journal when it lies on the same provider, else before the metadata.
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/geom.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "GEOM::JOURNAL";
constexpr std::uint64_t newest_version = 0;
constexpr std::uint64_t data = 1, journal = 2;  // md_type

namespace field {
constexpr std::size_t id = 20, type = 24, jstart = 25, jend = 33, joffset = 41, provider = 61, provsize = 77,
                      hash = 85;
}

std::vector<std::string> contradictions(const geom::Metadata& md, bool journal_here) {
    std::vector<std::string> out;
    const Structure& in = md.in;
    const std::uint64_t start = in.u64(field::jstart), end = in.u64(field::jend);
    if (start >= end || (journal_here && end > md.provider_bytes))
        out.push_back(geom::complaint(md, field::jstart, fmt::format("a journal from {} to {}", start, end)));
    else if (in.u64(field::joffset) < start || in.u64(field::joffset) > end)
        out.push_back(geom::complaint(md, field::joffset, "the journal is consistent at a place outside it"));
    return out;
}

}  // namespace

Result<bool> read_gjournal(ByteSource& source, Found& found) {
    const auto head = geom::metadata(source, magic, newest_version);
    if (!head) return head.error();
    if (!*head) return false;
    const geom::Metadata& md = **head;
    const Structure& in = md.in;
    if (const auto fault = geom::hash_fault(md, field::hash); !fault.empty())
        return geom::unusable(md, field::hash, fault);
    const std::uint64_t type = in.u8(field::type);
    if (type == 0 || type > (data | journal))
        return geom::unusable(md, field::type, fmt::format("a provider of type {}", type));
    const geom::Owner owner{in.u64(field::provsize), in.text(field::provider, 16)};
    if (!geom::owns(source, md, owner, fmt::format("journal {}", in.u32(field::id)), found)) return false;
    for (std::string& text : contradictions(md, (type & journal) != 0))
        found.damage.push_back(std::move(text));
    suggest_os(source, found, Os::freebsd, in.from(0, fmt::format("GEOM::JOURNAL {}", in.u32(field::id))));
    if ((type & data) == 0) return true;
    const std::uint64_t whole = md.provider_bytes - md.sector_bytes;
    const std::uint64_t end = (type & journal) != 0 ? std::min(in.u64(field::jstart), whole) : whole;
    found.slots.push_back({source.name() + ".journal", 0, end, Os::freebsd, source.tables()});
    return true;
}

}  // namespace diskwright
