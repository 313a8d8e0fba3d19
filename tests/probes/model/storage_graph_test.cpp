// SPDX-License-Identifier: BSD-2-Clause
// Names, starts through nested tables, reserved areas, address mapping against measured RAIDframe sets and
// the tables of the md drivers, and facts that lie on each other.
#include "probes/model/storage_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

HostFacts facts_of(std::string_view json) {
    auto facts = facts_from_text(json, "test");
    if (!facts) {
        ADD_FAILURE() << facts.error().message;
        return {};
    }
    return std::move(*facts);
}

Volume make_volume(VolumeKind kind, RaidLevel level, std::uint64_t columns, std::uint64_t unit,
                   std::string layout = {}) {
    Volume v;
    v.name = "set";
    v.kind = Known<VolumeKind>(kind, {});
    v.level = Known<RaidLevel>(level, {});
    v.columns = Number(columns, {});
    v.stripe_unit_bytes = Number(unit, {});
    if (!layout.empty()) v.layout = Text(std::move(layout), {});
    return v;
}

TEST(WholeDeviceName, EveryNamingScheme) {
    struct Row {
        std::string_view name, whole, disk;
    };
    for (const Row& row : std::initializer_list<Row>{
             {"wd0e", "wd0", "wd0"},
             {"/dev/rwd0e", "wd0", "wd0"},
             {"sd12a", "sd12", "sd12"},
             {"raid0a", "raid0", "raid0"},
             {"cgd0a", "cgd0", "cgd0"},
             {"ld0a", "ld0", "ld0"},
             {"xbd1b", "xbd1", "xbd1"},
             {"ada0p2", "ada0", "ada0"},
             {"ada0s1", "ada0", "ada0"},
             {"ada0s1a", "ada0s1", "ada0"},
             {"da10p3", "da10", "da10"},
             {"da0a", "da0", "da0"},
             {"ad4s1d", "ad4s1", "ad4"},
             {"nvd0p1", "nvd0", "nvd0"},
             {"nda0p1", "nda0", "nda0"},
             {"vtbd0p2", "vtbd0", "vtbd0"},
             {"pst0s2d", "pst0s2", "pst0"},
             {"aacd0s1e", "aacd0s1", "aacd0"},
             {"mirror/gm0s1", "mirror/gm0", "mirror/gm0"},
             {"mirror/gm0s1e", "mirror/gm0s1", "mirror/gm0"},
             {"gm0s1e", "gm0s1", "gm0"},
             {"stripe/datap2", "stripe/data", "stripe/data"},
             {"sda1", "sda", "sda"},
             {"sdaa10", "sdaa", "sdaa"},
             {"vda1", "vda", "vda"},
             {"xvda2", "xvda", "xvda"},
             {"hda3", "hda", "hda"},
             {"nvme0n1p3", "nvme0n1", "nvme0n1"},
             {"mmcblk0p1", "mmcblk0", "mmcblk0"},
             {"md0p1", "md0", "md0"},
             {"md127p2", "md127", "md127"},
             {"loop0p1", "loop0", "loop0"},
             {"sd4:0", "sd4", "sd4"},
             {"wd0#1", "wd0", "wd0"},
             {"wd0", "", "wd0"},
             {"ada0", "", "ada0"},
             {"sda", "", "sda"},
             {"sdaa", "", "sdaa"},
             {"nvme0n1", "", "nvme0n1"},
             {"md0", "", "md0"},
             {"raid0", "", "raid0"},
             {"mirror/gm0", "", "mirror/gm0"},
             {"stripe/data", "", "stripe/data"},
             {"dk0", "", "dk0"},
             {"tank/home", "", "tank/home"},
             {"devfs", "", "devfs"},
             {"", "", ""},
             {"a", "", "a"},
             {"0", "", "0"},
         }) {
        EXPECT_EQ(whole_device_name(row.name), row.whole) << row.name;
        EXPECT_EQ(disk_name(row.name), row.disk) << row.name;
    }
}

