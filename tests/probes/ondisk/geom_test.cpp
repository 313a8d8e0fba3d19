// SPDX-License-Identifier: BSD-2-Clause
// Metadata of GEOM's classes, written here from the documented layout: every version, sectors of 512 and 4096
// bytes, whose provider it is, and that no flip of a bit under a hash goes unseen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "probes/ondisk/discover.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/md5.hpp"
#include "probes/support/text.hpp"
#include "tests/support/bytes.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/same_facts.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::MemorySource;
using Reader = Result<bool> (*)(ByteSource&, Found&);

constexpr std::uint64_t provider = 64 * 4096;

// Fields one after the other, as the classes encode them: no padding, little-endian.
class Writer {
 public:
    Writer(std::string_view magic, std::uint32_t version) : bytes_(512) {
        bytes_.text(0, magic);
        at_ = 16;
        number(version, 4);
    }
    Writer& number(std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            bytes_.u8(at_ + i, static_cast<std::uint8_t>(value >> (8 * i) & 0xff));
        at_ += size;
        return *this;
    }
    Writer& text(std::string_view value, std::size_t size) {
        bytes_.text(at_, value);
        at_ += size;
        return *this;
    }
    Writer& hash() {
        const auto sum = md5(bytes_.part(0, at_));
        for (std::size_t i = 0; i < sum.size(); ++i)
            bytes_.u8(at_ + i, std::to_integer<std::uint8_t>(sum[i]));
        at_ += sum.size();
        return *this;
    }
    std::size_t length() const { return at_; }
    const std::vector<std::byte>& bytes() { return bytes_.bytes(); }

 private:
    Bytes bytes_;
    std::size_t at_ = 0;
};

struct Mirror {
    std::uint32_t version = 4;
    std::string name = "gm0";
    std::uint32_t mid = 1234567890, did = 42;
    std::uint8_t all = 2;
    std::uint32_t genid = 0, syncid = 7;
    std::uint8_t priority = 3;
    std::uint32_t slice = 4096;
    std::uint8_t balance = 2;
    std::uint64_t mediasize = provider - 512;
    std::uint32_t sectorsize = 512;
    std::uint64_t sync_offset = 0, mflags = 0, dflags = 0;
    std::string hardcoded = {};
    std::uint64_t provsize = provider;

    Writer write() const {
        Writer w("GEOM::MIRROR", version);
        w.text(name, 16).number(mid, 4).number(did, 4).number(all, 1);
        if (version >= 2) w.number(genid, 4);
        w.number(syncid, 4).number(priority, 1).number(slice, 4).number(balance, 1);
        w.number(mediasize, 8).number(sectorsize, 4).number(sync_offset, 8).number(mflags, 8);
        w.number(dflags, 8).text(hardcoded, 16);
        if (version >= 3) w.number(provsize, 8);
        return w.hash();
    }
};

struct Raid3 {
    std::uint32_t version = 5;
    std::uint16_t no = 0, all = 5;
    std::uint32_t genid = 0, syncid = 9;
    std::uint64_t mediasize = 4 * (provider - 512);
    std::uint32_t sectorsize = 2048;
    std::uint64_t sync_offset = 0, mflags = 0, dflags = 0;
    std::uint64_t provsize = provider;

    Writer write() const {
        Writer w("GEOM::RAID3", version);
        w.text("gr0", 16).number(77, 4).number(no, 2).number(all, 2);
        if (version >= 3) w.number(genid, 4);
        w.number(syncid, 4).number(mediasize, 8).number(sectorsize, 4).number(sync_offset, 8);
        w.number(mflags, 8).number(dflags, 8).text("", 16);
        if (version >= 4) w.number(provsize, 8);
        return w.hash();
    }
};

