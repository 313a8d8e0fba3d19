// SPDX-License-Identifier: BSD-2-Clause
// Superblocks of Linux md: places, fields, both byte orders of format 0.90.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/md_reading.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::damage;
using test::Md0;
using test::Md1;
using test::md_device;
using test::MdOutcome;
using test::MemorySource;
using test::read;
using test::read_md_image;

TEST(Md, Format1Dot2) {
    const auto out = read(Md1{});
    ASSERT_TRUE(out.result && *out.result);
    EXPECT_EQ(damage(out), "");
    const Volume& v = out.set();
    EXPECT_EQ(v.name, "md0");
    EXPECT_EQ(*v.set_name, "nas1:0");
    EXPECT_TRUE(v.kind.is(VolumeKind::md));
    EXPECT_EQ(*v.metadata, "1.2");
    EXPECT_TRUE(v.level.is(RaidLevel::raid5));
    EXPECT_EQ(*v.layout, "left-symmetric");
    EXPECT_EQ(*v.stripe_unit_bytes, 64 * KiB);
    EXPECT_EQ(*v.columns, 3U);
    EXPECT_EQ(*v.size_bytes, 2 * 4096U * 512);
    EXPECT_EQ(*v.uuid, "30313233:34353637:38396162:63646566");
    EXPECT_TRUE(v.parity_clean.is(true));
    EXPECT_TRUE(v.parity_map.is(false));
    EXPECT_EQ(v.stripe_unit_bytes.from().source(), "sda1@0x1058");
    const Member& m = out.member();
    EXPECT_EQ(m.identity, "md:30313233:34353637:38396162:63646566");
    EXPECT_EQ(m.device, "sda1");
    EXPECT_EQ(*m.column, 1U);
    EXPECT_EQ(m.data_offset_bytes, MiB);
    EXPECT_EQ(*m.data_bytes, 4096U * 512);
    EXPECT_EQ(*m.events, 38185U);
    EXPECT_FALSE(m.state);
    EXPECT_TRUE(out.found.facts.os.name.is(Os::linux_));
    EXPECT_LE(out.bytes_read, 20 * KiB);
}

TEST(Md, SlotsOfOtherSystemsAreNotRead) {
    Bytes image(md_device);
    image.copy(4096, Md1{}.bytes());
    MemorySource source("sda1", image.bytes(), md_device);
    for (const auto os : {std::optional<Os>(), std::optional(Os::linux_), std::optional(Os::freebsd)}) {
        source.belongs_to = os;
        source.reads = 0;
        Found found;
        EXPECT_EQ(*read_md(source, found), os != Os::freebsd);
        EXPECT_EQ(source.reads > 0, os != Os::freebsd);
    }
}

TEST(Md, PlacesOfFormat1) {
    Md1 sb;
    sb.super_offset = 0;
    EXPECT_EQ(*read(sb).set().metadata, "1.1");
    sb.super_offset = test::md1_0_place(md_device) / 512, sb.data_offset = 0;
    EXPECT_EQ(*read(sb).set().metadata, "1.0");
    EXPECT_EQ(damage(read(sb)), "");
    // 8 to 12 KiB before the end, on a multiple of 4 KiB.
    for (std::uint64_t more = 0; more < 16; ++more) {
        Bytes image(md_device + more * 512);
        sb.super_offset = test::md1_0_place(image.bytes().size()) / 512;
        const std::uint64_t left = image.bytes().size() - sb.super_offset * 512;
        EXPECT_TRUE(left >= 8 * KiB && left < 12 * KiB && sb.super_offset % 8 == 0);
        image.copy(sb.super_offset * 512, sb.bytes());
        EXPECT_TRUE(*read_md_image(std::move(image.bytes())).result);
    }
    // A copy that says it stands elsewhere belongs to a larger device that ends here.
    Bytes image(md_device);
    sb.super_offset = 99992;
    image.copy(test::md1_0_place(md_device), sb.bytes());
    const auto other = read_md_image(std::move(image.bytes()));
    EXPECT_TRUE(other.result && !*other.result);
}

