// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/ffs_groups.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/bytes.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

using test::MemorySource;

MemorySource image(const std::string& name, std::optional<Os> os = {}) {
    MemorySource source("sd0e", test::stored_image("ffs/" + name + ".gz"));
    source.belongs_to = os;
    return source;
}

void put32(MemorySource& source, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i)
        source.bytes().at(at + i) = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

struct Reading {
    Result<bool> result;
    Found found;
    const Filesystem* fs() const {
        return found.facts.filesystems.empty() ? nullptr : &found.facts.filesystems.front();
    }
    bool noticed() const { return !result.ok() || !*result || !found.damage.empty(); }
};

Reading read(ByteSource& source) {
    Found found;
    auto result = read_ffs(source, found);
    return {std::move(result), std::move(found)};
}

// One image per version, byte order and system.
const std::vector<std::string> kinds{
    "freebsd-001-default-8m", "freebsd-011-ufs1-1g", "openbsd-002-default-16m",
    "openbsd-016-ffs1-8m",    "netbsd-B-be",         "netbsd-B-be-O1",
    "netbsd-O0-64m",          "netbsd-O1-b64k",      "netbsd-O2-f512",
    "netbsd-wapbl-log-8m"};

TEST(Ffs, ReadsLittleAndFewTimes) {
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind);
        auto source = image(kind);
        EXPECT_TRUE(*read(source).result);
        EXPECT_LE(source.reads, 24U);
        EXPECT_LE(source.bytes_read, 96 * KiB);
    }
}

TEST(Ffs, TruncationAtEveryByteIsClean) {
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind);
        auto source = image(kind);
        const auto whole = read(source);
        ASSERT_TRUE(whole.fs());
        for (std::size_t length = source.bytes().size(); length-- > 0;) {
            source.bytes().resize(length);
            const auto cut = read(source);
            if (!cut.result) {
                ASSERT_EQ(cut.result.error().kind, ErrorKind::bad_data) << length;
                continue;
            }
            // Never other sizes than the whole image has.
            if (!*cut.result) continue;
            ASSERT_EQ(*cut.fs()->bsize, *whole.fs()->bsize) << length;
            ASSERT_EQ(*cut.fs()->size_bytes, *whole.fs()->size_bytes) << length;
        }
    }
}

// FreeBSD's check hash covers fs_sbsize bytes.
TEST(Ffs, EveryFlippedBitUnderACheckHashIsNoticed) {
    auto source = image("freebsd-001-default-8m");
    ASSERT_FALSE(read(source).noticed());
    for (std::size_t at = 65536; at < 65536 + 4096; ++at)
        for (int bit = 0; bit < 8; ++bit) {
            const auto mask = static_cast<std::byte>(1 << bit);
            source.bytes()[at] ^= mask;
            ASSERT_TRUE(read(source).noticed()) << at - 65536 << " bit " << bit;
            source.bytes()[at] ^= mask;
        }
}

// Fields that another field or the copy in group 0 also tells.
TEST(Ffs, FlippedBitsOfFieldsWithAPartnerAreNoticed) {
    namespace f = ffs_field;
    const std::vector<std::size_t> always{f::sblkno, f::cblkno, f::iblkno, f::dblkno,    f::ncg,    f::bsize,
                                          f::fsize,  f::frag,   f::bmask,  f::fmask,     f::bshift, f::fshift,
                                          f::sbsize, f::nindir, f::inopb,  f::fragshift, f::cssize, f::cgsize,
                                          f::ipg,    f::fpg,    f::magic};
    for (const auto& kind : kinds) {
        SCOPED_TRACE(kind);
        auto source = image(kind);
        const auto whole = read(source);
        ASSERT_FALSE(whole.noticed());
        const auto choice = find_ffs_superblock(source, false);
        const FfsSuperblock sb = *choice->superblock;
        auto fields = always;
        if (sb.updated()) fields.insert(fields.end(), {f::size, f::dsize, f::csaddr, f::sblockloc});
        for (const std::size_t field : fields)
            for (std::size_t bit = 0; bit < 32; ++bit) {
                // Of a number of 64 bits the lower half.
                const bool wide =
                    field == f::size || field == f::dsize || field == f::csaddr || field == f::sblockloc;
                const std::size_t high = wide && sb.raw().order() == ByteOrder::big ? 4 : 0;
                const auto at = static_cast<std::size_t>(sb.raw().at()) + field + high + bit / 8;
                const auto mask = static_cast<std::byte>(1U << (bit % 8));
                source.bytes()[at] ^= mask;
                const auto flipped = read(source);
                source.bytes()[at] ^= mask;
                ASSERT_TRUE(flipped.noticed()) << "field " << field << " bit " << bit;
                if (flipped.fs() && (field == f::bsize || field == f::magic)) {
                    ASSERT_EQ(*flipped.fs()->bsize, *whole.fs()->bsize) << "bit " << bit;
                }
            }
    }
}