Writer stripe(std::uint32_t version, std::uint16_t no, std::uint16_t all, std::uint32_t size,
              std::string_view hardcoded = {}, std::uint64_t provsize = provider) {
    Writer w("GEOM::STRIPE", version);
    return w.text("gs0", 16)
        .number(5, 4)
        .number(no, 2)
        .number(all, 2)
        .number(size, 4)
        .text(hardcoded, 16)
        .number(provsize, 8);
}
Writer concat(std::uint32_t version, std::uint16_t no, std::uint16_t all, std::uint64_t provsize = provider) {
    Writer w("GEOM::CONCAT", version);
    return w.text("gc0", 16).number(6, 4).number(no, 2).number(all, 2).text("", 16).number(provsize, 8);
}
Writer label(std::uint32_t version, std::string_view name, std::uint64_t provsize = provider) {
    Writer w("GEOM::LABEL", version);
    return w.text(name, 16).number(provsize, 8);
}
Writer journal(std::uint8_t type, std::uint64_t start, std::uint64_t end, std::uint64_t provsize = provider) {
    Writer w("GEOM::JOURNAL", 0);
    w.number(99, 4).number(type, 1).number(start, 8).number(end, 8).number(start, 8).number(1, 4).number(1,
                                                                                                         8);
    return w.text("", 16).number(provsize, 8).hash();
}
Writer eli(std::uint32_t version, std::uint32_t flags, std::uint16_t cipher, std::uint16_t hash,
           std::uint32_t sector, std::uint64_t provsize = provider) {
    Writer w("GEOM::ELI", version);
    w.number(flags, 4).number(cipher, 2).number(128, 2);
    if (version > 0) w.number(hash, 2);
    w.number(provsize, 8).number(sector, 4).number(1, 1).number(100000, 4).text("salt", 64).text("keys", 384);
    return w.hash();
}

std::vector<std::byte> image(Writer w, std::uint64_t size = provider, std::uint64_t sector = 512) {
    Bytes out(size);
    out.copy(size - sector, w.bytes());
    return out.bytes();
}

struct Outcome {
    Result<bool> result = false;
    Found found;
    std::uint64_t bytes_read = 0;
    const Member& member() const { return found.members.at(0); }
};
Outcome read_bytes(Reader reader, std::vector<std::byte> bytes, const std::string& name = "ada0",
                   std::uint64_t sector = 512) {
    const auto size = bytes.size();
    MemorySource source(name, std::move(bytes), size, sector);
    Outcome out;
    out.result = reader(source, out.found);
    out.bytes_read = source.bytes_read;
    return out;
}
Outcome read(Reader reader, const Writer& w, const std::string& name = "ada0") {
    return read_bytes(reader, image(w), name);
}

std::string damage(const Outcome& out) {
    std::string text;
    for (const std::string& line : out.found.damage) text += line + "\n";
    return text;
}

TEST(Geom, MirrorOfEveryVersion) {
    for (std::uint32_t version = 0; version <= 4; ++version) {
        SCOPED_TRACE(version);
        Mirror md;
        md.version = version;
        const auto out = read(read_gmirror, md.write());
        ASSERT_TRUE(out.result && *out.result);
        const Member& m = out.member();
        EXPECT_EQ(m.identity, "gmirror:gm0:1234567890");
        EXPECT_EQ(m.set.name, "gm0");
        EXPECT_TRUE(m.set.kind.is(VolumeKind::gmirror));
        EXPECT_TRUE(m.set.level.is(RaidLevel::raid1));
        EXPECT_EQ(*m.set.columns, 2U);
        EXPECT_EQ(*m.set.balance, "load");
        EXPECT_EQ(*m.set.balance_slice_bytes, 4096U);
        EXPECT_EQ(*m.set.size_bytes, provider - 512);
        EXPECT_EQ(*m.set.logical_sector_bytes, 512U);
        EXPECT_TRUE(m.set.parity_clean.is(true));
        EXPECT_EQ(m.set.size_bytes.from().source(),
                  fmt::format("ada0@{:#x}", provider - 512 + (version < 2 ? 55 : 59)));
        EXPECT_EQ(m.device, "ada0");
        EXPECT_EQ(m.data_offset_bytes, 0U);
        EXPECT_EQ(*m.data_bytes, provider - 512);
        EXPECT_EQ(*m.events, 7U);
        EXPECT_EQ(*m.priority, 3U);
        EXPECT_FALSE(m.column);
        EXPECT_FALSE(m.state);
        EXPECT_TRUE(out.found.facts.os.name.is(Os::freebsd));
        EXPECT_EQ(damage(out), "");
        EXPECT_LE(out.bytes_read, 4096U);
    }
}