TEST(Md, Format0InBothByteOrders) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        Md0 sb;
        sb.order = order;
        const auto out = read(sb);
        ASSERT_TRUE(out.result && *out.result);
        EXPECT_EQ(damage(out), "");
        EXPECT_EQ(out.set().name, "md3");
        EXPECT_EQ(*out.set().metadata, "0.90");
        EXPECT_EQ(*out.set().uuid, "11223344:55667788:99aabbcc:ddeeff00");
        EXPECT_TRUE(out.set().level.is(RaidLevel::raid5));
        EXPECT_EQ(*out.set().layout, "left-symmetric");
        EXPECT_EQ(*out.set().stripe_unit_bytes, 65536U);
        EXPECT_EQ(*out.set().columns, 3U);
        EXPECT_EQ(*out.set().size_bytes, 2 * 3072U * KiB);
        EXPECT_TRUE(out.set().parity_clean.is(true));
        EXPECT_TRUE(out.set().parity_map.is(false));
        EXPECT_EQ(*out.member().column, 1U);
        EXPECT_EQ(out.member().data_offset_bytes, 0U);
        EXPECT_EQ(*out.member().data_bytes, 3072U * KiB);
        EXPECT_EQ(*out.member().events, 0x100000007U);
    }
}

TEST(Md, PlaceOfFormat0) {
    for (const std::uint64_t more : {0U, 512U, 4096U, 65535U / 512 * 512})
        EXPECT_TRUE(*read(Md0{}, md_device + more).result) << more;
}

TEST(Md, RolesOfFormat1) {
    struct Row {
        std::uint16_t role;
        std::uint32_t features;
        std::optional<std::uint64_t> column;
        std::optional<ComponentState> state;
        std::string name;
    };
    const std::vector<Row> rows{{2, 0, 2, {}, ""},
                                {2, 2, 2, ComponentState::rebuilding, ""},
                                {0xffff, 0, {}, ComponentState::spare, ""},
                                {0xfffe, 0, {}, ComponentState::failed, ""},
                                {0xfffd, 512, {}, ComponentState::optimal, "journal"},
                                {1, 16, 1, ComponentState::used_spare, "replacement"},
                                {1, 18, {}, ComponentState::rebuilding, "replacement"}};
    for (const Row& row : rows) {
        SCOPED_TRACE(fmt::format("{:#x} {:#x}", row.role, row.features));
        Md1 sb;
        sb.features = row.features;
        sb.roles[1] = row.role;
        const auto out = read(sb);
        ASSERT_TRUE(out.result && *out.result);
        EXPECT_EQ(out.member().column, row.column);
        EXPECT_EQ(out.member().state, row.state);
        EXPECT_EQ(out.member().role, row.name);
        EXPECT_EQ(damage(out), "");
    }
    // A number without a role is a spare's, as for mdadm.
    Md1 sb;
    sb.device = 7;
    EXPECT_EQ(read(sb).member().state, ComponentState::spare);
    sb = {};
    sb.roles = {0, 9, 2};
    EXPECT_FALSE(read(sb).member().column);
    EXPECT_TRUE(contains(damage(read(sb)), "sda1@0x10a0: md superblock: a role outside the set"));
    sb.roles = {0, 1, 1, 1};
    EXPECT_TRUE(contains(damage(read(sb)), "several devices in one role"));
}

TEST(Md, StatesOfFormat0) {
    struct Row {
        std::uint32_t state, slot;
        std::optional<std::uint64_t> column;
        std::optional<ComponentState> component;
    };
    for (const Row& row : {Row{6, 2, 2, {}}, Row{0x206, 2, 2, {}}, Row{2, 2, 2, ComponentState::rebuilding},
                           Row{0, 3, {}, ComponentState::spare}, Row{1, 2, {}, ComponentState::failed},
                           Row{8, 2, {}, ComponentState::failed}}) {
        SCOPED_TRACE(row.state);
        Md0 sb;
        sb.slot = row.slot, sb.slot_state = row.state;
        EXPECT_EQ(read(sb).member().column, row.column);
        EXPECT_EQ(read(sb).member().state, row.component);
    }
}