// Bits that mean different things on different systems.
TEST(Ffs, FlagsMeanWhatTheSystemMeans) {
    const auto with_flags = [](std::uint32_t flags, std::optional<Os> os) {
        // Nothing in this superblock tells its system.
        auto source = image("netbsd-O2-f512", os);
        put32(source, 65536 + ffs_field::flags, flags);
        return *read(source).fs();
    };
    EXPECT_TRUE(with_flags(0x100, Os::freebsd).acls.is(true));  // NFSv4 ACLs
    EXPECT_TRUE(with_flags(0x100, Os::netbsd).acls.is(false));  // WAPBL in use
    EXPECT_TRUE(with_flags(0x800, Os::netbsd).acls.is(true));
    EXPECT_FALSE(with_flags(0x100, Os::openbsd).acls);
    EXPECT_FALSE(with_flags(0x10, {}).acls);
    EXPECT_TRUE(with_flags(0x2, Os::netbsd).softupdates.is(true));
    EXPECT_FALSE(with_flags(0, Os::netbsd).softupdates);
    EXPECT_TRUE(with_flags(0, Os::freebsd).softupdates.is(false));
    EXPECT_FALSE(with_flags(0x2, Os::openbsd).softupdates);
    EXPECT_FALSE(with_flags(0x2, Os::linux_).softupdates);
    EXPECT_TRUE(with_flags(0x400, Os::freebsd).trim.is(true));
    EXPECT_FALSE(with_flags(0x400, Os::netbsd).trim);
    EXPECT_TRUE(with_flags(0x40, Os::freebsd).gjournal.is(true));
    // The journal's flag alone, as tunefs -n disable leaves it, is no journal.
    EXPECT_TRUE(with_flags(0x8, Os::freebsd).su_journal.is(false));
    EXPECT_TRUE(with_flags(0xa, Os::freebsd).su_journal.is(true));
}

// What a file system shows itself counts for more than whose disk it lies on.
TEST(Ffs, TheWriterCountsNotTheTable) {
    auto source = image("freebsd-043-j-100m", Os::netbsd);
    const auto freebsd = read(source);
    EXPECT_TRUE(freebsd.fs()->su_journal.is(true));
    EXPECT_FALSE(freebsd.fs()->wapbl);  // its 0x200 and provider size are neither quotas nor a log
    EXPECT_FALSE(freebsd.found.facts.os.name);

    auto log = image("netbsd-wapbl-log-8m", Os::freebsd);
    EXPECT_TRUE(read(log).fs()->wapbl.is(true));
    EXPECT_TRUE(read(log).fs()->wapbl_log_bytes.is(1024 * 1024));

    // After fsck OpenBSD has a time at 1312, where the others have flags.
    auto openbsd = image("openbsd-002-default-16m");
    put32(openbsd, 65536 + ffs_field::flags, 0x65f0a5ff);
    EXPECT_FALSE(read(openbsd).fs()->softupdates);
    EXPECT_FALSE(read(openbsd).fs()->acls);
}

TEST(Ffs, ACopyStandsInForADamagedSuperblock) {
    // Same fields, magic lost: the copy of group 0 shows what it was.
    for (const auto& kind : {"freebsd-001-default-8m", "openbsd-002-default-16m", "netbsd-B-be-O1"}) {
        SCOPED_TRACE(kind);
        auto source = image(kind);
        const auto whole = read(source);
        const std::size_t place = std::string_view(kind).ends_with("O1") ? 8192 : 65536;
        put32(source, place + ffs_field::magic, 0);
        const auto copied = read(source);
        ASSERT_TRUE(copied.fs());
        EXPECT_EQ(*copied.fs()->size_bytes, *whole.fs()->size_bytes);
        ASSERT_FALSE(copied.found.damage.empty());
        EXPECT_NE(copied.found.damage.front().find("read from its copy at sd0e@"), std::string::npos);

        // The same copies may be left over where something else was recognised.
        Found other;
        other.facts.swap.push_back({.device = "sd0e", .size_bytes = {}, .used_bytes = {}});
        const auto left_over = read_ffs(source, other);
        ASSERT_TRUE(left_over);
        EXPECT_FALSE(*left_over);
        EXPECT_TRUE(other.damage.empty());
    }
}

TEST(Ffs, AnErasedSuperblockNeedsTwoCopies) {
    auto source = image("openbsd-002-default-16m");
    const auto group = std::size_t{2048} * 2048;
    std::vector<std::byte> copy(source.bytes().begin() + 81920, source.bytes().begin() + 81920 + 8192);
    std::fill_n(source.bytes().begin() + 65536, 8192, std::byte{0});
    EXPECT_FALSE(*read(source).result);
    source.bytes().resize(group + 81920 + copy.size());
    std::copy(copy.begin(), copy.end(), source.bytes().begin() + static_cast<std::ptrdiff_t>(group + 81920));
    const auto found = read(source);
    ASSERT_TRUE(found.fs());
    EXPECT_TRUE(found.fs()->bsize.is(16384));
    EXPECT_FALSE(found.found.damage.empty());
}

