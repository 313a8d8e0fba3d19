// SPDX-License-Identifier: BSD-2-Clause
// ext2, ext3 and ext4: superblock of 1024 bytes at 1024, little-endian, copies at the start of groups 1 and
// powers of 3, 5 and 7 (sparse_super). Layout: torvalds/linux:fs/ext4/ext4.h (struct ext4_super_block);
// checksum: fs/ext4/super.c (ext4_superblock_csum: CRC-32C from ~0 over what precedes it, not inverted);
// words for the state: tytso/e2fsprogs:lib/e2p/ls.c.
#include <algorithm>
#include <array>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t first_place = 1024;
constexpr std::size_t superblock_bytes = 1024;

namespace field {
constexpr std::size_t inodes_count = 0, blocks_count_lo = 4, free_inodes_count = 16, first_data_block = 20,
                      log_block_size = 24, log_cluster_size = 28, blocks_per_group = 32,
                      clusters_per_group = 36, inodes_per_group = 40, magic = 56, state = 58, creator_os = 72,
                      rev_level = 76, inode_size = 88, block_group_nr = 90, feature_compat = 92,
                      feature_incompat = 96, feature_ro_compat = 100, uuid = 104, volume_name = 120,
                      last_mounted = 136, desc_size = 254, blocks_count_hi = 336, raid_stride = 356,
                      raid_stripe_width = 368, checksum = 1020;
}

constexpr std::uint64_t has_journal = 0x4, dir_index = 0x20;  // compatible
constexpr std::uint64_t extents = 0x40, sixty_four_bit = 0x80, flex_bg = 0x200, inline_data = 0x8000,
                        journal_dev = 0x8;  // incompatible
constexpr std::uint64_t huge_file = 0x8, gdt_csum = 0x10, dir_nlink = 0x20, extra_isize = 0x40,
                        bigalloc = 0x200, metadata_csum = 0x400;  // read-only compatible

bool incompatible(const Structure& sb, std::uint64_t bits) {
    return (sb.u32(field::feature_incompat) & bits) != 0;
}
bool read_only_compatible(const Structure& sb, std::uint64_t bits) {
    return (sb.u32(field::feature_ro_compat) & bits) != 0;
}

std::uint64_t block_bytes(const Structure& sb) {
    return std::uint64_t{1024} << std::min<std::uint64_t>(sb.u32(field::log_block_size), 20);
}

std::uint64_t block_count(const Structure& sb) {
    const auto high = incompatible(sb, sixty_four_bit) ? sb.u32(field::blocks_count_hi) : 0;
    return high << 32 | sb.u32(field::blocks_count_lo);
}

std::uint64_t group_count(const Structure& sb) {
    const auto per_group = sb.u32(field::blocks_per_group);
    const auto blocks = block_count(sb) - std::min(block_count(sb), sb.u32(field::first_data_block));
    return per_group == 0 ? 0 : blocks / per_group + (blocks % per_group != 0);
}

std::string_view type_of(const Structure& sb) {
    if (incompatible(sb, journal_dev)) return "jbd";
    if (incompatible(sb, extents | sixty_four_bit | flex_bg | inline_data) ||
        read_only_compatible(sb, huge_file | gdt_csum | dir_nlink | extra_isize | bigalloc | metadata_csum))
        return "ext4";
    return (sb.u32(field::feature_compat) & has_journal) != 0 ? "ext3" : "ext2";
}

// With the feature set, whether it is or not.
bool checksum_matches(const Structure& sb) {
    const auto features = static_cast<std::byte>(sb.u8(field::feature_ro_compat + 1) | metadata_csum >> 8);
    auto crc = crc32c_update(~0U, sb.bytes().first(field::feature_ro_compat + 1));
    crc = crc32c_update(crc, {&features, 1});
    const std::size_t rest = field::feature_ro_compat + 2;
    return crc32c_update(crc, sb.bytes().subspan(rest, field::checksum - rest)) == sb.u32(field::checksum);
}

