// SPDX-License-Identifier: BSD-2-Clause
// From disks to facts: slots, members, sets, what lies inside them. The metadata here is a made-up label, so
// that no real format's reader is tested a second time.
#include "probes/ondisk/discover.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "probes/model/storage_graph.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/support/byte_reader.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::MemorySource;

// "SETLABEL", set number, level, columns, column, counter at 16384; data 64 sectors in.
Result<bool> read_label(ByteSource& source, Found& found) {
    const auto bytes = source.read(16384, 64);
    if (!bytes) return false;
    const ByteReader in(*bytes);
    if (in.text(0, 8) != "SETLABEL") return false;
    Member m;
    m.identity = "set " + std::to_string(*in.u8(8));
    m.device = source.name();
    m.from = at_byte(source, 16384, "label");
    m.set.name = "raid" + std::to_string(*in.u8(8));
    m.set.kind = Known<VolumeKind>(VolumeKind::raidframe, m.from);
    m.set.level = Known<RaidLevel>(static_cast<RaidLevel>(*in.u8(9)), m.from);
    m.set.columns = Number(*in.u8(10), m.from);
    m.set.stripe_unit_bytes = Number(4096, m.from);
    if (*in.u8(11) != 0xff) m.column = *in.u8(11);
    m.events = *in.u8(12);
    m.data_offset_bytes = 32768;
    if (*in.u32(16) != 0) m.data_bytes = *in.u32(16);
    found.members.push_back(m);
    return true;
}

// "FILESYS" at 0: 4096 bytes as its size.
Result<bool> read_contents(ByteSource& source, Found& found) {
    const auto bytes = source.read(8192, 16);
    if (!bytes || ByteReader(*bytes).text(0, 7) != "FILESYS") return false;
    Filesystem& fs = filesystem(found.facts, source.name());
    fs.type = Text("ffs2", at_byte(source, 8192, "FILESYS"));
    fs.size_bytes = Number(*ByteReader(*bytes).u64(8), at_byte(source, 8192, "size"));
    return true;
}

constexpr std::string_view netbsd_ffs = "49f48d5a-b10e-11dc-b99b-0019d1879648";

constexpr std::array formats{OnDiskFormat{"gpt", read_gpt_table, OnDiskFormat::Kind::table},
                             OnDiskFormat{"mbr", read_mbr_table, OnDiskFormat::Kind::table},
                             OnDiskFormat{"disklabel", read_disklabel, OnDiskFormat::Kind::table},
                             OnDiskFormat{"gpt backup", read_gpt_backup, OnDiskFormat::Kind::table_copy},
                             OnDiskFormat{"label", read_label, OnDiskFormat::Kind::set},
                             OnDiskFormat{"contents", read_contents}};

constexpr std::size_t disk_sectors = 512, part_at = 64;

void write_set_label(Bytes& image, std::size_t base, std::uint8_t set, RaidLevel level, std::uint8_t columns,
                     std::uint8_t column, std::uint8_t events = 5) {
    image.text(base + 16384, "SETLABEL").u8(base + 16384 + 8, set);
    image.u8(base + 16384 + 9, static_cast<std::uint8_t>(level)).u8(base + 16384 + 10, columns);
    image.u8(base + 16384 + 11, column).u8(base + 16384 + 12, events);
}

struct Host {
    std::vector<std::unique_ptr<MemorySource>> disks;
    void add(const std::string& name, Bytes image, bool head = false) {
        const auto size = image.bytes().size();
        disks.push_back(std::make_unique<MemorySource>(
            name, std::move(image.bytes()), head ? std::nullopt : std::optional<std::uint64_t>(size)));
    }
    Discovery discover() const {
        std::vector<ByteSource*> sources;
        for (const auto& d : disks) sources.push_back(d.get());
        return diskwright::discover(sources, {}, formats);
    }
};