TEST(SameDevice, SpellingsOfOneDeviceAndOfTwo) {
    EXPECT_TRUE(same_device("/dev/wd0e", "wd0e"));
    EXPECT_TRUE(same_device("/dev/rraid0a", "raid0a"));
    EXPECT_TRUE(same_device("gm0", "mirror/gm0"));
    EXPECT_TRUE(same_device("/dev/mirror/gm0s1a", "gm0s1a"));
    EXPECT_FALSE(same_device("mirror/x", "stripe/x"));
    EXPECT_FALSE(same_device("wd0e", "wd0f"));
    EXPECT_FALSE(same_device("raid0", "aid0"));
}

// The look-ups of the graph answer as same_device() does.
TEST(StorageGraph, FindsUnderEverySpelling) {
    const auto facts = facts_of(R"({
        "partitions": [{"name": "mirror/gm0s1a", "parent": "mirror/gm0s1"}, {"name": "stripe/x"}],
        "volumes": [{"name": "mirror/gm0", "components": [{"name": "ada0"}, {"name": "ada1s1"}]}],
        "filesystems": [{"device": "raid0a"}],
        "mounts": [{"point": "/", "device": "/dev/raid0a", "type": "ffs"}],
        "fstab": [{"device": "/dev/raid0b", "point": "none", "type": "swap"}],
        "swap": [{"device": "raid0b"}]})");
    const StorageGraph graph(facts);
    EXPECT_EQ(graph.partition("gm0s1a"), &facts.partitions[0]);
    EXPECT_EQ(graph.partition("/dev/mirror/gm0s1a"), &facts.partitions[0]);
    EXPECT_EQ(graph.partition("mirror/x"), nullptr);
    EXPECT_EQ(graph.volume("gm0"), &facts.volumes[0]);
    EXPECT_EQ(graph.volume("stripe/gm0"), nullptr);
    EXPECT_EQ(graph.volume_with_component("/dev/ada1s1"), &facts.volumes[0]);
    EXPECT_EQ(graph.volume_with_component("ada1"), nullptr);
    EXPECT_EQ(graph.filesystem("/dev/rraid0a"), &facts.filesystems[0]);
    EXPECT_EQ(graph.mount_of("raid0a"), &facts.mounts[0]);
    EXPECT_EQ(graph.fstab_of("raid0b"), &facts.fstab[0]);
    EXPECT_EQ(graph.swap_on("/dev/raid0b"), &facts.swap[0]);
    EXPECT_EQ(graph.disk("ada0"), nullptr);
}

TEST(StorageGraph, StartsAddUpThroughSliceAndLabel) {
    const auto facts = facts_of(R"({
        "disks": [{"name": "ada0"}],
        "partitions": [
            {"name": "ada0s1", "parent": "ada0", "scheme": "mbr", "start_bytes": 32256},
            {"name": "ada0s1a", "parent": "ada0s1", "scheme": "disklabel", "start_bytes": 8192},
            {"name": "ada0s1d", "parent": "ada0s1", "scheme": "disklabel"},
            {"name": "wd0e", "parent": "wd0", "scheme": "disklabel", "start_bytes": 1048576}]})");
    const StorageGraph graph(facts);
    EXPECT_EQ(graph.start_on_base("ada0s1a").base, "ada0");
    EXPECT_EQ(graph.start_on_disk("ada0s1a").value_or(0), 32256u + 8192u);
    EXPECT_EQ(graph.start_on_disk("ada0s1").value_or(0), 32256u);
    EXPECT_TRUE(graph.start_on_disk("ada0").is(0));
    EXPECT_FALSE(graph.start_on_disk("ada0s1d").known());
    EXPECT_FALSE(graph.start_on_disk("ada0s1d").why_unknown().empty());
    // Labels of NetBSD and OpenBSD are absolute: their parent is the disk.
    EXPECT_EQ(graph.start_on_disk("wd0e").value_or(0), 1048576u);
    // Not listed: the name tells the disk, nothing tells the start.
    EXPECT_EQ(graph.start_on_base("ada1p3").base, "ada1");
    EXPECT_FALSE(graph.start_on_disk("ada1p3").known());
}