TEST(Geom, BalanceAlgorithmsOfAMirror) {
    constexpr std::array<std::string_view, 5> names{"none", "round-robin", "load", "split", "prefer"};
    for (std::uint8_t i = 0; i < names.size(); ++i) {
        Mirror md;
        md.balance = i;
        const auto out = read(read_gmirror, md.write());
        EXPECT_EQ(*out.member().set.balance, names[i]);
    }
    Mirror md;
    md.balance = 5;
    const auto out = read(read_gmirror, md.write());
    EXPECT_FALSE(out.member().set.balance);
    EXPECT_TRUE(contains(damage(out), "ada0@0x3fe3a: GEOM::MIRROR: no balance algorithm that exists"));
}

TEST(Geom, FlagsOfAMirrorsComponent) {
    struct Row {
        std::uint64_t flags;
        std::optional<ComponentState> state;
        bool clean;
    };
    const std::vector<Row> rows{{0x1, {}, false},
                                {0x2, ComponentState::rebuilding, true},
                                {0x4, ComponentState::rebuilding, true},
                                {0x8, ComponentState::failed, true},
                                {0x10, {}, true},
                                {0x3, ComponentState::rebuilding, false}};
    for (const Row& row : rows) {
        SCOPED_TRACE(row.flags);
        Mirror md;
        md.dflags = row.flags;
        md.sync_offset = (row.flags & 2) != 0 ? md.mediasize / 4 : 0;
        const auto out = read(read_gmirror, md.write());
        EXPECT_EQ(out.member().state, row.state);
        EXPECT_TRUE(out.member().set.parity_clean.is(row.clean));
        EXPECT_EQ(out.member().set.activity.is(Activity::rebuild), (row.flags & 2) != 0);
        EXPECT_DOUBLE_EQ(out.member().set.activity_percent.value_or(25), 25);
    }
}

TEST(Geom, AMirrorsGenerationCountsBeforeItsSynchronisation) {
    Mirror old, fresh;
    old.syncid = 100;
    fresh.genid = 1, fresh.syncid = 1;
    EXPECT_LT(*read(read_gmirror, old.write()).member().events,
              *read(read_gmirror, fresh.write()).member().events);
}

TEST(Geom, AMirrorAsItsListPrintsIt) {
    Mirror md;
    md.genid = 1, md.syncid = 3, md.priority = 0;
    const auto out = read(read_gmirror, md.write());
    const HostFacts text = test::facts_of_output(
        {"gmirror", "list"},
        fmt::format(
            "Geom name: gm0\nState: DEGRADED\nComponents: 2\nBalance: load\nSlice: 4096\nFlags: NONE\n"
            "GenID: 1\nSyncID: 3\nID: 1234567890\nProviders:\n1. Name: mirror/gm0\n   Mediasize: {}\n"
            "   Sectorsize: 512\nConsumers:\n1. Name: ada0\n   Mediasize: {}\n   Sectorsize: 512\n"
            "   State: ACTIVE\n   Priority: 0\n   Flags: NONE\n   GenID: 1\n   SyncID: 3\n   ID: 42\n",
            provider - 512, provider));
    ASSERT_EQ(text.volumes.size(), 1U);
    Volume wanted = text.volumes[0], found = out.member().set;
    EXPECT_EQ(*wanted.components.at(0).events, *out.member().events);
    EXPECT_EQ(*wanted.components.at(0).priority, *out.member().priority);
    // How many are there is for whoever puts the set together to say.
    wanted.components.clear(), wanted.components_complete.reset(), wanted.state.reset();
    found.name = "mirror/" + found.name;
    EXPECT_EQ(test::missing_values(wanted, found), std::vector<std::string>{});
}

