// SPDX-License-Identifier: BSD-2-Clause
// XFS: superblock at 0, big-endian, one sector long, with a copy at the start of each allocation group;
// version 5 carries a CRC-32C of the sector, stored little-endian. Layout: torvalds/linux:
// fs/xfs/libxfs/xfs_format.h (struct xfs_dsb); what must fit: fs/xfs/libxfs/xfs_sb.c
// (xfs_validate_sb_common).
#include <array>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::string_view magic = "XFSB";
constexpr std::size_t superblock_bytes = 264;  // up to and with sb_meta_uuid

namespace field {
constexpr std::size_t blocksize = 4, dblocks = 8, agblocks = 84, agcount = 88, versionnum = 100,
                      sectsize = 102, inodesize = 104, inopblock = 106, fname = 108, blocklog = 120,
                      sectlog = 121, inodelog = 122, inopblog = 123, agblklog = 124, unit = 184, width = 188,
                      crc = 224;
}

bool version5(const Structure& sb) {
    return (sb.u16(field::versionnum) & 0xf) == 5;
}

// As version 5, whatever version is written there. Nothing where the whole sector can't be read.
Result<std::optional<bool>> checksum_right(ByteSource& source, const Structure& sb) {
    const auto bytes = read_structure(source, sb.at(), static_cast<std::size_t>(sb.u16(field::sectsize)));
    if (!bytes) return bytes.error();
    if (!*bytes) return std::optional<bool>();
    constexpr std::array<std::byte, 4> zero{};
    const auto low = static_cast<std::byte>((sb.u8(field::versionnum + 1) & 0xf0) | 5);
    auto crc = crc32c_update(~0U, (*bytes)->bytes().first(field::versionnum + 1));
    crc = crc32c_update(crc, {&low, 1});
    crc = crc32c_update(crc,
                        (*bytes)->bytes().subspan(field::versionnum + 2, field::crc - field::versionnum - 2));
    crc = crc32c_update(crc, zero);
    crc = crc32c_update(crc, (*bytes)->bytes().subspan(field::crc + zero.size()));
    return std::optional<bool>(~crc == (*bytes)->u32(field::crc));
}

struct Problems {
    std::vector<std::string> texts;
    bool fatal = false;
};

Problems problems_of(const Structure& sb) {
    Problems out;
    const auto require = [&](bool right, bool fatal, std::size_t offset, std::string_view what) {
        if (right) return;
        out.texts.push_back(fmt::format("{}: xfs: {}", sb.place(offset), what));
        out.fatal |= fatal;
    };
    const auto logarithm = [&](std::uint64_t size, std::size_t offset, std::string_view name) {
        const auto log = sb.u8(offset);
        require(log < 32 && (std::uint64_t{1} << log) == size, false, offset,
                fmt::format("{} {} is not the logarithm of {}", name, log, size));
    };
    const auto block = sb.u32(field::blocksize), sector = sb.u16(field::sectsize),
               inode = sb.u16(field::inodesize);
    require(power_of_two(block) && block >= 512 && block <= 65536, true, field::blocksize,
            "sb_blocksize is no block size");
    require(power_of_two(sector) && sector >= 512 && sector <= 32768, true, field::sectsize,
            "sb_sectsize is no sector size");
    if (out.fatal) return out;
    logarithm(block, field::blocklog, "sb_blocklog"), logarithm(sector, field::sectlog, "sb_sectlog");
    logarithm(inode, field::inodelog, "sb_inodelog");
    logarithm(sb.u16(field::inopblock), field::inopblog, "sb_inopblog");
    require(sb.u16(field::inopblock) * inode == block, false, field::inopblock,
            "sb_inopblock inodes do not make a block");
    const auto groups = sb.u32(field::agcount), group = sb.u32(field::agblocks),
               blocks = sb.u64(field::dblocks);
    require(groups != 0 && group != 0 && blocks > (groups - 1) * group && blocks <= groups * group, true,
            field::dblocks,
            fmt::format("{} groups of {} blocks do not make {} blocks", groups, group, blocks));
    const auto log = sb.u8(field::agblklog);
    require(log < 32 && (std::uint64_t{1} << log) >= group && (std::uint64_t{1} << log) / 2 < group, false,
            field::agblklog, "sb_agblklog does not fit sb_agblocks");
    const auto unit = sb.u32(field::unit), width = sb.u32(field::width);
    require((unit == 0) == (width == 0) && (unit == 0 || width % unit == 0), false, field::unit,
            fmt::format("sb_width {} is no multiple of sb_unit {}", width, unit));
    return out;
}

// Sizes that xfs_growfs and mkfs write to all copies, 32 bits wide; unit and width a mount may change in the
// first alone.
constexpr std::array<std::pair<std::size_t, std::string_view>, 5> same_in_copies{{
    {field::blocksize, "sb_blocksize"},
    {field::dblocks, "sb_dblocks (high)"},
    {field::dblocks + 4, "sb_dblocks"},
    {field::agblocks, "sb_agblocks"},
    {field::agcount, "sb_agcount"},
}};