TEST(StorageGraph, StartsOnVolumesAreNoStartsOnDisks) {
    const auto facts = facts_of(R"({
        "volumes": [{"name": "mirror/gm0", "kind": "gmirror", "level": "1", "components": [{"name": "ada0"}, {"name": "ada1"}]},
                    {"name": "raid1", "kind": "raidframe", "level": "0", "components": [{"name": "raid0e"}]},
                    {"name": "raid0", "kind": "raidframe", "level": "1", "components": [{"name": "wd0e"}, {"name": "wd1e"}]}],
        "partitions": [
            {"name": "mirror/gm0s1", "parent": "mirror/gm0", "scheme": "mbr", "start_bytes": 32256},
            {"name": "mirror/gm0s1a", "parent": "mirror/gm0s1", "scheme": "disklabel", "start_bytes": 0}]})");
    const StorageGraph graph(facts);
    EXPECT_FALSE(graph.start_on_disk("mirror/gm0s1a").known());
    const auto on = graph.on_volume("gm0s1a");
    EXPECT_EQ(on.volume, &facts.volumes[0]);
    EXPECT_EQ(on.offset_bytes.value_or(0), 32256u);
    EXPECT_EQ(graph.on_volume("mirror/gm0").volume, &facts.volumes[0]);
    EXPECT_TRUE(graph.on_volume("mirror/gm0").offset_bytes.is(0));
    EXPECT_EQ(graph.on_volume("ada0").volume, nullptr);
    using Names = std::vector<std::string>;
    EXPECT_EQ(graph.disks_under("gm0s1a"), (Names{"ada0", "ada1"}));
    EXPECT_EQ(graph.disks_under("raid1a"), (Names{"wd0", "wd1"}));
    EXPECT_EQ(graph.disks_under("ada0p1"), Names{"ada0"});
}

TEST(StorageGraph, HostileFactsEnd) {
    const auto facts = facts_of(R"({
        "partitions": [
            {"name": "a1", "parent": "b1", "start_bytes": 1}, {"name": "b1", "parent": "a1", "start_bytes": 1},
            {"name": "c1", "parent": "c1", "start_bytes": 7},
            {"name": "ada0s1", "parent": "ada0", "start_bytes": 18446744073709551615},
            {"name": "ada0s1a", "parent": "ada0s1", "start_bytes": 512}],
        "volumes": [{"name": "v", "kind": "gmirror", "level": "1", "components": [{"name": "w"}, {"name": "v"}]},
                    {"name": "w", "kind": "gmirror", "level": "1", "components": [{"name": "v"}, {"name": "ada9"}]}]})");
    const StorageGraph graph(facts);
    EXPECT_FALSE(graph.start_on_disk("a1").known());
    EXPECT_TRUE(graph.start_on_disk("c1").is(7));
    EXPECT_FALSE(graph.start_on_disk("ada0s1a").known());
    EXPECT_EQ(graph.disks_under("v"), std::vector<std::string>{"ada9"});
    EXPECT_FALSE(graph.medium("v").physical_sector_bytes.known());
    EXPECT_FALSE(graph.medium("v").known_512n);
}