TEST(Geom, Raid3OfEveryVersion) {
    for (std::uint32_t version = 0; version <= 5; ++version) {
        SCOPED_TRACE(version);
        Raid3 md;
        md.version = version;
        md.no = 4;
        const auto out = read(read_graid3, md.write());
        ASSERT_TRUE(out.result && *out.result);
        const Member& m = out.member();
        EXPECT_EQ(m.identity, "graid3:gr0:77");
        EXPECT_TRUE(m.set.level.is(RaidLevel::raid3));
        EXPECT_EQ(*m.set.columns, 5U);
        // Four data components of a sector each make up a sector of the set.
        EXPECT_EQ(*m.set.logical_sector_bytes, 2048U);
        EXPECT_EQ(*m.set.size_bytes, 4 * (provider - 512));
        EXPECT_EQ(*m.data_bytes, provider - 512);
        EXPECT_EQ(*m.column, 4U);
        EXPECT_EQ(m.role, "parity");
        EXPECT_EQ(*m.events, 9U);
        EXPECT_EQ(damage(out), "");
    }
    Raid3 md;
    md.dflags = 2;
    EXPECT_EQ(read(read_graid3, md.write()).member().state, ComponentState::rebuilding);
    EXPECT_EQ(read(read_graid3, md.write()).member().role, "data");
    md = {};
    md.all = 4;
    EXPECT_TRUE(contains(damage(read(read_graid3, md.write())), "2^n + 1"));
    md.no = 4;
    const auto out = read(read_graid3, md.write());
    ASSERT_FALSE(out.result);
    EXPECT_EQ(out.result.error().message, "ada0@0x3fe28: GEOM::RAID3: component 4 of a set of 4");
}

TEST(Geom, StripeOfEveryVersion) {
    for (std::uint32_t version = 0; version <= 3; ++version) {
        SCOPED_TRACE(version);
        // What stands where later versions have fields is not looked at.
        const auto out = read(
            read_gstripe, stripe(version, 1, 2, 65536, version < 2 ? "x" : "", version < 3 ? 1 : provider));
        ASSERT_TRUE(out.result && *out.result);
        const Member& m = out.member();
        EXPECT_EQ(m.identity, "gstripe:gs0:5");
        EXPECT_EQ(*m.set.stripe_unit_bytes, 65536U);
        EXPECT_EQ(*m.set.columns, 2U);
        EXPECT_EQ(*m.column, 1U);
        // The last sector is the metadata's; what is left of whole units counts.
        EXPECT_EQ(*m.data_bytes, (provider - 512) / 65536 * 65536);
        EXPECT_EQ(m.data_offset_bytes, 0U);
        EXPECT_FALSE(m.events);
    }
}

// gstripe label -s 96k stores it and exits 0; no device appears.
TEST(Geom, AStripeSizeThatTheKernelRefuses) {
    const auto out = read(read_gstripe, stripe(3, 0, 2, 96 * 1024));
    ASSERT_TRUE(out.result && *out.result);
    EXPECT_TRUE(contains(damage(out), "ada0@0x3fe2c: GEOM::STRIPE: a stripe size of 98304 bytes"));
    EXPECT_FALSE(read(read_gstripe, stripe(3, 0, 2, 0)).result);
    EXPECT_FALSE(read(read_gstripe, stripe(3, 2, 2, 65536)).result);
}