// tune2fs leaves an old checksum in place when it takes the feature away: that one is not right. One that is
// right without the feature means that the feature's bit was lost.
bool checksum_right(const Structure& sb) {
    return read_only_compatible(sb, metadata_csum) == checksum_matches(sb);
}

// What contradicts itself in one superblock, its checksum aside; empty when nothing does.
std::vector<std::string> contradictions(const Structure& sb) {
    std::vector<std::string> out;
    const auto check = [&](bool right, std::size_t offset, std::string_view what) {
        if (!right) out.push_back(fmt::format("{}: ext: {}", sb.place(offset), what));
    };
    check(sb.u32(field::log_block_size) <= 6, field::log_block_size, "no block size that exists");
    const bool clusters = read_only_compatible(sb, bigalloc);
    check(clusters || sb.u32(field::log_cluster_size) == sb.u32(field::log_block_size),
          field::log_cluster_size, "cluster and block size differ without bigalloc");
    check(clusters || sb.u32(field::clusters_per_group) == sb.u32(field::blocks_per_group),
          field::clusters_per_group, "clusters and blocks of a group differ without bigalloc");
    check(sb.u32(field::blocks_per_group) != 0 &&
              (clusters || sb.u32(field::blocks_per_group) <= 8 * block_bytes(sb)),
          field::blocks_per_group, "more blocks in a group than its bitmap has bits");
    check(clusters || sb.u32(field::first_data_block) == (block_bytes(sb) == 1024 ? 1 : 0),
          field::first_data_block, "the first data block does not fit the block size");
    check(block_count(sb) > sb.u32(field::first_data_block), field::blocks_count_lo, "no blocks");
    const auto inodes = multiply(group_count(sb), sb.u32(field::inodes_per_group));
    check(inodes && *inodes == sb.u32(field::inodes_count) && *inodes != 0, field::inodes_count,
          "inodes are not the groups times the inodes of a group");
    check(sb.u32(field::free_inodes_count) <= sb.u32(field::inodes_count), field::free_inodes_count,
          "more free inodes than inodes");
    check(sb.u32(field::rev_level) == 0 ||
              (power_of_two(sb.u16(field::inode_size)) && sb.u16(field::inode_size) >= 128 &&
               sb.u16(field::inode_size) <= block_bytes(sb)),
          field::inode_size, "no inode size that exists");
    return out;
}

std::string wrong_checksum(const Structure& sb) {
    return sb.place(field::checksum) + ": ext: the superblock's checksum is wrong";
}

// An external journal has a superblock of the same shape that counts no groups.
bool usable(const Structure& sb) {
    return sb.u16(field::magic) == ext_magic && checksum_right(sb) &&
           (incompatible(sb, journal_dev) || contradictions(sb).empty());
}

struct FieldName {
    std::size_t offset;
    std::string_view name;
};
// Equal in all copies, unless the file system is being resized; all 32 bits wide.
constexpr std::array<FieldName, 10> same_in_copies{{{field::inodes_count, "s_inodes_count"},
                                                    {field::blocks_count_lo, "s_blocks_count"},
                                                    {field::first_data_block, "s_first_data_block"},
                                                    {field::log_block_size, "s_log_block_size"},
                                                    {field::log_cluster_size, "s_log_cluster_size"},
                                                    {field::blocks_per_group, "s_blocks_per_group"},
                                                    {field::inodes_per_group, "s_inodes_per_group"},
                                                    {field::creator_os, "s_creator_os"},
                                                    {field::rev_level, "s_rev_level"},
                                                    {field::uuid, "s_uuid"}}};

struct FeatureWord {
    std::size_t offset;
    std::string_view name;
    std::uint64_t set_in_use;  // by the kernel, in the first superblock alone
};
// tytso/e2fsprogs:e2fsck/super.c, check_backup_super_block; of the compatible ones, ext_attr.
constexpr std::array<FeatureWord, 3> features{{{field::feature_compat, "s_feature_compat", 0x8},
                                               {field::feature_incompat, "s_feature_incompat", 0x44},
                                               {field::feature_ro_compat, "s_feature_ro_compat", 0x10022}}};

