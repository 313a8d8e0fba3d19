// SPDX-License-Identifier: BSD-2-Clause
#include "probes/ondisk/ffs_groups.hpp"

#include <algorithm>
#include <array>

#include "probes/ondisk/checksums.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t header_bytes = ffs_group_header_bytes;
constexpr std::uint64_t group_magic = 0x00090255;
namespace field {
constexpr std::size_t magic = 4, cgx = 12, ndblk = 20, nbfree = 28, nifree = 32, nffree = 36, ckhash = 132;
}
constexpr std::uint64_t most_groups = 8, most_summary_bytes = 16 * KiB;
constexpr std::size_t summary_entry_bytes = 16;

std::optional<std::uint64_t> header_place(const FfsSuperblock& sb, std::uint64_t group) {
    const auto start = sb.group_start(group);
    return start ? add(*start, sb.raw().u32(ffs_field::cblkno) * sb.fsize()) : std::nullopt;
}

// The hash covers fs_cgsize bytes with its own field zero (freebsd/freebsd-src:sys/ufs/ffs/ffs_alloc.c,
// ffs_getcg).
Result<bool> hash_right(ByteSource& source, const FfsSuperblock& sb, std::uint64_t place) {
    if (!sb.group_size_possible()) return true;  // said of the superblock already
    const auto length = static_cast<std::size_t>(sb.raw().u32(ffs_field::cgsize));
    const auto group = read_structure(source, place, length, sb.raw().order());
    if (!group) return group.error();
    if (!*group) return true;
    constexpr std::array<std::byte, 4> zero{};
    auto crc = crc32c_update(~0U, (*group)->part(0, field::ckhash));
    crc = crc32c_update(crc, zero);
    crc = crc32c_update(crc, (*group)->from_byte(field::ckhash + zero.size()));
    return crc == (*group)->u32(field::ckhash);
}

bool whole(const Structure& header, const FfsSuperblock& sb, std::uint64_t group,
           std::vector<std::string>& damage) {
    const auto wrong = [&](std::size_t offset, std::string_view what) {
        damage.push_back(fmt::format("{}: ffs: cylinder group {}: {}", header.place(offset), group, what));
        return false;
    };
    if (header.u32(field::magic) != group_magic) return wrong(field::magic, "no magic");
    if (header.u32(field::cgx) != group) return wrong(field::cgx, "numbered as another group");
    const auto per_group = sb.fragments_per_group();
    const auto wanted = std::min(per_group, sb.size() - std::min(sb.size(), group * per_group));
    if (header.u32(field::ndblk) != wanted)
        return wrong(field::ndblk, "another size than the superblock gives");
    if (header.u32(field::nifree) > sb.inodes_per_group())
        return wrong(field::nifree, "more free inodes than inodes");
    if (header.u32(field::nbfree) * sb.frag() + header.u32(field::nffree) > wanted)
        return wrong(field::nbfree, "more free fragments than fragments");
    return true;
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string FfsGroupSample::text(std::uint64_t of_groups) const {
    if (groups == 0) return {};
    return fmt::format(
        "{} of {} cylinder groups: {:.1f} % of their space lies in free fragments, {:.1f} % of their inodes "
        "are used",
        groups, of_groups, percent(free_fragments, fragments), percent(inodes_used, inodes));
}

Result<FfsGroupSample> sample_ffs_groups(ByteSource& source, const FfsSuperblock& sb, bool check_hashes,
                                         std::vector<std::string>& damage) {
    FfsGroupSample out;
    const std::uint64_t count = std::min(sb.groups(), most_groups);
    for (std::uint64_t i = 0; i < count; ++i) {
        // Counts of groups are of 32 bits.
        const std::uint64_t group = count == 1 ? 0 : i * (sb.groups() - 1) / (count - 1);
        const auto place = header_place(sb, group);
        if (!place) break;
        const auto header = read_structure(source, *place, header_bytes, sb.raw().order());
        if (!header) return header.error();
        if (!*header) continue;
        if (!whole(**header, sb, group, damage)) continue;
        if (check_hashes && group == 0) {
            const auto right = hash_right(source, sb, *place);
            if (!right) return right.error();
            if (!*right)
                damage.push_back((*header)->place(field::ckhash) +
                                 ": ffs: cylinder group 0: the check hash is wrong");
        }
        ++out.groups;
        out.inodes += sb.inodes_per_group();
        out.inodes_used += sb.inodes_per_group() - (*header)->u32(field::nifree);
        out.fragments += (*header)->u32(field::ndblk);
        out.free_fragments += (*header)->u32(field::nffree);
    }
    return out;
}

Result<bool> check_ffs_summary(ByteSource& source, const FfsSuperblock& sb,
                               std::vector<std::string>& damage) {
    using Total = FfsSuperblock::Total;
    const std::uint64_t bytes = sb.groups() * summary_entry_bytes;
    const auto place = multiply(sb.summary_address(), sb.fsize());
    if (!place || bytes > most_summary_bytes) return true;
    const auto area = read_structure(source, *place, static_cast<std::size_t>(bytes), sb.raw().order());
    if (!area) return area.error();
    if (!*area) return true;
    constexpr std::array<std::pair<Total, std::string_view>, 4> columns{
        {{Total::directories, "directories"},
         {Total::free_blocks, "free blocks"},
         {Total::free_inodes, "free inodes"},
         {Total::free_fragments, "free fragments"}}};
    for (const auto& [which, name] : columns) {
        std::uint64_t sum = 0;
        for (std::size_t at = 4 * static_cast<std::size_t>(which); at < bytes; at += summary_entry_bytes)
            sum += (*area)->u32(at);
        if (sum != sb.total(which))
            damage.push_back(fmt::format("{}: ffs: {} {}, the groups' summary at {} adds up to {}",
                                         sb.raw().place(sb.total_offset(which)), sb.total(which), name,
                                         (*area)->place(0), sum));
    }
    return true;
}

}  // namespace diskwright