TEST(Geom, ConcatOfEveryVersion) {
    for (std::uint32_t version = 1; version <= 4; ++version) {
        SCOPED_TRACE(version);
        const auto out = read(read_gconcat, concat(version, 2, 3, version < 4 ? 1 : provider));
        ASSERT_TRUE(out.result && *out.result);
        EXPECT_EQ(out.member().identity, "gconcat:gc0:6");
        EXPECT_TRUE(out.member().set.level.is(RaidLevel::concat));
        EXPECT_EQ(*out.member().set.columns, 3U);
        EXPECT_EQ(*out.member().column, 2U);
        EXPECT_EQ(*out.member().data_bytes, provider - 512);
    }
    EXPECT_FALSE(read(read_gconcat, concat(4, 3, 3)).result);
}

TEST(Geom, LabelIsASlotWithoutTheLastSector) {
    for (const std::uint32_t version : {1U, 2U}) {
        const auto out = read(read_glabel, label(version, "backup", version < 2 ? 0 : provider));
        ASSERT_TRUE(out.result && *out.result);
        ASSERT_EQ(out.found.slots.size(), 1U);
        EXPECT_EQ(out.found.slots[0].name, "label/backup");
        EXPECT_EQ(out.found.slots[0].start_bytes, 0U);
        EXPECT_EQ(*out.found.slots[0].size_bytes, provider - 512);
        EXPECT_EQ(out.found.slots[0].os, Os::freebsd);
    }
    EXPECT_EQ(read(read_glabel, label(2, "sixteen letters!")).found.slots.at(0).name,
              "label/sixteen letters!");
    EXPECT_FALSE(read(read_glabel, label(2, "")).result);
}

TEST(Geom, JournalEndsTheDataWhereItBegins) {
    const auto both = read(read_gjournal, journal(3, provider / 2, provider - 512));
    ASSERT_TRUE(both.result && *both.result);
    ASSERT_EQ(both.found.slots.size(), 1U);
    EXPECT_EQ(both.found.slots[0].name, "ada0.journal");
    EXPECT_EQ(*both.found.slots[0].size_bytes, provider / 2);
    EXPECT_EQ(damage(both), "");
    const auto data = read(read_gjournal, journal(1, 512, 1024 * 1024));
    EXPECT_EQ(*data.found.slots.at(0).size_bytes, provider - 512);
    const auto alone = read(read_gjournal, journal(2, 0, provider - 512));
    EXPECT_TRUE(*alone.result);
    EXPECT_TRUE(alone.found.slots.empty());
    EXPECT_TRUE(
        contains(damage(read(read_gjournal, journal(3, 4096, provider * 2))), "a journal from 4096 to"));
    EXPECT_FALSE(read(read_gjournal, journal(4, 512, 1024)).result);
}

TEST(Geom, EliOfEveryVersion) {
    for (std::uint32_t version = 0; version <= 7; ++version) {
        SCOPED_TRACE(version);
        const auto out = read(read_geli, eli(version, 0, 22, 0, 4096), "ada0p2");
        ASSERT_TRUE(out.result && *out.result);
        ASSERT_EQ(out.found.facts.volumes.size(), 1U);
        const Volume& v = out.found.facts.volumes[0];
        EXPECT_EQ(v.name, "ada0p2.eli");
        EXPECT_TRUE(v.kind.is(VolumeKind::crypto));
        EXPECT_EQ(*v.crypto_format, "geli");
        EXPECT_EQ(*v.crypto_sector_bytes, 4096U);
        EXPECT_EQ(*v.logical_sector_bytes, 4096U);
        EXPECT_EQ(*v.size_bytes, (provider - 512) / 4096 * 4096);
        EXPECT_FALSE(v.columns);
        ASSERT_EQ(v.components.size(), 1U);
        EXPECT_EQ(v.components[0].name, "ada0p2");
        EXPECT_EQ(*v.components[0].size_bytes, provider);
        EXPECT_EQ(damage(out), "");
        EXPECT_EQ(v.crypto_format.from().text(),
                  fmt::format("GEOM::ELI version {}, AES-XTS with a key of 128 bits", version));
    }
}