TEST(StorageGraph, MediumOfSeveralDisks) {
    const auto facts = facts_of(R"({
        "disks": [{"name": "wd0", "physical_sector_bytes": 512, "rotational": true},
                  {"name": "wd1", "physical_sector_bytes": 4096, "rotational": true},
                  {"name": "wd2", "model": "ST3200820AS"},
                  {"name": "wd3", "model": "WDC WD20EARS-00S8B1", "physical_sector_bytes": 512},
                  {"name": "wd4", "logical_sector_bytes": 512},
                  {"name": "wd5", "logical_sector_bytes": 4096}],
        "volumes": [{"name": "raid0", "kind": "raidframe", "level": "1", "components": [{"name": "wd0e"}, {"name": "wd1e"}]},
                    {"name": "raid1", "kind": "raidframe", "level": "1", "components": [{"name": "wd0f"}, {"name": "wd4f"}]},
                    {"name": "raid2", "kind": "raidframe", "level": "1", "components": [{"name": "wd0g"}, {"name": "wd2g"}]}]})");
    const StorageGraph graph(facts);
    EXPECT_TRUE(graph.medium("raid0a").physical_sector_bytes.is(4096));
    EXPECT_TRUE(graph.medium("raid0a").rotational.is(true));
    EXPECT_FALSE(graph.medium("raid1a").physical_sector_bytes.known());
    EXPECT_FALSE(graph.medium("raid1a").rotational.known());
    EXPECT_TRUE(graph.medium("raid2a").known_512n);
    EXPECT_FALSE(graph.medium("raid0a").known_512n);
    EXPECT_TRUE(graph.medium("wd2a").physical_sector_bytes.is(512));   // by model
    EXPECT_TRUE(graph.medium("wd3a").physical_sector_bytes.is(4096));  // by model, against the drive's word
    EXPECT_FALSE(graph.medium("wd4a").physical_sector_bytes.known());  // a logical sector of 512 says nothing
    EXPECT_TRUE(graph.medium("wd5a").physical_sector_bytes.is(4096));
}

TEST(ReservedBytes, ByDriver) {
    Component c;
    c.name = "wd0e";
    const auto reserved = [&](VolumeKind kind) {
        return reserved_bytes(make_volume(kind, RaidLevel::raid1, 2, 65536), c);
    };
    EXPECT_TRUE(reserved(VolumeKind::raidframe).is(64 * 512));
    EXPECT_TRUE(reserved(VolumeKind::softraid).is(528 * 512));
    EXPECT_TRUE(reserved(VolumeKind::gmirror).is(0));
    EXPECT_FALSE(reserved(VolumeKind::md).known());
    EXPECT_FALSE(reserved(VolumeKind::crypto).known());
    EXPECT_FALSE(reserved(VolumeKind::ccd).known()) << "8 KiB on FreeBSD alone";
    c.logical_sector_bytes = Number(4096, {});
    EXPECT_TRUE(reserved(VolumeKind::raidframe).is(64 * 4096));
    c.data_offset_bytes = Number(2050 * 512, {});
    EXPECT_TRUE(reserved(VolumeKind::md).is(2050 * 512));
}

// Written through real sets of NetBSD 7.99.34, one stamped sector per unit. Component sectors include the 64
// reserved ones.
TEST(MapByte, AgreesWithMeasuredRaidframeSets) {
    const Json rows = Json::parse(test::read_file(test::tests_folder() / "data/model/raidframe-mapping.json"),
                                  nullptr, false);
    ASSERT_TRUE(rows.is_array());
    std::size_t units = 0;
    for (const auto& row : rows) {
        const auto level = from_string<RaidLevel>(row["level"].get<std::string>());
        ASSERT_TRUE(level);
        const auto columns = row["columns"].get<std::uint64_t>(),
                   unit = row["unit_sectors"].get<std::uint64_t>() * 512;
        Volume v = make_volume(VolumeKind::raidframe, *level, columns, unit);
        for (const auto& entry : row["units"]) {
            const auto byte = entry[0].get<std::uint64_t>() * 512;
            const auto first = map_byte(v, byte);
            ASSERT_TRUE(first);
            const std::uint64_t sector = first->byte / 512 + 64;
            bool measured = false;
            for (const auto& copy : entry[1])
                measured = measured || (copy[0].get<std::uint64_t>() == first->column &&
                                        copy[1].get<std::uint64_t>() == sector);
            EXPECT_TRUE(measured) << "level " << row["level"] << ", " << columns << " columns, sector "
                                  << byte / 512 << " -> " << first->column << ":" << sector;
            const auto inside = map_byte(v, byte + unit - 1);
            ASSERT_TRUE(inside);
            EXPECT_EQ(inside->column, first->column);
            EXPECT_EQ(inside->byte, first->byte + unit - 1);
            ++units;
        }
    }
    EXPECT_GT(units, 900u);
}