struct LayoutRow {
    std::int32_t level;
    std::uint32_t layout;
    std::string words;    // empty: none, which is damage at levels that need one
    bool exists = false;  // all the same
};
const std::vector<LayoutRow>& layouts() {
    static const std::vector<LayoutRow> rows{{5, 0, "left-asymmetric"},
                                             {5, 1, "right-asymmetric"},
                                             {5, 2, "left-symmetric"},
                                             {5, 3, "right-symmetric"},
                                             {5, 4, "parity-first"},
                                             {5, 5, "parity-last"},
                                             {5, 9, ""},
                                             {6, 8, "ddf-zero-restart"},
                                             {6, 9, "ddf-N-restart"},
                                             {6, 10, "ddf-N-continue"},
                                             {6, 16, "left-asymmetric-6"},
                                             {6, 20, "parity-first-6"},
                                             {6, 21, ""},
                                             {10, 0x102, "near=2"},
                                             {10, 0x201, "far=2"},
                                             {10, 0x10201, "offset=2"},
                                             {10, 0x202, "near=2, far=2"},
                                             {10, 0x101, ""},
                                             {10, 0x20201, "", true},
                                             {10, 0x50301, "", true},
                                             {10, 0x20102, "near=2"},
                                             {10, 0x60102, ""},
                                             {10, 0x80102, ""},
                                             {10, 0x100, ""}};
    return rows;
}

TEST(Md, Layouts) {
    for (const LayoutRow& row : layouts()) {
        SCOPED_TRACE(fmt::format("level {} layout {:#x}", row.level, row.layout));
        Md1 sb;
        sb.level = row.level, sb.layout = row.layout, sb.disks = 4;
        sb.roles = {0, 1, 2, 3};
        Md0 old;
        old.level = row.level, old.layout = row.layout, old.disks = 4;
        for (const auto& out : {read(sb), read(old)}) {
            ASSERT_TRUE(out.result && *out.result);
            EXPECT_EQ(out.set().layout.value_or(""), row.words);
            EXPECT_EQ(out.set().layout.why_unknown().empty(), !row.words.empty());
            EXPECT_EQ(contains(damage(out), "no layout that exists"), row.words.empty() && !row.exists);
        }
    }
}

TEST(Md, LevelsAndSizes) {
    struct Row {
        std::int32_t level;
        std::optional<RaidLevel> known;
        std::uint64_t components;  // of data; 0: not recorded
        bool chunk;
    };
    for (const Row& row : {Row{-1, RaidLevel::concat, 0, false}, Row{0, RaidLevel::raid0, 0, true},
                           Row{1, RaidLevel::raid1, 1, false}, Row{4, RaidLevel::raid4, 3, true},
                           Row{5, RaidLevel::raid5, 3, true}, Row{6, RaidLevel::raid6, 2, true},
                           Row{10, RaidLevel::raid10, 2, true}, Row{-4, {}, 0, false}}) {
        SCOPED_TRACE(row.level);
        Md1 sb;
        sb.level = row.level, sb.disks = 4, sb.layout = row.level == 10 ? 0x102 : 2;
        sb.roles = {0, 1, 2, 3};
        sb.size = 4096 - 8;
        const auto out = read(sb);
        EXPECT_EQ(out.set().level.known() ? std::optional(*out.set().level) : std::nullopt, row.known);
        EXPECT_EQ(out.set().size_bytes.value_or(0), row.components * (4096 - 8) * 512);
        EXPECT_EQ(out.set().stripe_unit_bytes.known(), row.chunk);
        // What a stripe uses of a device is all it has.
        EXPECT_EQ(*out.member().data_bytes, (row.level > 0 ? 4096U - 8 : 4096U) * 512);
        EXPECT_EQ(damage(out), "");
    }
}

TEST(Md, Raid0LayoutOnlyWithItsFeature) {
    Md1 sb;
    sb.level = 0, sb.layout = 2;
    EXPECT_FALSE(read(sb).set().layout);
    sb.features = 4096;
    EXPECT_EQ(*read(sb).set().layout, "alternate");
    sb.layout = 1;
    EXPECT_EQ(*read(sb).set().layout, "original");
}