// geli init -a: sectors carry a hash, so that a sector of 4096 bytes takes nine of 512 with HMAC/SHA256.
TEST(Geom, EliAuthenticationTakesRoom) {
    struct Row {
        std::uint16_t hash;
        std::uint64_t sectors;  // of the provider, for one of 4096 bytes
    };
    for (const Row& row : {Row{6, 9}, Row{7, 9}, Row{8, 9}, Row{18, 9}, Row{19, 9}, Row{20, 10}}) {
        SCOPED_TRACE(row.hash);
        const auto out = read(read_geli, eli(7, 0x10, 11, row.hash, 4096));
        EXPECT_EQ(*out.found.facts.volumes.at(0).size_bytes, (provider - 512) / (row.sectors * 512) * 4096);
    }
    const auto unknown = read(read_geli, eli(7, 0x10, 11, 1, 4096));
    EXPECT_FALSE(unknown.found.facts.volumes.at(0).size_bytes);
    EXPECT_TRUE(contains(damage(unknown), "no authentication that is known"));
    EXPECT_TRUE(contains(damage(read(read_geli, eli(7, 0, 20, 0, 4096))), "no cipher that is known"));
    EXPECT_FALSE(read(read_geli, eli(7, 0, 22, 0, 1000)).result);
}

TEST(Geom, LastSectorOf4096Bytes) {
    Mirror md;
    md.mediasize = provider - 4096, md.sectorsize = 4096;
    // Told, and of an image that does not tell.
    for (const std::uint64_t told : {4096U, 512U}) {
        const auto out = read_bytes(read_gmirror, image(md.write(), provider, 4096), "da0", told);
        ASSERT_TRUE(out.result && *out.result);
        EXPECT_EQ(*out.member().data_bytes, provider - 4096);
        EXPECT_EQ(damage(out), "");
    }
    const auto s = read_bytes(read_gstripe, image(stripe(3, 0, 2, 65536), provider, 4096));
    EXPECT_EQ(*s.member().data_bytes, (provider - 4096) / 65536 * 65536);
}

TEST(Geom, MetadataBelongsToTheProviderOfItsSize) {
    Mirror md;
    Found found;
    const auto bytes = image(md.write());
    // The last partition of a disk with a table: its size is what counts, silently.
    {
        Bytes disk(provider + 4096);
        disk.u8(510, 0x55).u8(511, 0xaa).copy(4096, bytes);
        const auto out = read_bytes(read_gmirror, disk.bytes());
        EXPECT_FALSE(*out.result);
        EXPECT_TRUE(out.found.facts.events.empty());
    }
    // A device without a table: left over, and that is said.
    {
        Bytes disk(provider + 4096);
        disk.copy(4096, bytes);
        const auto out = read_bytes(read_gmirror, disk.bytes());
        EXPECT_FALSE(*out.result);
        ASSERT_EQ(out.found.facts.events.size(), 1U);
        EXPECT_EQ(out.found.facts.events[0].kind, Event::Kind::stale_raid_metadata);
        EXPECT_EQ(out.found.facts.events[0].detail,
                  "GEOM::MIRROR metadata of gm0 for a provider of 262144 bytes, where 266240 are");
        EXPECT_TRUE(out.found.members.empty());
    }
    for (const Reader reader :
         {read_gstripe, read_gconcat, read_glabel, read_geli, read_gjournal, read_graid3}) {
        Raid3 other;
        other.provsize = provider + 512;
        for (const Writer& w : {stripe(3, 0, 2, 65536, "", provider + 512), concat(4, 0, 2, provider + 512),
                                label(2, "x", provider + 512), eli(7, 0, 22, 0, 512, provider + 512),
                                journal(3, 512, 1024, provider + 512), other.write()}) {
            const auto out = read(reader, w);
            EXPECT_FALSE(*out.result);
            EXPECT_TRUE(out.found.members.empty() && out.found.slots.empty() &&
                        out.found.facts.volumes.empty());
        }
    }
}