// RAID 5 of three partitions that begin at sector 64; inside it a label whose e begins at sector 63 with a
// file system. Data: volume byte v of 4096-byte units.
Host raid5_host(std::vector<std::size_t> absent = {}, std::vector<std::uint8_t> events = {5, 5, 5}) {
    constexpr std::size_t n = 3, unit = 4096, rows = 32;
    Bytes volume(rows * 2 * unit);
    test::write_label(volume, 512, rows * 2 * unit / 512,
                      {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {100, 63, 7, 2048, 8}});
    volume.text(63 * 512 + 8192, "FILESYS").u64(63 * 512 + 8192 + 8, 51200);
    Host host;
    for (std::size_t c = 0; c < n; ++c) {
        if (std::find(absent.begin(), absent.end(), c) != absent.end()) continue;
        Bytes disk(disk_sectors * 512);
        test::write_label(disk, 512, disk_sectors, {{disk_sectors - part_at, part_at, 19}});
        write_set_label(disk, part_at * 512, 0, RaidLevel::raid5, n, static_cast<std::uint8_t>(c), events[c]);
        for (std::size_t s = 0; s < rows; ++s) {
            const std::size_t p = n - 1 - s % n, to = part_at * 512 + 32768 + s * unit;
            for (std::size_t i = 0; i < unit; ++i) {
                std::byte value{0};
                for (std::size_t k = 0; k < 2; ++k) {
                    const std::byte data = volume.bytes()[(s * 2 + k) * unit + i];
                    if (c == p)
                        value ^= data;
                    else if ((p + 1 + k) % n == c)
                        value = data;
                }
                if (to + i < disk.bytes().size()) disk.bytes()[to + i] = value;
            }
        }
        host.add("sd" + std::to_string(c), disk);
    }
    return host;
}

void expect_file_system_inside(const HostFacts& facts) {
    const StorageGraph graph(facts);
    const Partition* e = graph.partition("raid0e");
    ASSERT_TRUE(e);
    EXPECT_EQ(*e->start_bytes, 63U * 512);
    EXPECT_EQ(e->parent, "raid0");
    const Filesystem* fs = graph.filesystem("raid0e");
    ASSERT_TRUE(fs);
    EXPECT_EQ(*fs->type, "ffs2");
    EXPECT_EQ(fs->type.from().source(), "raid0e@0x2000");
}

TEST(Discover, SetOnLabelPartitions) {
    const auto found = raid5_host().discover();
    expect_file_system_inside(found.facts);
    ASSERT_EQ(found.facts.disks.size(), 3U);
    EXPECT_EQ(*found.facts.disks[0].size_bytes, disk_sectors * 512);
    EXPECT_EQ(*found.facts.disks[0].logical_sector_bytes, 512U);
    ASSERT_EQ(found.facts.volumes.size(), 1U);
    const Volume& v = found.facts.volumes.front();
    EXPECT_EQ(v.name, "raid0");
    ASSERT_EQ(v.components.size(), 3U);
    EXPECT_EQ(v.components[1].name, "sd1a");
    EXPECT_EQ(*v.components[1].slot, 1U);
    EXPECT_EQ(*v.components[1].state, ComponentState::optimal);
    EXPECT_EQ(*v.components[1].events, 5U);
    EXPECT_TRUE(v.components_complete.is(true));
    EXPECT_TRUE(found.facts.damages.empty());
    EXPECT_EQ(StorageGraph(found.facts).disks_under("raid0e"),
              (std::vector<std::string>{"sd0", "sd1", "sd2"}));
    EXPECT_TRUE(found.facts.os.name.is(Os::netbsd));
}

TEST(Discover, DegradedSetIsReadFromParity) {
    for (std::size_t gone = 0; gone < 3; ++gone) {
        const auto found = raid5_host({gone}).discover();
        expect_file_system_inside(found.facts);
        const Volume& v = found.facts.volumes.front();
        ASSERT_EQ(v.components.size(), 3U);
        EXPECT_TRUE(v.components[gone].name.empty());
        EXPECT_EQ(*v.components[gone].state, ComponentState::missing);
        EXPECT_EQ(*v.components[gone].slot, gone);
    }
    const auto lost = raid5_host({0, 1}).discover();
    EXPECT_EQ(lost.facts.volumes.size(), 1U);
    EXPECT_FALSE(StorageGraph(lost.facts).filesystem("raid0e"));
}

TEST(Discover, MemberWithOldDataIsNotRead) {
    Host host = raid5_host({}, {5, 3, 5});
    // What the stale member holds would be read as another file system.
    for (std::size_t i = part_at * 512 + 32768; i < host.disks[1]->bytes().size(); ++i)
        host.disks[1]->bytes()[i] = std::byte{0x5a};
    const auto found = host.discover();
    expect_file_system_inside(found.facts);
    EXPECT_EQ(*found.facts.volumes.front().components[1].events, 3U);
}

TEST(Discover, TwoMembersOfOneColumnAndOneBeyond) {
    Host host = raid5_host();
    host.disks[1]->bytes()[part_at * 512 + 16384 + 11] = std::byte{0};
    host.disks[2]->bytes()[part_at * 512 + 16384 + 11] = std::byte{9};
    const auto found = host.discover();
    EXPECT_EQ(found.facts.damages.size(), 2U);
    EXPECT_EQ(found.facts.volumes.front().components.size(), 3U);
}