TEST(Md, Bitmap) {
    Md1 sb;
    sb.features = 1;
    Bytes image(md_device);
    image.copy(4096, sb.bytes());
    auto out = read_md_image(image.bytes());
    // No header where it should be: none, as mdadm has it.
    EXPECT_TRUE(out.set().parity_map.is(false));
    EXPECT_TRUE(contains(damage(out), "sda1@0x1060: md superblock: no bitmap where one should be"));
    image.copy(8192, test::md_bitmap_header(sb.uuid, sb.events, sb.size));
    out = read_md_image(image.bytes());
    EXPECT_TRUE(out.set().parity_map.is(true));
    EXPECT_EQ(damage(out), "");
    // The offset is signed: before a superblock at the end.
    sb.super_offset = test::md1_0_place(md_device) / 512, sb.bitmap_offset = -16, sb.data_offset = 0;
    Bytes at_end(md_device);
    at_end.copy(sb.super_offset * 512, sb.bytes());
    at_end.copy((sb.super_offset - 16) * 512, test::md_bitmap_header(sb.uuid, sb.events, sb.size));
    out = read_md_image(at_end.bytes());
    EXPECT_TRUE(out.set().parity_map.is(true));
    EXPECT_EQ(damage(out), "");
    // A journal or a partial parity log takes the place of the bitmap; a stripe has none.
    for (const std::uint32_t features : {512U, 1024U, 2048U}) {
        sb = {};
        sb.features = features;
        EXPECT_FALSE(read(sb).set().parity_map);
    }
    sb = {};
    sb.level = 0;
    EXPECT_FALSE(read(sb).set().parity_map);
    Md0 old;
    old.state = 1 | 1 << 8;
    Bytes with_bitmap(md_device);
    with_bitmap.copy(test::md0_place(md_device), old.bytes());
    with_bitmap.copy(test::md0_place(md_device) + 4096, test::md_bitmap_header("x", 1, 1));
    out = read_md_image(with_bitmap.bytes());
    EXPECT_TRUE(out.set().parity_map.is(true));
    EXPECT_EQ(damage(out), "");
}

TEST(Md, Reshape) {
    Md1 sb;
    sb.features = 4, sb.delta = 1, sb.disks = 4, sb.roles = {0, 1, 2, 3};
    sb.reshape_position = 4096, sb.new_layout = 0, sb.new_chunk = 256, sb.new_level = 6;
    const auto out = read(sb);
    EXPECT_EQ(*out.set().reshape_position_bytes, 4096U * 512);
    EXPECT_EQ(*out.set().reshape_change,
              "Delta Devices 1 (3->4); New Level raid6; New Layout left-asymmetric; New Chunksize 128K");
    // A set that shrinks has the slots of before.
    sb.delta = -1, sb.disks = 3;
    sb.device = 3;
    EXPECT_EQ(*read(sb).member().column, 3U);
    EXPECT_EQ(damage(read(sb)), "");
    Md0 old;
    old.minor = 91, old.delta = 1, old.disks = 4, old.reshape_position = 2048, old.new_chunk = 131072;
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        old.order = order;
        EXPECT_EQ(*read(old).set().reshape_position_bytes, 2048U * 512);
        EXPECT_EQ(*read(old).set().reshape_change, "Delta Devices 1 (3->4); New Chunksize 131072");
    }
    EXPECT_FALSE(read(Md0{}).set().reshape_position_bytes);
}

TEST(Md, Names) {
    struct Row {
        std::string recorded, name, set_name;
    };
    for (const Row& row : {Row{"nas1:0", "md0", "nas1:0"}, Row{"7", "md7", "7"},
                           Row{"nas1:backup", "nas1:backup", "nas1:backup"}, Row{"", "", ""},
                           Row{"exactly-thirty-two-characters-xy", "exactly-thirty-two-characters-xy",
                               "exactly-thirty-two-characters-xy"}}) {
        Md1 sb;
        sb.name = row.recorded;
        EXPECT_EQ(read(sb).set().name, row.name);
        EXPECT_EQ(read(sb).set().set_name.value_or(""), row.set_name);
    }
}

}  // namespace
}  // namespace diskwright