// Before the size was recorded, the hard-coded name of the provider told the disk from its last partition.
TEST(Geom, OldMetadataTellsItsProviderByName) {
    Mirror md;
    md.version = 2;
    EXPECT_TRUE(*read(read_gmirror, md.write(), "ada0").result);
    md.hardcoded = "ada0s1";
    EXPECT_FALSE(*read(read_gmirror, md.write(), "ada0").result);
    EXPECT_TRUE(*read(read_gmirror, md.write(), "ada0s1").result);
    EXPECT_FALSE(*read(read_gmirror, md.write(), "ada0s1a").result);
    // An image has a name of its own.
    EXPECT_TRUE(*read(read_gmirror, md.write(), "disk1.img").result);
}

TEST(Geom, SlotsOfOtherSystemsAreNotRead) {
    MemorySource source("sda1", image(Mirror{}.write()), provider);
    for (const auto os : {std::optional<Os>(), std::optional(Os::freebsd), std::optional(Os::netbsd),
                          std::optional(Os::linux_)}) {
        source.belongs_to = os;
        source.reads = 0;
        Found found;
        const bool looked_at = !os || os == Os::freebsd;
        EXPECT_EQ(*read_gmirror(source, found), looked_at);
        EXPECT_EQ(source.reads > 0, looked_at);
    }
}