TEST(Discover, SetOnSetAndNoCycle) {
    // A mirror whose only component holds the label of a second set, which names itself again inside.
    Bytes disk(disk_sectors * 512);
    write_set_label(disk, 0, 0, RaidLevel::raid1, 2, 0);
    write_set_label(disk, 32768, 1, RaidLevel::raid1, 2, 0);
    write_set_label(disk, 2 * 32768, 0, RaidLevel::raid1, 2, 0);
    Host host;
    host.add("sd0", disk);
    const auto found = host.discover();
    ASSERT_EQ(found.facts.volumes.size(), 2U);
    EXPECT_EQ(found.facts.volumes[0].name, "raid0");
    EXPECT_EQ(found.facts.volumes[1].name, "raid1");
    EXPECT_EQ(found.facts.volumes[1].components[0].name, "raid0");
}

TEST(Discover, SpareIsAComponentWithoutAColumn) {
    Host host = raid5_host();
    Bytes disk(disk_sectors * 512);
    write_set_label(disk, 0, 0, RaidLevel::raid5, 3, 0xff, 1);
    host.add("sd9", disk);
    const auto found = host.discover();
    ASSERT_EQ(found.facts.volumes.front().components.size(), 4U);
    EXPECT_EQ(*found.facts.volumes.front().components[3].state, ComponentState::spare);
}

TEST(Discover, ALabelInFrontOfATableIsAConflict) {
    Bytes disk(8192 * 512);
    test::write_mbr(disk, 0, {{0xa9, 2048, 4096}});
    write_set_label(disk, 0, 0, RaidLevel::raid5, 3, 0);
    Host host;
    host.add("wd0", disk);
    const auto found = host.discover();
    // Neither writes over the other, so nothing tells which was there first; none is called stale.
    EXPECT_TRUE(found.facts.volumes.empty());
    EXPECT_TRUE(found.facts.events.empty());
    ASSERT_EQ(found.facts.conflicts.size(), 1U);
    EXPECT_EQ(found.facts.conflicts[0].what, "disks.wd0.contents");
    EXPECT_EQ(found.facts.conflicts[0].values.at(0).value, "a component of raid0");
    EXPECT_EQ(found.facts.conflicts[0].values.at(0).from.source(), "wd0@0x4000");
    EXPECT_EQ(found.facts.conflicts[0].values.at(1).value, "1 partitions");
    EXPECT_EQ(found.facts.partitions.size(), 1U);
}

TEST(Discover, ContainersAreNotReadTwice) {
    // The MBR slot, its label's a at the same place and the raw partition d all begin with one file system.
    Bytes disk(4096 * 512);
    test::write_mbr(disk, 0, {{0xa9, 64, 4000}});
    test::write_label(disk, 65 * 512, 4096,
                      {{2000, 64, 7}, {0, 0, 0}, {4000, 64, 0}, {4096, 0, 0}, {2000, 64, 7}});
    disk.text(64 * 512 + 8192, "FILESYS").u64(64 * 512 + 8200, 2000 * 512);
    Host host;
    host.add("wd0", disk);
    const auto found = host.discover();
    std::vector<std::string> devices;
    for (const Filesystem& f : found.facts.filesystems)
        if (f.size_bytes) devices.push_back(f.device);
    EXPECT_EQ(devices, std::vector<std::string>{"wd0e"});
}