// The unit that lies in each column of the first rows, "P" and "Q" and copies left out: drivers/md/raid5.c
// and raid10.c.
TEST(MapByte, LayoutsOfMd) {
    struct Row {
        RaidLevel level;
        std::uint64_t columns;
        std::string_view layout;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // of units 0, 1, ...: column, row
    };
    for (const Row& row : std::initializer_list<Row>{
             {RaidLevel::raid5,
              4,
              "left-asymmetric",
              {{0, 0},
               {1, 0},
               {2, 0},
               {0, 1},
               {1, 1},
               {3, 1},
               {0, 2},
               {2, 2},
               {3, 2},
               {1, 3},
               {2, 3},
               {3, 3}}},
             {RaidLevel::raid5,
              4,
              "right-asymmetric",
              {{1, 0},
               {2, 0},
               {3, 0},
               {0, 1},
               {2, 1},
               {3, 1},
               {0, 2},
               {1, 2},
               {3, 2},
               {0, 3},
               {1, 3},
               {2, 3}}},
             {RaidLevel::raid5,
              4,
              "left-symmetric",
              {{0, 0},
               {1, 0},
               {2, 0},
               {3, 1},
               {0, 1},
               {1, 1},
               {2, 2},
               {3, 2},
               {0, 2},
               {1, 3},
               {2, 3},
               {3, 3}}},
             {RaidLevel::raid5,
              4,
              "right-symmetric",
              {{1, 0},
               {2, 0},
               {3, 0},
               {2, 1},
               {3, 1},
               {0, 1},
               {3, 2},
               {0, 2},
               {1, 2},
               {0, 3},
               {1, 3},
               {2, 3}}},
             {RaidLevel::raid5, 4, "parity-first", {{1, 0}, {2, 0}, {3, 0}, {1, 1}}},
             {RaidLevel::raid5, 4, "parity-last", {{0, 0}, {1, 0}, {2, 0}, {0, 1}}},
             {RaidLevel::raid6,
              5,
              "left-symmetric",
              {{1, 0},
               {2, 0},
               {3, 0},
               {0, 1},
               {1, 1},
               {2, 1},
               {4, 2},
               {0, 2},
               {1, 2},
               {3, 3},
               {4, 3},
               {0, 3},
               {2, 4},
               {3, 4},
               {4, 4}}},
             {RaidLevel::raid6,
              5,
              "left-asymmetric",
              {{1, 0},
               {2, 0},
               {3, 0},
               {0, 1},
               {1, 1},
               {2, 1},
               {0, 2},
               {1, 2},
               {4, 2},
               {0, 3},
               {3, 3},
               {4, 3},
               {2, 4},
               {3, 4},
               {4, 4}}},
             {RaidLevel::raid6,
              5,
              "right-asymmetric",
              {{2, 0},
               {3, 0},
               {4, 0},
               {0, 1},
               {3, 1},
               {4, 1},
               {0, 2},
               {1, 2},
               {4, 2},
               {0, 3},
               {1, 3},
               {2, 3},
               {1, 4},
               {2, 4},
               {3, 4}}},
             {RaidLevel::raid6, 5, "right-symmetric", {{2, 0}, {3, 0}, {4, 0}, {3, 1}, {4, 1}, {0, 1}}},
             {RaidLevel::raid6, 5, "parity-first", {{2, 0}, {3, 0}, {4, 0}}},
             {RaidLevel::raid6, 5, "left-symmetric-6", {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {0, 1}, {1, 1}}},
             {RaidLevel::raid10, 4, "near=2", {{0, 0}, {2, 0}, {0, 1}, {2, 1}}},
             {RaidLevel::raid10, 3, "near=2", {{0, 0}, {2, 0}, {1, 1}, {0, 2}, {2, 2}, {1, 3}}},
             {RaidLevel::raid10, 4, "far=2", {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}}},
             {RaidLevel::raid10, 4, "offset=2", {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 2}, {1, 2}}},
             {RaidLevel::raid4, 4, "", {{0, 0}, {1, 0}, {2, 0}, {0, 1}}},
             {RaidLevel::raid0, 3, "", {{0, 0}, {1, 0}, {2, 0}, {0, 1}}},
         }) {
        const Volume v = make_volume(VolumeKind::md, row.level, row.columns, 4096, std::string(row.layout));
        for (std::uint64_t u = 0; u < row.places.size(); ++u) {
            const auto at = map_byte(v, u * 4096 + 17);
            ASSERT_TRUE(at) << row.layout;
            EXPECT_EQ(at->column, row.places[u].first) << row.layout << ", unit " << u;
            EXPECT_EQ(at->byte, row.places[u].second * 4096 + 17) << row.layout << ", unit " << u;
        }
    }
}