TEST(Geom, NewerVersionsAreNotGuessed) {
    Mirror md;
    md.version = 5;
    const auto out = read(read_gmirror, md.write());
    ASSERT_FALSE(out.result);
    EXPECT_EQ(out.result.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(out.result.error().message,
              "ada0@0x3fe10: GEOM::MIRROR: version 5; the newest that is known is 4");
}

// A mirror of two disks, of which one fell behind: its table is read through the other.
TEST(Geom, AMirrorIsPutTogetherFromWhatIsFresh) {
    const auto disk = [](std::uint32_t syncid, std::uint8_t type) {
        Mirror md;
        md.syncid = syncid;
        Bytes out(provider);
        test::write_mbr(out, 0, {{type, 63, 100}});
        out.copy(provider - 512, md.write().bytes());
        return out.bytes();
    };
    MemorySource old("ada0", disk(6, 0x0b), provider), fresh("ada1", disk(7, 0xa5), provider);
    const std::vector<ByteSource*> sources{&old, &fresh};
    const HostFacts facts = discover(sources).facts;
    ASSERT_EQ(facts.volumes.size(), 1U);
    const Volume& v = facts.volumes[0];
    EXPECT_EQ(v.name, "mirror/gm0");
    ASSERT_EQ(v.components.size(), 2U);
    EXPECT_EQ(v.components[0].name, "ada1");
    EXPECT_TRUE(v.components[0].state.is(ComponentState::optimal));
    EXPECT_EQ(*v.components[0].priority, 3U);
    EXPECT_EQ(v.components[1].name, "ada0");
    EXPECT_TRUE(v.components[1].state.is(ComponentState::failed));
    ASSERT_EQ(facts.partitions.size(), 1U);
    EXPECT_EQ(facts.partitions[0].name, "mirror/gm0s1");
    EXPECT_EQ(*facts.partitions[0].type, "freebsd");
}

struct Hashed {
    std::string name;
    std::size_t magic;  // its length, with the zero that ends it
    Reader reader;
    Writer writer;
};
std::vector<Hashed> hashed() {
    std::vector<Hashed> out;
    for (std::uint32_t v = 0; v <= 4; ++v) {
        Mirror md;
        md.version = v;
        out.push_back({fmt::format("mirror {}", v), 13, read_gmirror, md.write()});
    }
    for (std::uint32_t v = 0; v <= 5; ++v) {
        Raid3 md;
        md.version = v;
        out.push_back({fmt::format("raid3 {}", v), 12, read_graid3, md.write()});
    }
    out.push_back({"journal", 14, read_gjournal, journal(3, provider / 2, provider - 512)});
    for (std::uint32_t v = 0; v <= 7; ++v)
        out.push_back({fmt::format("eli {}", v), 10, read_geli, eli(v, 0, 22, 0, 512)});
    return out;
}

TEST(Geom, EveryFlipUnderAHashIsSeen) {
    for (const Hashed& h : hashed()) {
        SCOPED_TRACE(h.name);
        MemorySource source("ada0", image(h.writer), provider);
        Found clean;
        ASSERT_TRUE(*h.reader(source, clean));
        for (std::size_t bit = 0; bit < h.writer.length() * 8; ++bit) {
            std::byte& byte = source.bytes()[provider - 512 + bit / 8];
            const auto mask = static_cast<std::byte>(1U << (bit % 8));
            byte ^= mask;
            Found found;
            const auto result = h.reader(source, found);
            EXPECT_FALSE(result.ok() && *result) << "bit " << bit;
            // A magic that is none is the metadata of nothing; everything else is reported.
            EXPECT_EQ(result.ok(), bit / 8 < h.magic) << "bit " << bit;
            EXPECT_TRUE(found.members.empty() && found.slots.empty() && found.facts.volumes.empty());
            byte ^= mask;
        }
    }
}

constexpr std::array<Reader, 7> all_readers{read_gmirror, read_gstripe,  read_graid3, read_gconcat,
                                            read_glabel,  read_gjournal, read_geli};

std::vector<Writer> one_of_each() {
    return {Mirror{}.write(), Raid3{}.write(),       stripe(3, 0, 2, 65536), concat(4, 0, 2),
            label(2, "x"),    journal(3, 512, 1024), eli(7, 0, 22, 0, 512)};
}

TEST(Geom, CutAnywhere) {
    constexpr std::uint64_t small = 8192;
    for (const Writer& w : one_of_each()) {
        const auto whole = image(w, small);
        for (std::uint64_t length = 0; length <= small; ++length) {
            // The head of a device whose size is known, and a device that is that short.
            MemorySource head("ada0", {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)},
                              small);
            MemorySource cut("ada0", {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)},
                             length);
            for (const Reader reader : all_readers) {
                Found a, b;
                const auto of_head = reader(head, a);
                EXPECT_TRUE(length == small || (of_head.ok() && !*of_head)) << length;
                reader(cut, b).ok();
                EXPECT_TRUE(a.members.empty() && b.members.empty()) << length;
            }
        }
    }
}

// Whatever the fields say: no crash, and no more than a few sectors are read.
TEST(Geom, HostileFields) {
    for (const Writer& w : one_of_each()) {
        const bool has_hash = w.length() != 72 && w.length() != 68 && w.length() != 44;
        for (std::size_t at = 20; at < w.length(); ++at) {
            for (const std::uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
                Writer copy = w;
                Bytes changed(512);
                changed.copy(0, copy.bytes());
                for (std::size_t i = at; i < std::min(at + 8, w.length()); ++i) changed.u8(i, value);
                if (has_hash) {
                    const auto sum = md5(changed.part(0, w.length() - 16));
                    for (std::size_t i = 0; i < sum.size(); ++i)
                        changed.u8(w.length() - 16 + i, std::to_integer<std::uint8_t>(sum[i]));
                }
                Bytes disk(provider);
                disk.copy(provider - 512, changed.bytes());
                for (const Reader reader : all_readers) {
                    const auto out = read_bytes(reader, disk.bytes());
                    EXPECT_LE(out.bytes_read, 8192U);
                    EXPECT_TRUE(out.result.ok() || out.result.error().kind == ErrorKind::bad_data);
                }
            }
        }
    }
}

}  // namespace
}  // namespace diskwright