TEST(Discover, SlotsInsideSlices) {
    Bytes disk(4096 * 512);
    test::write_mbr(disk, 0, {{0xa5, 63, 4000, true}});
    test::write_label(
        disk, 64 * 512, 4000,
        {{1000, 16, 7}, {0, 0, 0}, {4000, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
    disk.text((63 + 16) * 512 + 8192, "FILESYS");
    Host host;
    host.add("ada0", disk);
    const auto found = host.discover();
    const StorageGraph graph(found.facts);
    ASSERT_TRUE(graph.filesystem("ada0s1a"));
    EXPECT_EQ(*graph.start_on_disk("ada0s1a"), (63U + 16) * 512);
    EXPECT_TRUE(found.facts.os.name.is(Os::freebsd));
}

// Whole devices and untyped partitions that file systems other systems use as well point to Linux by.
Bytes linux_swap() {
    Bytes disk(64 * 512);
    disk.u32(1024, 1).u32(1028, 5).text(4096 - 10, "SWAPSPACE2");
    return disk;
}
Bytes freebsd_disk() {
    Bytes disk(256 * 512);
    test::write_mbr(disk, 0, {{0xa5, 63, 100, true}});
    return disk;
}

TEST(Discover, TheSystemIsWhatMostSlotsAndFileSystemsSay) {
    struct Row {
        std::size_t freebsd, swap;
        std::optional<Os> os;
    };
    for (const Row& row : {Row{1, 0, Os::freebsd}, Row{0, 1, Os::linux_}, Row{2, 1, Os::freebsd},
                           Row{1, 2, Os::linux_}, Row{1, 1, {}}, Row{0, 0, {}}}) {
        SCOPED_TRACE(fmt::format("{} slots of FreeBSD, {} of Linux swap", row.freebsd, row.swap));
        std::vector<std::unique_ptr<MemorySource>> disks;
        std::vector<ByteSource*> sources;
        const auto add = [&](Bytes image) {
            const auto size = image.bytes().size();
            disks.push_back(std::make_unique<MemorySource>(fmt::format("sd{}", disks.size()),
                                                           std::move(image.bytes()), size));
            sources.push_back(disks.back().get());
        };
        for (std::size_t i = 0; i < row.freebsd; ++i) add(freebsd_disk());
        for (std::size_t i = 0; i < row.swap; ++i) add(linux_swap());
        const auto facts = diskwright::discover(sources).facts;
        EXPECT_EQ(facts.swap.size(), row.swap);
        EXPECT_EQ(facts.os.name.known(), row.os.has_value());
        if (row.os) {
            EXPECT_TRUE(facts.os.name.is(*row.os));
        }
    }
}

TEST(Discover, AHeadIsNoSmallDisk) {
    Bytes disk(4096 * 512);
    test::write_mbr(disk, 0, {{0xa9, 64, 4000}});
    disk.bytes().resize(128 * 512);
    Host host;
    host.add("wd0", disk, true);
    const auto found = host.discover();
    ASSERT_EQ(found.facts.disks.size(), 1U);
    EXPECT_FALSE(found.facts.disks[0].size_bytes.known());
    EXPECT_TRUE(found.facts.damages.empty());
    EXPECT_TRUE(found.facts.events.empty());

    Bytes label(64 * 512);
    test::write_label(label, 512, 100000, {{99936, 64, 7}});
    Host labelled;
    labelled.add("sd0", label, true);
    EXPECT_EQ(*labelled.discover().facts.disks[0].size_bytes, 100000U * 512) << "as the label says";

    Bytes fs(64 * 512);
    fs.text(8192, "FILESYS").u64(8200, 1 << 30);
    Host file;
    file.add("data", fs, true);
    const auto found_fs = file.discover();
    ASSERT_EQ(found_fs.facts.filesystems.size(), 1U);
    ASSERT_EQ(found_fs.facts.disks.size(), 1U);
    EXPECT_FALSE(found_fs.facts.disks[0].size_bytes.known());

    Bytes whole(4096 * 512);
    test::write_mbr(whole, 0, {{0xa9, 64, 4000}});
    Host complete;
    complete.add("wd0", whole, true);
    EXPECT_EQ(*complete.discover().facts.disks[0].size_bytes, 4096U * 512);
}

TEST(Discover, NothingRecognised) {
    Host host;
    host.add("sd0", Bytes(64 * 512), true);
    host.add("sd0", Bytes(64 * 512), true);
    const auto found = host.discover();
    EXPECT_EQ(found.unrecognised, (std::vector<std::string>{"sd0", "sd0?2"}));
    EXPECT_TRUE(found.facts.disks.empty());
    EXPECT_EQ(found.facts.unparsed.size(), 1U) << "the second of that name";
}

TEST(Discover, ImagesOfVolumesAndPartitionsAreNoDisks) {
    Host host;
    Bytes volume(64 * 512);
    test::write_label(volume, 512, 64, {{32, 16, 7}});
    host.add("raid0", volume);
    Bytes part(64 * 512);
    part.text(8192, "FILESYS");
    host.add("wd0e", part);
    const auto found = host.discover();
    EXPECT_TRUE(found.facts.disks.empty());
    ASSERT_EQ(found.facts.volumes.size(), 1U);
    EXPECT_TRUE(found.facts.volumes[0].kind.is(VolumeKind::raidframe));
    EXPECT_EQ(*found.facts.volumes[0].size_bytes, 64U * 512);
}

// wd0d is all of NetBSD's wd0, sd0c all of OpenBSD's sd0; names of images may end like those of partitions.
TEST(Discover, TheNameOfAnImageDoesNotHideItsTables) {
    for (const std::string name : {"disk", "wd0d", "sd0c", "vm-20g", "disk1a", "ada0p2", "ada0s1", "sda2"}) {
        SCOPED_TRACE(name);
        Host mbr;
        Bytes image(4096 * 512);
        test::write_mbr(image, 0, {{0xa9, 64, 4000}});
        test::write_label(image, 65 * 512, 4096, {{1000, 64, 7}, {0, 0, 0}, {4000, 64, 0}, {4096, 0, 0}});
        mbr.add(name, image);
        const auto with_mbr = mbr.discover().facts;
        EXPECT_EQ(with_mbr.tables.size(), 2U);
        ASSERT_EQ(with_mbr.disks.size(), 1U);
        EXPECT_EQ(*with_mbr.disks[0].size_bytes, 4096U * 512);
        Host gpt;
        Bytes other(4096 * 512);
        test::write_gpt(other, 512, {{netbsd_ffs, 64, 163}});
        gpt.add(name, other);
        EXPECT_EQ(gpt.discover().facts.partitions.size(), 1U);
    }
}

// The partition at the start of a labelled disk shows the label of the disk again.
TEST(Discover, APartitionThatShowsTheLabelOfItsDisk) {
    Host host;
    Bytes part(64 * 512);
    test::write_label(part, 512, 4096, {{64, 0, 7}, {4032, 64, 7}});
    part.text(8192, "FILESYS").u64(8200, 64 * 512);
    host.add("wd0a", part);
    const auto found = host.discover().facts;
    EXPECT_TRUE(found.disks.empty());
    EXPECT_TRUE(found.partitions.empty());
    ASSERT_EQ(found.filesystems.size(), 1U);
    EXPECT_EQ(found.filesystems[0].device, "wd0a");
}

TEST(Discover, ABackupGptIsTheTableWhereNothingElseIs) {
    const auto only_backup = [] {
        Bytes image(4096 * 512);
        test::write_gpt(image, 512, {{netbsd_ffs, 64, 163}, {netbsd_ffs, 200, 299}});
        for (std::size_t i = 0; i < 40 * 512; ++i) image.u8(i, 0);
        return image;
    };
    const auto kinds = [](const HostFacts& facts) {
        std::vector<Event::Kind> out;
        for (const Event& e : facts.events) out.push_back(e.kind);
        return out;
    };
    Host alone;
    alone.add("wd0", only_backup());
    const auto table = alone.discover().facts;
    EXPECT_EQ(table.partitions.size(), 2U);
    EXPECT_EQ(kinds(table), std::vector{Event::Kind::primary_gpt_corrupt});
    ASSERT_EQ(table.tables.size(), 1U);
    EXPECT_TRUE(table.tables[0].corrupt.is(true));

    Bytes labelled = only_backup();
    test::write_label(labelled, 512, 4096, {{1000, 64, 7}, {0, 0, 0}, {4096, 0, 0}});
    Bytes filled = only_backup();
    filled.text(8192, "FILESYS").u64(8200, 4096 * 512);
    Bytes member = only_backup();
    member.text(16384, "SETLABEL");
    for (const auto& other : {labelled, filled, member}) {
        Host host;
        host.add("wd0", other);
        const auto stale = host.discover().facts;
        EXPECT_EQ(kinds(stale), std::vector{Event::Kind::stale_gpt});
        for (const PartitionTable& t : stale.tables) EXPECT_FALSE(t.scheme.is(Scheme::gpt));
    }
}

// What the protective MBR covers is the GPT's to tell, whether or not that is in the image.
TEST(Discover, AProtectiveMbrIsNoPartition) {
    for (const std::size_t bytes : {512, 1024, 4096}) {
        Host host;
        Bytes image(4096 * 512);
        test::write_gpt(image, 512, {{netbsd_ffs, 64, 163}});
        image.bytes().resize(bytes);
        host.add("wd0", image, true);
        const auto found = host.discover().facts;
        EXPECT_TRUE(found.partitions.empty());
        ASSERT_FALSE(found.tables.empty());
        EXPECT_TRUE(found.tables[0].protective.is(true));
    }
}

TEST(Discover, RandomDamageEnds) {
    std::uint32_t state = 77;
    const auto next = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
    for (int round = 0; round < 100; ++round) {
        Host host = raid5_host();
        for (auto& disk : host.disks)
            for (int i = 0; i < round; ++i)
                disk->bytes()[next() % disk->bytes().size()] ^= static_cast<std::byte>(next());
        const auto found = host.discover();
        EXPECT_LE(found.facts.volumes.size(), 16U);
        for (const auto& disk : host.disks) EXPECT_LT(disk->reads, 2000U);
    }
}

}  // namespace
}  // namespace diskwright