Result<bool> compare_with_copy(ByteSource& source, const Structure& sb, Found& found) {
    if (sb.u32(field::agcount) < 2) return true;
    const auto at = sb.u32(field::agblocks) * sb.u32(field::blocksize);
    const auto copy = read_structure(source, at, superblock_bytes, ByteOrder::big);
    if (!copy) return copy.error();
    if (!*copy) return true;
    if (!(*copy)->has(0, magic)) {
        found.damage.push_back((*copy)->place(0) + ": xfs: the second copy of the superblock is not one");
        return true;
    }
    for (const auto& [offset, name] : same_in_copies)
        if (sb.u32(offset) != (*copy)->u32(offset))
            found.damage.push_back(fmt::format("{}: xfs: {} is {}, the copy at {} has {}", sb.place(offset),
                                               name, sb.u32(offset), (*copy)->place(offset),
                                               (*copy)->u32(offset)));
    return true;
}

Filesystem to_facts(const ByteSource& source, const Structure& sb) {
    Filesystem fs;
    fs.device = source.name();
    const auto block = sb.u32(field::blocksize);
    fs.type = sb.known(std::string("xfs"), 0, "magic of");
    fs.bsize = sb.known(block, field::blocksize, "sb_blocksize");
    fs.sector_bytes = sb.known(sb.u16(field::sectsize), field::sectsize, "sb_sectsize");
    const auto scaled = [&](std::uint64_t blocks, std::size_t offset, std::string_view name) {
        const auto bytes = multiply(blocks, block);
        return bytes && *bytes != 0 ? sb.known(*bytes, offset, name) : Number{};
    };
    fs.size_bytes = scaled(sb.u64(field::dblocks), field::dblocks, "size in bytes");
    fs.sunit_bytes = scaled(sb.u32(field::unit), field::unit, "stripe unit in bytes");
    fs.swidth_bytes = scaled(sb.u32(field::width), field::width, "stripe width in bytes");
    if (auto label = sb.text(field::fname, 12); !label.empty())
        fs.label = sb.known(std::move(label), field::fname, "label");
    return fs;
}

// Where the first superblock lost its magic or its block size, a copy is looked for at the place that the
// rest of it gives for the second group.
Result<bool> from_copy(ByteSource& source, const Structure& first, Found& found) {
    for (const std::uint64_t block : {first.u32(field::blocksize), std::uint64_t{4096}}) {
        if (!power_of_two(block) || block > 65536) continue;
        const auto at = first.u32(field::agblocks) * block;
        const auto copy = at == 0 ? Result<std::optional<Structure>>(std::optional<Structure>())
                                  : read_structure(source, at, superblock_bytes, ByteOrder::big);
        if (!copy) return copy.error();
        if (!*copy || !(*copy)->has(0, magic) || problems_of(**copy).fatal ||
            (*copy)->u32(field::agblocks) * (*copy)->u32(field::blocksize) != at)
            continue;
        found.damage.push_back(fmt::format("{}: xfs: the superblock is unusable; read from its copy at {}",
                                           first.place(0), (*copy)->place(0)));
        found.facts.filesystems.push_back(to_facts(source, **copy));
        return true;
    }
    return false;
}

}  // namespace

Result<bool> read_xfs(ByteSource& source, Found& found) {
    const auto first = read_structure(source, 0, superblock_bytes, ByteOrder::big);
    if (!first) return first.error();
    if (!*first) return false;
    const Structure& sb = **first;
    const bool marked = sb.has(0, magic);
    if (!marked && !copies_wanted(found)) return false;
    const auto problems = problems_of(sb);
    if (!marked || problems.fatal) {
        const auto copied = from_copy(source, sb, found);
        if (!copied || *copied || !marked) return copied;
        return Error{ErrorKind::bad_data, problems.texts.front() + ", and no copy was found"};
    }
    for (const auto& text : problems.texts) found.damage.push_back(text);
    const auto right = checksum_right(source, sb);
    if (!right) return right.error();
    // A version that none has is one with a flipped bit, or of the future.
    if (const auto version = sb.u16(field::versionnum) & 0xf; version < 1 || version > 5)
        found.damage.push_back(fmt::format("{}: xfs: version {}", sb.place(field::versionnum), version));
    else if (version5(sb) && *right && !**right)
        found.damage.push_back(sb.place(field::crc) + ": xfs: the superblock's checksum is wrong");
    else if (!version5(sb) && *right && **right && sb.u32(field::crc) != 0)
        found.damage.push_back(sb.place(field::versionnum) +
                               ": xfs: version without a checksum, yet it is there");
    if (const auto copy = compare_with_copy(source, sb, found); !copy) return copy.error();
    vote_for_os(source, found, Os::linux_, sb.from(0, "XFS"));
    found.facts.filesystems.push_back(to_facts(source, sb));
    return true;
}

}  // namespace diskwright