TEST(MapByte, RefusesWhatItDoesNotKnow) {
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid5, 4, 0), 0));
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid5, 0, 4096), 0));
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid5, 1, 4096), 0));
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid6, 2, 4096), 0));
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid5, 4, 4096, "ddf-N-continue"), 0));
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid6, 4, 4096, "spiral-6"), 0));
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid10, 4, 4096, "near=0"), 0));
    EXPECT_FALSE(
        map_byte(make_volume(VolumeKind::md, RaidLevel::raid10, 4, 4096, "near=99999999999999999999"), 0));
    EXPECT_FALSE(
        map_byte(make_volume(VolumeKind::md, RaidLevel::raid10, 4, 1, "near=64"), ~std::uint64_t{0}));
    EXPECT_FALSE(map_byte(make_volume(VolumeKind::graid3, RaidLevel::raid3, 3, 4096), 0));
    Volume level_unknown = make_volume(VolumeKind::md, RaidLevel::raid0, 4, 4096);
    level_unknown.level.reset();
    EXPECT_FALSE(map_byte(level_unknown, 0));
    // The very last byte there can be.
    EXPECT_TRUE(map_byte(make_volume(VolumeKind::md, RaidLevel::raid0, 2, 1), ~std::uint64_t{0}));
}

TEST(Volumes, CopiesAndStripes) {
    Volume mirror = make_volume(VolumeKind::gmirror, RaidLevel::raid1, 3, 0);
    EXPECT_EQ(copies(mirror), 3u);
    EXPECT_FALSE(is_striped(mirror));
    Volume four = make_volume(VolumeKind::raidframe, RaidLevel::raid1, 4, 65536);
    four.data_disks = Number(2, {});
    EXPECT_EQ(copies(four), 2u);
    EXPECT_TRUE(is_striped(four));
    EXPECT_TRUE(full_stripe_bytes(four).is(131072));
    Volume five = make_volume(VolumeKind::raidframe, RaidLevel::raid5, 5, 16384);
    EXPECT_FALSE(full_stripe_bytes(five).known());
    five.data_disks = Number(4, {});
    EXPECT_TRUE(full_stripe_bytes(five).is(65536));
    EXPECT_TRUE(is_parity(five));
    five.stripe_unit_bytes = Number(~std::uint64_t{0}, {});
    EXPECT_FALSE(full_stripe_bytes(five).known());
}

}  // namespace
}  // namespace diskwright