// More links of a directory than are counted need an index in it (fs/ext4/namei.c, ext4_inc_count).
std::uint64_t set_in_use(const Structure& sb, const FeatureWord& word) {
    const bool indexed = (sb.u32(field::feature_compat) & dir_index) != 0;
    const bool no_links = word.offset == field::feature_ro_compat && !indexed;
    return no_links ? word.set_in_use & ~dir_nlink : word.set_in_use;
}

bool same_file_system(const Structure& a, const Structure& b) {
    return std::equal(a.bytes().begin() + field::uuid, a.bytes().begin() + field::uuid + 16,
                      b.bytes().begin() + field::uuid);
}

Result<std::optional<Structure>> copy_in_group(ByteSource& source, std::uint64_t group, std::uint64_t block,
                                               std::uint64_t per_group) {
    const auto first = block == 1024 ? 1 : 0;
    const auto blocks = multiply(group, per_group);
    const auto at = blocks ? multiply(*blocks + first, block) : std::nullopt;
    if (!at) return std::optional<Structure>();
    auto copy = read_structure(source, *at, superblock_bytes);
    if (!copy || !*copy || !usable(**copy) || (*copy)->u16(field::block_group_nr) != group)
        return copy ? std::optional<Structure>() : copy;
    return copy;
}

// Without a first superblock the geometry is a guess: a group has as many blocks as its bitmap has bits.
Result<std::optional<Structure>> find_copy(ByteSource& source) {
    for (const std::uint64_t block : {4096, 1024, 2048})
        for (const std::uint64_t group : {1, 3}) {
            auto copy = copy_in_group(source, group, block, 8 * block);
            if (!copy || *copy) return copy;
        }
    return std::optional<Structure>();
}

void compare(const Structure& sb, const Structure& copy, Found& found) {
    for (const FieldName& f : same_in_copies)
        if (sb.u32(f.offset) != copy.u32(f.offset))
            found.damage.push_back(fmt::format("{}: ext: {} is {}, the copy at {} has {}", sb.place(f.offset),
                                               f.name, sb.u32(f.offset), copy.place(f.offset),
                                               copy.u32(f.offset)));
    for (const FeatureWord& f : features)
        if (((sb.u32(f.offset) ^ copy.u32(f.offset)) & ~set_in_use(sb, f)) != 0)
            found.damage.push_back(fmt::format("{}: ext: {} is {:#x}, the copy at {} has {:#x}",
                                               sb.place(f.offset), f.name, sb.u32(f.offset),
                                               copy.place(f.offset), copy.u32(f.offset)));
}

void to_facts(const ByteSource& source, const Structure& sb, Found& found) {
    Filesystem fs;
    fs.device = source.name();
    fs.type = sb.known(std::string(type_of(sb)), field::feature_incompat, "features make it");
    fs.bsize = sb.known(block_bytes(sb), field::log_block_size, "block size");
    if (const auto size = multiply(block_count(sb), block_bytes(sb)))
        fs.size_bytes = sb.known(*size, field::blocks_count_lo, "size in bytes");
    if (!incompatible(sb, journal_dev)) {
        const auto inodes = sb.u32(field::inodes_count);
        fs.inodes = sb.known(inodes, field::inodes_count, "inodes");
        fs.inodes_used =
            sb.known(inodes - sb.u32(field::free_inodes_count), field::free_inodes_count, "used inodes");
        // Clean and without recorded errors.
        fs.clean = sb.known((sb.u16(field::state) & 3) == 1, field::state, "clean");
    }
    const auto scaled = [&](std::uint64_t blocks, std::size_t offset, std::string_view name) {
        const auto bytes = multiply(blocks, block_bytes(sb));
        return bytes && blocks != 0 ? sb.known(*bytes, offset, name) : Number{};
    };
    fs.stride_bytes = scaled(sb.u16(field::raid_stride), field::raid_stride, "stride in bytes");
    fs.stripe_width_bytes =
        scaled(sb.u32(field::raid_stripe_width), field::raid_stripe_width, "stripe width in bytes");
    if (const auto label = sb.text(field::volume_name, 16); !label.empty())
        fs.label = sb.known(label, field::volume_name, "label");
    if (const auto point = sb.text(field::last_mounted, 64); point.starts_with('/'))
        fs.last_mounted_on = sb.known(point, field::last_mounted, "last mounted on");
    if (sb.u32(field::creator_os) == 0)
        vote_for_os(source, found, Os::linux_, sb.from(field::creator_os, "made by Linux"));
    found.facts.filesystems.push_back(std::move(fs));
}

