// SPDX-License-Identifier: BSD-2-Clause
// Metadata of softraid written by the test: every discipline and version, what the records say of the volume,
// and what bioctl prints of the same.
#include <gtest/gtest.h>

#include "probes/ondisk/formats.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/same_facts.hpp"
#include "tests/support/softraid_metadata.hpp"

namespace diskwright {
namespace {

using test::SoftraidMetadata;

Found read_found(const SoftraidMetadata& m, ByteOrder order = ByteOrder::little) {
    test::MemorySource source("sd1a", test::write_softraid(m, order).bytes(), 1048576ULL * 512);
    Found found;
    const auto read = read_softraid(source, found);
    EXPECT_TRUE(read && *read) << (read ? "not there" : read.error().message);
    EXPECT_LE(source.reads, 2U);
    EXPECT_LE(source.bytes_read, 33000U);
    return found;
}

Member read_member(const SoftraidMetadata& m, ByteOrder order = ByteOrder::little) {
    const Found found = read_found(m, order);
    EXPECT_EQ(found.damage, std::vector<std::string>{});
    return found.members.at(0);
}

TEST(Softraid, BothByteOrders) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const Found found = read_found({}, order);
        EXPECT_TRUE(found.facts.os.name.is(Os::openbsd));
        const Member& m = found.members.at(0);
        EXPECT_EQ(m.identity, "softraid a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
        EXPECT_EQ(m.device, "sd1a");
        EXPECT_EQ(m.column, 1U);
        EXPECT_EQ(m.state, ComponentState::optimal);
        EXPECT_EQ(m.events, 12U);
        EXPECT_EQ(m.data_offset_bytes, 270336U);  // 4 KiB-aligned, not 8 KiB-aligned
        EXPECT_EQ(m.data_bytes, 1048048U * 512);
        EXPECT_EQ(m.set.name, "sd2");
        EXPECT_TRUE(m.set.level.is(RaidLevel::raid5));
        EXPECT_TRUE(m.set.stripe_unit_bytes.is(65536));
        EXPECT_TRUE(m.set.columns.is(3));
        EXPECT_TRUE(m.set.size_bytes.is(2095872ULL * 512));
        EXPECT_TRUE(m.set.logical_sector_bytes.is(512));
        EXPECT_TRUE(m.set.state.is(VolumeState::optimal));
        EXPECT_EQ(m.set.size_bytes.from().source(), "sd1a@0x2038");
        EXPECT_EQ(m.from.text().find("big-endian") != std::string::npos, order == ByteOrder::big);
        EXPECT_NE(m.from.text().find("dirty"), std::string::npos);
    }
}

TEST(Softraid, Disciplines) {
    struct Row {
        std::uint32_t level;
        std::optional<RaidLevel> raid;
        bool striped, encrypted;
    };
    for (const Row& row : {Row{0, RaidLevel::raid0, true, false}, Row{1, RaidLevel::raid1, false, false},
                           Row{4, RaidLevel::raid4, true, false}, Row{5, RaidLevel::raid5, true, false},
                           Row{6, RaidLevel::raid6, true, false}, Row{0x63, RaidLevel::concat, false, false},
                           Row{0x43, std::nullopt, false, true}, Row{0x1c, RaidLevel::raid1, false, true}}) {
        SCOPED_TRACE(row.level);
        SoftraidMetadata m;
        m.level = row.level;
        if (!row.striped) m.strip_size = 0;
        const Member member = read_member(m);
        EXPECT_EQ(member.set.level.known(), row.raid.has_value());
        EXPECT_TRUE(!row.raid || member.set.level.is(*row.raid));
        EXPECT_EQ(member.set.stripe_unit_bytes.known(), row.striped);
        EXPECT_EQ(member.set.crypto_format.is("softraid"), row.encrypted);
    }
    SoftraidMetadata concat;
    concat.level = 'c';
    concat.chunks[1].size = 1048040, concat.chunks[1].coerced_size = 1000000;
    concat.chunks[0].coerced_size = concat.chunks[2].coerced_size = 1000000;
    EXPECT_EQ(read_member(concat).data_bytes, 1048040U * 512);
    SoftraidMetadata unknown;
    unknown.level = 7;
    const Found found = read_found(unknown);
    EXPECT_FALSE(found.members.at(0).set.level);
    EXPECT_EQ(found.damage.size(), 1U);
}

TEST(Softraid, Versions) {
    for (const std::uint32_t version : {3U, 4U, 5U, 6U}) {
        SCOPED_TRACE(version);
        SoftraidMetadata m;
        m.version = version, m.secsize = 4096;
        if (version < 5) m.data_blkno = 0;
        m.optional = {{1, 2480}};
        const Member member = read_member(m);
        EXPECT_EQ(member.data_offset_bytes, version == 3 ? 80U * 512 : 528U * 512);
        EXPECT_TRUE(member.set.logical_sector_bytes.is(version == 6 ? 4096 : 512));
    }
    // A volume of version 3 keeps its place when a later kernel has written version 6.
    SoftraidMetadata kept;
    kept.data_blkno = 80;
    EXPECT_EQ(read_member(kept).data_offset_bytes, 80U * 512);
}

TEST(Softraid, StateOfTheVolume) {
    struct Row {
        std::uint32_t level;
        std::vector<std::uint32_t> chunks;
        VolumeState state;
    };
    using V = VolumeState;
    for (const Row& row :
         {Row{0, {0, 0, 0}, V::optimal}, Row{0, {0, 1, 0}, V::failed}, Row{1, {0, 1, 1}, V::degraded},
          Row{1, {1, 1, 1}, V::failed}, Row{1, {0, 3, 0}, V::rebuilding}, Row{1, {0, 6, 0}, V::optimal},
          Row{5, {1, 0, 0}, V::degraded}, Row{5, {0, 3, 0}, V::rebuilding}, Row{5, {1, 3, 0}, V::failed},
          Row{6, {1, 1, 0, 0}, V::degraded}, Row{6, {1, 1, 2, 0}, V::failed}, Row{0x63, {0, 1}, V::failed},
          Row{0x43, {0, 0}, V::optimal}, Row{0x1c, {0, 1}, V::degraded}}) {
        SoftraidMetadata m;
        m.level = row.level;
        m.chunks.clear();
        for (const auto status : row.chunks) m.chunks.push_back({"sd0a", 1048048, 1048048, status, false});
        const Member member = read_member(m);
        EXPECT_TRUE(member.set.state.is(row.state))
            << row.level << ": " << (member.set.state ? to_string(*member.set.state) : "unknown");
    }
    SoftraidMetadata rebuilding;
    rebuilding.chunks[1].status = 3, rebuilding.chunks[1].summed_whole = true;
    rebuilding.rebuild = rebuilding.size / 4;
    const Member member = read_member(rebuilding);
    EXPECT_EQ(member.state, ComponentState::rebuilding);
    EXPECT_TRUE(member.set.activity.is(Activity::rebuild));
    EXPECT_TRUE(member.set.activity_percent.is(25.0));
}

// A chunk that was missing when the volume came up leaves an empty record behind.
TEST(Softraid, EmptyRecordOfAMissingChunk) {
    SoftraidMetadata m;
    auto image = test::write_softraid(m);
    for (std::size_t i = 0; i < 92; ++i) image.u8(m.record(2) + i, 0);
    image.u32(m.record(2) + 88, 1);
    test::MemorySource source("sd1a", image.bytes());
    Found found;
    ASSERT_TRUE(*read_softraid(source, found));
    EXPECT_EQ(found.damage, std::vector<std::string>{});
    EXPECT_TRUE(found.members.at(0).set.state.is(VolumeState::degraded));
}

TEST(Softraid, HotSparesAndKeyDisks) {
    SoftraidMetadata m;
    m.chunks = {{"sd1a"}};
    m.chunk_id = 0, m.level = m.volid = 0xffffffff;
    m.data_blkno = 0;  // neither writer sets it; the one of key disks leaves the sector, too
    m.chunks[0].status = 4, m.chunks[0].summed_whole = true;
    const Member spare = read_member(m);
    EXPECT_FALSE(spare.column);
    EXPECT_TRUE(spare.stands_by);
    EXPECT_EQ(spare.state, ComponentState::spare);
    EXPECT_FALSE(spare.set.columns);
    m.level = m.volid = 0xfffffffe, m.secsize = 0;
    m.optional = {{3, 56}};
    const Found key = read_found(m);
    EXPECT_TRUE(key.members.empty());
    EXPECT_TRUE(key.damage.empty());
}

TEST(Softraid, BootRecord) {
    SoftraidMetadata m;
    m.optional = {{1, 2480}, {2, 168}};
    EXPECT_TRUE(read_member(m).set.boot_wanted.is(true));
    m.optional = {{1, 2480}};
    EXPECT_FALSE(read_member(m).set.boot_wanted);
}

TEST(Softraid, SameFactsAsBioctl) {
    const auto printed =
        test::facts_of_output({"bioctl", "softraid0"},
                              "Volume      Status               Size Device\n"
                              "softraid0 0 Degraded       1073086464 sd2     RAID5\n"
                              "          0 Online          536600576 0:0.0   noencl <sd0a>\n"
                              "          1 Online          536600576 0:1.0   noencl <sd1a>\n"
                              "          2 Offline         536600576 0:2.0   noencl <sd3a>\n");
    SoftraidMetadata m;
    m.chunks[2].status = 1;
    const Member member = read_member(m);
    Volume text = printed.volumes.at(0);
    const Component& own = text.components.at(1);
    EXPECT_TRUE(own.slot.is(member.column.value_or(99)));
    EXPECT_TRUE(own.size_bytes.is(member.data_bytes.value_or(0)));
    EXPECT_TRUE(own.state.is(member.state.value_or(ComponentState::missing)));
    text.components.clear(), text.components_complete.reset(), text.spares.reset();
    EXPECT_EQ(test::missing_values(text, member.set), std::vector<std::string>{});
}

}  // namespace
}  // namespace diskwright
