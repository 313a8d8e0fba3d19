// SPDX-License-Identifier: BSD-2-Clause
// Labels of RAIDframe written by the test: byte orders, versions, layouts, sizes of 64 bits, and what damage
// to a label without a checksum shows.
#include <gtest/gtest.h>

#include <map>

#include "probes/ondisk/formats.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/raidframe_label.hpp"
#include "tests/support/same_facts.hpp"

namespace diskwright {
namespace {

using test::RaidframeLabel;

constexpr std::size_t label_at = 16384, label_size = 392;

struct Reading {
    Found found;
    bool there = false;
    std::string error;
    const Member& member() const { return found.members.at(0); }
    std::string damage() const {
        std::string out;
        for (const auto& d : found.damage) out += d + "\n";
        return out;
    }
};

Reading read_bytes(std::vector<std::byte> bytes, std::optional<std::uint64_t> device = {}) {
    test::MemorySource source("sd1e", std::move(bytes), device);
    Reading out;
    const auto read = read_raidframe_label(source, out.found);
    out.there = read && *read;
    if (!read) {
        out.error = read.error().message;
        EXPECT_EQ(read.error().kind, ErrorKind::bad_data);
    }
    EXPECT_LE(source.reads, 2U);
    EXPECT_LE(source.bytes_read, 1024U);
    EXPECT_EQ(out.there, out.found.members.size() == 1);
    return out;
}

Reading read_label(const RaidframeLabel& label, ByteOrder order = ByteOrder::little,
                   std::optional<std::uint64_t> device = {}) {
    return read_bytes(test::write_label(label, order).bytes(), device);
}

// In all that sets compare.
bool like(const Member& a, const Member& b) {
    return a.identity == b.identity && a.column == b.column && a.state == b.state && a.events == b.events &&
           a.data_bytes == b.data_bytes && a.data_offset_bytes == b.data_offset_bytes &&
           test::missing_values(a.set, b.set).empty() && test::missing_values(b.set, a.set).empty();
}

TEST(RaidframeLabel, BothByteOrders) {
    const auto little = read_label({}), big = read_label({}, ByteOrder::big);
    for (const Reading* r : {&little, &big}) {
        ASSERT_TRUE(r->there);
        EXPECT_EQ(r->damage(), "");
        const Member& m = r->member();
        EXPECT_EQ(m.identity, "raidframe 20261130 1x3 raid0");
        EXPECT_EQ(m.column, 1U);
        EXPECT_EQ(m.state, ComponentState::optimal);
        EXPECT_EQ(m.events, 45U);
        EXPECT_EQ(m.data_offset_bytes, 32768U);
        EXPECT_EQ(m.data_bytes, 131008U * 512);
        EXPECT_EQ(m.set.name, "raid0");
        EXPECT_TRUE(m.set.level.is(RaidLevel::raid5));
        EXPECT_TRUE(m.set.stripe_unit_bytes.is(16384));
        EXPECT_TRUE(m.set.columns.is(3));
        EXPECT_TRUE(m.set.autoconfigure.is(true));
        EXPECT_TRUE(m.set.root.is("No"));
        EXPECT_TRUE(m.set.parity_clean.is(true));
        EXPECT_TRUE(m.set.parity_map.is(true));
        EXPECT_FALSE(m.set.layout);
    }
    EXPECT_EQ(little.member().from.text().find("endian"), std::string::npos);
    EXPECT_NE(big.member().from.text().find("big-endian"), std::string::npos);
}

TEST(RaidframeLabel, LettersOfLayouts) {
    const std::map<char, std::optional<RaidLevel>> letters{{'0', RaidLevel::raid0},
                                                           {'1', RaidLevel::raid1},
                                                           {'4', RaidLevel::raid4},
                                                           {'5', RaidLevel::raid5},
                                                           {'T', {}},
                                                           {'D', {}},
                                                           {'Q', {}},
                                                           {'R', {}},
                                                           {'C', {}},
                                                           {'I', {}},
                                                           {'E', {}},
                                                           {'e', {}},
                                                           {'L', {}}};
    for (const auto& [letter, level] : letters) {
        SCOPED_TRACE(letter);
        RaidframeLabel label;
        label.parity_config = static_cast<std::uint32_t>(letter);
        const auto r = read_label(label);
        ASSERT_TRUE(r.there);
        EXPECT_EQ(r.damage(), "");
        const Volume& set = r.member().set;
        EXPECT_EQ(set.level.known(), level.has_value());
        EXPECT_TRUE(!level || set.level.is(*level));
        // No stock kernel has those, so nothing must be put together by the layout of another level.
        EXPECT_EQ(set.layout.known(), !level);
        EXPECT_EQ(set.level.why_unknown().empty(), level.has_value());
    }
    RaidframeLabel rotated;
    rotated.parity_config = 'R';
    EXPECT_TRUE(read_label(rotated).member().set.layout.is("RAID 5 with rotated sparing"));
}

TEST(RaidframeLabel, StatesAndFlags) {
    using S = ComponentState;
    const std::vector<S> states{S::optimal, S::failed, S::rebuilding, S::failed,
                                S::failed,  S::spare,  S::used_spare, S::rebuilding};
    for (std::uint32_t i = 0; i < states.size(); ++i) {
        RaidframeLabel label;
        label.status = i;
        const auto r = read_label(label);
        ASSERT_TRUE(r.there) << i;
        EXPECT_EQ(r.member().state, states[i]) << i;
        EXPECT_EQ(r.member().column.has_value(), states[i] != S::spare) << i;
    }
    RaidframeLabel label;
    label.root_partition = 1, label.autoconfigure = 0, label.last_unit = 3;
    EXPECT_TRUE(read_label(label).member().set.root.is("Force"));
    EXPECT_TRUE(read_label(label).member().set.autoconfigure.is(false));
    EXPECT_EQ(read_label(label).member().set.name, "raid3");
    label.root_partition = 2;
    EXPECT_TRUE(read_label(label).member().set.root.is("Soft"));
}

// "Clean: No" is what every label of a set in use says: no proof of dirty parity.
TEST(RaidframeLabel, CleanAndTheParityMap) {
    RaidframeLabel label;
    label.clean = 0;
    auto image = test::write_label(label);
    image.u8(label_at + 1024, 0x05).u8(label_at + 1024 + 511, 0x80);
    const auto dirty = read_bytes(image.bytes());
    EXPECT_FALSE(dirty.member().set.parity_clean);
    EXPECT_NE(dirty.member().set.parity_clean.why_unknown().find("3 regions"), std::string::npos)
        << dirty.member().set.parity_clean.why_unknown();
    // In the sector behind the label's, when that is larger.
    label.block_size = 4096, label.sect_per_su = 8, label.num_blocks = 16320, label.partition_size = 16384;
    auto large = test::write_label(label).bytes();
    large.resize(label_at + 4096 + 512);
    large[label_at + 4096] = std::byte{0xff};
    EXPECT_NE(read_bytes(large).member().set.parity_clean.why_unknown().find("8 regions"), std::string::npos);

    label = {};
    const std::map<std::uint32_t, std::optional<bool>> maps{
        {0, {}}, {1, false}, {3, true}, {5, false}, {7, true}};
    for (const auto& [flags, used] : maps) {
        label.map_flags = flags;
        const auto r = read_label(label);
        EXPECT_EQ(r.member().set.parity_map.known(), used.has_value()) << flags;
        EXPECT_TRUE(!used || r.member().set.parity_map.is(*used)) << flags;
        EXPECT_EQ(r.damage(), "") << flags;
    }
    // Before NetBSD 6 nobody counted for the map; on a RAID 0 there is neither map nor parity.
    label.map_flags = label.map_modcount = 0;
    EXPECT_EQ(read_label(label).damage(), "");
    label.parity_config = '0';
    EXPECT_FALSE(read_label(label).member().set.parity_clean);
    EXPECT_FALSE(read_label(label).member().set.parity_map);
}

TEST(RaidframeLabel, Sizes) {
    RaidframeLabel label;
    label.num_blocks = 0x2000000c0ULL, label.partition_size = 0x200000200ULL;
    const auto large = read_label(label, ByteOrder::big, 0x200000200ULL * 512);
    ASSERT_TRUE(large.there);
    EXPECT_EQ(large.damage(), "");
    EXPECT_EQ(large.member().data_bytes, 0x2000000c0ULL * 512);
    // What a kernel without high halves left there, on a device that needs none.
    label = {};
    label.num_blocks |= 0xdeadULL << 32, label.partition_size |= 0xbeefULL << 32;
    const auto garbage = read_label(label, ByteOrder::little, 131072 * 512);
    ASSERT_TRUE(garbage.there);
    EXPECT_EQ(garbage.member().data_bytes, 131008U * 512);
    EXPECT_NE(garbage.damage().find("sd1e@0x40d8"), std::string::npos) << garbage.damage();
    // The size of the device is not known: the two halves contradict each other.
    label.partition_size = 131072;
    EXPECT_EQ(read_label(label).member().data_bytes, 131008U * 512);
    EXPECT_NE(read_label(label).damage(), "");
    // A label seen through a partition that is not its own.
    EXPECT_EQ(read_label({}, ByteOrder::little, 131072 * 512).damage(), "");
    EXPECT_NE(read_label({}, ByteOrder::little, 131071 * 512).damage().find("sd1e@0x4040"),
              std::string::npos);
}

TEST(RaidframeLabel, VersionOne) {
    RaidframeLabel label;
    label.version = 1;
    EXPECT_TRUE(read_label(label).member().set.level.is(RaidLevel::raid5));
    // All that the first version had.
    auto image = test::write_label(label, ByteOrder::big);
    for (std::size_t at = 36; at < label_size; ++at) image.u8(label_at + at, 0);
    const auto first = read_bytes(image.bytes());
    ASSERT_TRUE(first.there);
    EXPECT_EQ(first.member().identity, "raidframe 20261130 1x3 ");
    EXPECT_EQ(first.member().column, 1U);
    EXPECT_EQ(first.member().data_offset_bytes, 32768U);
    EXPECT_FALSE(first.member().set.level);
    EXPECT_FALSE(first.member().data_bytes);
    // Old kernels had several rows; none of today maps them.
    label = {};
    label.num_rows = 2, label.row = 1;
    const auto rows = read_label(label);
    EXPECT_EQ(rows.member().column, 4U);
    EXPECT_TRUE(rows.member().set.columns.is(6));
    EXPECT_FALSE(rows.member().set.level);
}

TEST(RaidframeLabel, OtherBytesAreNoLabel) {
    EXPECT_FALSE(read_bytes(std::vector<std::byte>(65536)).there);
    std::vector<std::byte> ones(65536, std::byte{1}), words(65536);
    for (std::size_t i = 0; i < words.size(); i += 4) words[i] = std::byte{2};
    for (const auto& bytes : {ones, words}) {
        const auto r = read_bytes(bytes);
        EXPECT_FALSE(r.there);
        EXPECT_EQ(r.error, "");
    }
    // raidctl -C without -I: a label that was never initialised.
    RaidframeLabel empty{};
    empty.version = empty.num_rows = empty.num_columns = empty.column = empty.block_size = 0;
    empty.sect_per_su = empty.parity_config = 0, empty.num_blocks = 0;
    EXPECT_FALSE(read_label(empty).there);
    EXPECT_EQ(read_label(empty).error, "");
}

TEST(RaidframeLabel, FieldsThatNothingCanBeReadWithout) {
    const auto expect = [](const RaidframeLabel& label, const std::string& place) {
        const auto r = read_label(label);
        EXPECT_FALSE(r.there);
        EXPECT_NE(r.error.find("sd1e@" + place), std::string::npos) << r.error;
    };
    RaidframeLabel l;
    l.version = 3, expect(l, "0x4000"), l = {};
    l.column = 3, expect(l, "0x4010"), l = {};
    l.num_columns = 41, expect(l, "0x4018"), l = {};
    l.sect_per_su = 0, expect(l, "0x4024"), l = {};
    l.sect_per_su = 0xffffffff, expect(l, "0x4024"), l = {};
    l.block_size = 513, expect(l, "0x4038"), l = {};
    l.num_blocks = 0, expect(l, "0x403c"), l = {};
}

TEST(RaidframeLabel, TruncationAtEveryByte) {
    auto bytes = test::write_label({}).bytes();
    for (std::size_t size = bytes.size(); size-- > 0;) {
        bytes.resize(size);
        const auto r = read_bytes(bytes);
        EXPECT_EQ(r.there, size >= label_at + label_size) << size;
        EXPECT_EQ(r.error, "") << size;
    }
}

// What a flip of one bit changes silently, field by field: those bits alone that have no partner in the same
// label. Other members' labels are their partner, so what they change must show in what sets compare.
TEST(RaidframeLabel, FlippedBits) {
    const std::map<std::size_t, std::string> fields{
        {0, "version"},     {4, "serial"},        {8, "mod_counter"},  {12, "row"},
        {16, "column"},     {20, "num_rows"},     {24, "num_columns"}, {28, "clean"},
        {32, "status"},     {36, "sectPerSU"},    {40, "SUsPerPU"},    {44, "SUsPerRU"},
        {48, "level"},      {52, "queue"},        {56, "blocksize"},   {60, "numBlocks"},
        {64, "partition"},  {68, "map_modcount"}, {72, "map_flags"},   {76, "map_tickms"},
        {80, "map_ntick"},  {84, "map_regions"},  {200, "autoconfig"}, {204, "root"},
        {208, "last_unit"}, {216, "numBlocksHi"}, {220, "partitionHi"}};
    // Bits that nothing reports, and of those the ones that change no fact either.
    const std::map<std::string, int> silent{
        {"serial", 32},    {"column", 1},     {"num_rows", 3},    {"num_columns", 5}, {"clean", 1},
        {"status", 3},     {"SUsPerPU", 30},  {"SUsPerRU", 30},   {"level", 2},       {"queue", 8},
        {"numBlocks", 11}, {"map_flags", 3},  {"map_tickms", 31}, {"map_ntick", 6},   {"map_regions", 12},
        {"root", 2},       {"autoconfig", 1}, {"last_unit", 12}};
    const std::map<std::string, int> without_effect{{"SUsPerPU", 30},   {"SUsPerRU", 30}, {"queue", 8},
                                                    {"map_tickms", 31}, {"map_ntick", 6}, {"map_regions", 12},
                                                    {"map_flags", 1}};
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const auto bytes = test::write_label({}, order).bytes();
        const Member whole = read_bytes(bytes, 131072 * 512).member();
        std::map<std::string, int> found, same;
        for (std::size_t bit = 0; bit < label_size * 8; ++bit) {
            const std::size_t at = label_at + bit / 8;
            auto flipped = bytes;
            flipped[at] ^= static_cast<std::byte>(1U << bit % 8);
            const auto r = read_bytes(std::move(flipped), 131072 * 512);
            const auto field = fields.find(bit / 8 / 4 * 4);
            if (field == fields.end()) {
                EXPECT_TRUE(r.there && r.found.damage.empty()) << bit / 8;  // reserved
                continue;
            }
            EXPECT_TRUE(r.there || !r.error.empty()) << field->second << ": taken for no label";
            if (!r.there || !r.found.damage.empty()) continue;
            ++found[field->second];
            same[field->second] += like(r.member(), whole) ? 1 : 0;
        }
        std::erase_if(same, [](const auto& f) { return f.second == 0; });
        EXPECT_EQ(found, silent);
        EXPECT_EQ(same, without_effect);
    }
}

}  // namespace
}  // namespace diskwright
