// SPDX-License-Identifier: BSD-2-Clause
// Damaged, hostile and cut metadata of softraid.
#include <gtest/gtest.h>

#include "probes/ondisk/formats.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/softraid_metadata.hpp"

namespace diskwright {
namespace {

using test::SoftraidMetadata;

constexpr std::size_t at = SoftraidMetadata::at;
constexpr std::uint64_t chunk_bytes = 1048576ULL * 512;

struct Reading {
    Found found;
    bool there = false;
    std::string error;
    bool silent() const { return there && found.damage.empty(); }
    std::string all() const {
        std::string out = error;
        for (const auto& d : found.damage) out += d + "\n";
        return out;
    }
};

Reading read_bytes(std::vector<std::byte> bytes) {
    test::MemorySource source("sd1a", std::move(bytes), chunk_bytes);
    Reading out;
    const auto read = read_softraid(source, out.found);
    out.there = read && *read;
    if (!read) out.error = read.error().message;
    EXPECT_TRUE(read || read.error().kind == ErrorKind::bad_data);
    EXPECT_LE(source.reads, 3U);
    EXPECT_LE(source.bytes_read, 66000U);
    return out;
}

SoftraidMetadata sample() {
    SoftraidMetadata m;
    m.optional = {{1, 2480}, {2, 168}};
    m.chunks[2].summed_whole = true;
    return m;
}

bool shows_flip(const std::vector<std::byte>& whole, std::size_t byte, unsigned bit) {
    auto flipped = whole;
    flipped[byte] ^= static_cast<std::byte>(1U << bit);
    const Reading r = read_bytes(std::move(flipped));
    return !r.all().empty();
}

// Every byte that a checksum covers, and the checksums themselves.
TEST(SoftraidDamage, EveryFlipOfWhatIsSummed) {
    const SoftraidMetadata m = sample();
    const std::size_t optional = m.record(3);
    const std::vector<std::pair<std::size_t, std::size_t>> summed{{at, 112},
                                                                  {m.record(0), 16},
                                                                  {m.record(0) + 72, 16},
                                                                  {m.record(1), 16},
                                                                  {m.record(1) + 72, 16},
                                                                  {m.record(2), 88},
                                                                  {optional, 2480 + 168}};
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const auto whole = test::write_softraid(m, order).bytes();
        ASSERT_TRUE(read_bytes(whole).silent()) << read_bytes(whole).all();
        std::size_t missed = 0, flips = 0;
        for (const auto& [from, length] : summed)
            for (std::size_t i = from; i < from + length; ++i)
                // The sums of either order are the same code: one bit of each byte tells that they are used.
                for (unsigned bit = 0; bit < 8; ++bit) {
                    if (order == ByteOrder::big && bit != i % 8) continue;
                    ++flips;
                    missed += shows_flip(whole, i, bit) ? 0 : 1;
                }
        EXPECT_EQ(missed, 0U);
        EXPECT_EQ(flips, (112U + 4 * 16 + 88 + 2648) * (order == ByteOrder::big ? 1 : 8));
    }
    SoftraidMetadata old = sample();
    old.version = 4, old.optional = {{1, 2480}};
    const auto whole = test::write_softraid(old).bytes();
    for (std::size_t i = optional; i < optional + 2480; ++i) EXPECT_TRUE(shows_flip(whole, i, 3)) << i;
}

// Beyond the sums: fields with a partner elsewhere in the metadata.
TEST(SoftraidDamage, FieldsThatContradictEachOther) {
    const SoftraidMetadata m = sample();
    const auto whole = test::write_softraid(m).bytes();
    const auto all_bits = [&](std::size_t from, std::size_t length) {
        for (std::size_t i = from; i < from + length; ++i)
            for (unsigned bit = 0; bit < 8; ++bit) EXPECT_TRUE(shows_flip(whole, i, bit)) << i << "." << bit;
    };
    all_bits(at + 148, 4);                                // data block
    all_bits(m.record(0) + 48, 8);                        // the part used, equal in all chunks
    all_bits(m.record(0) + 56, 16);                       // uuid
    EXPECT_TRUE(shows_flip(whole, at + 144, 1));          // flags
    EXPECT_TRUE(shows_flip(whole, at + 167, 6));          // rebuilt beyond the end
    EXPECT_TRUE(shows_flip(whole, m.record(1) + 88, 3));  // status 8
    EXPECT_TRUE(shows_flip(whole, m.record(1) + 47, 0));  // own size, beyond the device
}

TEST(SoftraidDamage, PlacesAreNamed) {
    SoftraidMetadata m;
    auto image = test::write_softraid(m);
    image.u32(at + 52, 1);
    EXPECT_EQ(read_bytes(image.bytes()).error, "sd1a@0x2000: softraid: the checksum does not match");
    image = test::write_softraid(m);
    image.u8(at, 'M');
    EXPECT_EQ(read_bytes(image.bytes()).error, "sd1a@0x2000: softraid: the magic number is damaged");
    image = test::write_softraid(m);
    image.u32(m.record(1) + 4, 2);
    EXPECT_NE(
        read_bytes(image.bytes()).all().find("sd1a@0x2108: softraid: record of chunk 1: calls itself 2"),
        std::string::npos)
        << read_bytes(image.bytes()).all();
}

// With a checksum that is right, and numbers that are not.
TEST(SoftraidDamage, HostileFields) {
    const auto changed = [](std::size_t field, std::uint32_t value) {
        auto image = test::write_softraid(sample());
        image.u32(at + field, value);
        test::seal_softraid(image);
        return read_bytes(image.bytes());
    };
    for (const auto value : {0U, 355U, 0xffffffffU}) EXPECT_FALSE(changed(32, value).there) << value;
    EXPECT_FALSE(changed(36, 3).there);
    for (const auto value : {0U, 513U, 0x80000000U}) EXPECT_FALSE(changed(44, value).there) << value;
    for (const auto value : {0U, 2U, 7U, 0xffffffffU}) EXPECT_FALSE(changed(8, value).there) << value;
    auto nowhere = test::write_softraid(sample());
    nowhere.u32(at + 148, 0);
    EXPECT_EQ(read_bytes(nowhere.bytes()).error, "sd1a@0x2094: softraid: data at block 0");
    EXPECT_TRUE(changed(40, 0xffffffff).there);
    EXPECT_FALSE(changed(40, 0xffffffff).found.damage.empty());
    // As many chunks as fit, of which most are empty.
    const auto most = changed(32, 354);
    EXPECT_TRUE(most.there);
    EXPECT_FALSE(most.found.damage.empty());
    auto image = test::write_softraid(sample());
    image.u64(at + 56, ~0ULL);
    test::seal_softraid(image);
    EXPECT_FALSE(read_bytes(image.bytes()).found.members.at(0).set.size_bytes);
    for (const auto length : {1U, 23U, 32768U, 0xffffffffU}) {
        auto lengths = test::write_softraid(sample());
        lengths.u32(sample().record(3) + 4, length);
        EXPECT_FALSE(read_bytes(lengths.bytes()).found.damage.empty()) << length;
    }
}

TEST(SoftraidDamage, TruncationAtEveryByte) {
    const SoftraidMetadata m = sample();
    auto bytes = test::write_softraid(m).bytes();
    for (std::size_t size = bytes.size(); size-- > 0;) {
        bytes.resize(size);
        if (size > m.record(3) + 2700 && size % 64 != 0) continue;  // nothing but zeros is lost
        const Reading r = read_bytes(bytes);
        ASSERT_EQ(r.there, size >= at + 168) << size;
        ASSERT_EQ(r.all(), "") << size;
        if (!r.there) continue;
        const Member& member = r.found.members.at(0);
        ASSERT_EQ(member.state.has_value(), size >= m.record(2)) << size;
        ASSERT_EQ(member.set.state.known(), size >= m.record(3)) << size;
    }
}

TEST(SoftraidDamage, OtherBytes) {
    EXPECT_FALSE(read_bytes(std::vector<std::byte>(65536)).there);
    EXPECT_EQ(read_bytes(std::vector<std::byte>(65536, std::byte{0xff})).all(), "");
    // The magic number with a wrong bit over anything else is no metadata.
    std::vector<std::byte> noise(65536, std::byte{3});
    auto image = test::write_softraid({}).bytes();
    std::copy_n(image.begin() + at, 8, noise.begin() + at);
    noise[at] ^= std::byte{1};
    EXPECT_EQ(read_bytes(noise).all(), "");
}

}  // namespace
}  // namespace diskwright
