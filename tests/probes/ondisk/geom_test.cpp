// SPDX-License-Identifier: BSD-2-Clause
// Metadata of GEOM's classes: every version, sectors of 512 and 4096 bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/geom_metadata.hpp"
#include "tests/support/same_facts.hpp"

namespace diskwright {
namespace {

using namespace test::geom;

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
    const auto four = read(read_graid3, md.write());
    ASSERT_TRUE(four.member().set.state.is(VolumeState::failed));
    EXPECT_TRUE(contains(four.member().set.state.from().text(), "2^n + 1"));
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
    const auto& state = out.member().set.state;
    ASSERT_TRUE(state.is(VolumeState::failed));
    EXPECT_EQ(state.from().source(), "ada0@0x3fe2c");
    EXPECT_TRUE(contains(state.from().text(), "GEOM::STRIPE: a stripe size of 98304 bytes"));
    EXPECT_EQ(damage(out), "");
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

}  // namespace
}  // namespace diskwright