Result<bool> from_copy(ByteSource& source, const std::optional<Structure>& first, Found& found) {
    if (something_recognised(found)) return false;
    const bool marked = first && first->u16(field::magic) == ext_magic;
    if (!marked && !copies_wanted(found)) return false;
    const auto copy = find_copy(source);
    if (!copy) return copy.error();
    if (*copy && (!marked || same_file_system(*first, **copy))) {
        found.damage.push_back(
            fmt::format("{}@{:#x}: ext: the superblock is unusable; read from its copy at {}", source.name(),
                        first_place, (*copy)->place(0)));
        to_facts(source, **copy, found);
        return true;
    }
    if (!marked) return false;
    auto texts = contradictions(*first);
    if (incompatible(*first, journal_dev) || texts.empty()) texts = {wrong_checksum(*first)};
    return Error{ErrorKind::bad_data, texts.front() + ", and no copy was found"};
}

// The kernel counts in its buffer before it seals it anew, so that one read may show a mounted file system's
// superblock with the checksum of before (torvalds/linux:fs/ext4/super.c, __ext4_fill_super).
Result<std::optional<Structure>> first_superblock(ByteSource& source) {
    auto first = read_structure(source, first_place, superblock_bytes);
    if (!first || !*first || (*first)->u16(field::magic) != ext_magic || checksum_right(**first))
        return first;
    const auto again = source.read_anew(first_place, superblock_bytes);
    if (!again) return again.error().kind == ErrorKind::no_input ? first : again.error();
    return std::optional(Structure(source, first_place, *again));
}

bool same_sizes(const Structure& sb, const Structure& copy) {
    return std::all_of(same_in_copies.begin(), same_in_copies.end(),
                       [&](const FieldName& f) { return sb.u32(f.offset) == copy.u32(f.offset); });
}

Result<bool> from_first(ByteSource& source, const Structure& sb, Found& found) {
    const bool sealed = checksum_right(sb);
    std::optional<Structure> copy;
    if (!incompatible(sb, journal_dev)) {
        const auto read = copy_in_group(source, 1, block_bytes(sb), sb.u32(field::blocks_per_group));
        if (!read) return read.error();
        copy = *read;
    }
    // What a copy with a right checksum has otherwise is what was damaged.
    if (!sealed && copy && same_file_system(sb, *copy) && !same_sizes(sb, *copy))
        return from_copy(source, sb, found);
    if (!sealed) found.damage.push_back(wrong_checksum(sb));
    if (incompatible(sb, journal_dev) && sb.u32(field::inodes_count) != 0)
        found.damage.push_back(sb.place(field::feature_incompat) +
                               ": ext: the journal of another device, with inodes of its own");
    to_facts(source, sb, found);
    if (copy) compare(sb, *copy, found);
    return true;
}

}  // namespace

Result<bool> read_ext(ByteSource& source, Found& found) {
    const auto first = first_superblock(source);
    if (!first) return first.error();
    // With a wrong checksum alone the sizes may be right, and a copy older than the rest.
    const bool only_checksum = *first && (*first)->u16(field::magic) == ext_magic &&
                               !incompatible(**first, journal_dev) && contradictions(**first).empty();
    if (!*first || (!usable(**first) && !only_checksum)) return from_copy(source, *first, found);
    return from_first(source, **first, found);
}

}  // namespace diskwright