TEST(Ffs, UnusableWithoutACopyIsAnErrorThatNamesThePlace) {
    auto source = image("openbsd-002-default-16m");
    source.bytes().resize(65536 + 8192);
    put32(source, 65536 + ffs_field::bsize, 3000);
    const auto bad = read(source);
    ASSERT_FALSE(bad.result);
    EXPECT_EQ(bad.result.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(bad.result.error().message,
              "sd0e@0x10030: ffs: fs_bsize 3000 is no block size, and no copy was found");
    put32(source, 65536 + ffs_field::magic, 0x19960408);
    EXPECT_NE(read(source).result.error().message.find("newfs has not finished"), std::string::npos);
}

// The hash of `length` bytes from `at` on, whose own field stands at `field`.
void seal(MemorySource& source, std::size_t at, std::size_t length, std::size_t field) {
    put32(source, at + field, 0);
    const auto bytes = std::span<const std::byte>(source.bytes()).subspan(at, length);
    put32(source, at + field, crc32c_update(~0U, bytes));
}

// Each with right check hashes, so that nothing else keeps the size from being used.
TEST(Ffs, ASizeOfGroupsThatHasNoRoomForTheirHeaderIsNotReadBy) {
    for (const std::uint32_t size : {1U, 100U, 132U, 135U, 168U, 32769U, 0xffffffffU}) {
        SCOPED_TRACE(size);
        auto source = image("freebsd-001-default-8m");
        const auto choice = find_ffs_superblock(source, false);
        const auto copy = static_cast<std::size_t>(*choice->superblock->copy_place(0));
        const auto sbsize = static_cast<std::size_t>(choice->superblock->raw().u32(ffs_field::sbsize));
        put32(source, copy + ffs_field::magic, 0);
        put32(source, 65536 + ffs_field::cgsize, size);
        seal(source, 65536, sbsize, ffs_field::ckhash);
        const auto found = read(source);
        ASSERT_TRUE(found.fs());
        EXPECT_TRUE(found.fs()->bsize.is(32768));
        const std::vector<std::string> wanted{
            fmt::format("sd0e@0x100a0: ffs: fs_cgsize {} is no size of a cylinder group", size),
            fmt::format("sd0e@{:#x}: ffs: the first copy of the superblock is not one",
                        copy + ffs_field::magic)};
        EXPECT_EQ(found.found.damage, wanted);
    }
}

// What the groups that are there tell of the free space stands beside the totals of the superblock.
TEST(Ffs, SampledGroupsAreEvidenceOfFragmentation) {
    auto source = image("freebsd-001-default-8m");
    const std::size_t group = source.bytes().size();  // cblkno 32 of 4096 bytes
    source.bytes().resize(group + ffs_group_header_bytes);
    put32(source, group + 4, 0x00090255);
    put32(source, group + 20, 520);
    put32(source, group + 32, 96);  // of 384
    put32(source, group + 36, 52);
    const auto found = read(source);
    ASSERT_TRUE(found.fs());
    EXPECT_EQ(found.found.damage, std::vector<std::string>{});
    for (const auto& from : {found.fs()->inodes_used.from(), found.fs()->used_percent.from()})
        EXPECT_TRUE(contains(from.text(),
                             "; 1 of 4 cylinder groups: 10.0 % of their space lies in free "
                             "fragments, 75.0 % of their inodes are used"))
            << from.text();
}

// Totals whose sum in fragments passes 64 bits.
TEST(Ffs, MoreFreeSpaceThanSpaceLeavesTheUseUnknown) {
    auto source = image("netbsd-O2-f512");
    ASSERT_TRUE(read(source).fs()->used_bytes);
    // 2^61 free blocks of 8 fragments are 2^64.
    put32(source, 65536 + ffs_field::cstotal + 8 + 4, 0x20000000);
    const auto found = read(source);
    ASSERT_TRUE(found.fs());
    EXPECT_FALSE(found.fs()->used_bytes);
    EXPECT_FALSE(found.fs()->used_percent);
    EXPECT_TRUE(found.noticed());
}

// The copy of an FFSv1 with 64 KiB blocks lies where an FFSv2 has its superblock.
TEST(Ffs, TheCopyAt64KiBIsNoSuperblock) {
    auto source = image("netbsd-O1-b64k");
    const auto choice = find_ffs_superblock(source, true);
    ASSERT_TRUE(choice);
    ASSERT_TRUE(choice->superblock);
    EXPECT_EQ(choice->superblock->raw().at(), 8192U);
    EXPECT_FALSE(choice->superblock->version2());
}

TEST(Ffs, RandomDamageNeverCrashesAndIsBounded) {
    std::mt19937 random(20240501);
    for (const auto& kind : kinds) {
        auto source = image(kind);
        const auto original = source.bytes();
        for (int round = 0; round < 300; ++round) {
            source.reads = 0, source.bytes_read = 0;
            for (int i = 0; i < 12; ++i) {
                const std::size_t base = random() % 2 == 0 ? 65536 : 8192;
                source.bytes().at(base + random() % 1376) = static_cast<std::byte>(random() & 0xff);
            }
            const auto any = read(source);
            EXPECT_LE(source.reads, 64U);
            EXPECT_LE(source.bytes_read, 256 * KiB);
            source.bytes() = original;
        }
    }
}

}  // namespace
}  // namespace diskwright
