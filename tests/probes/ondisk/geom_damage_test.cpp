// SPDX-License-Identifier: BSD-2-Clause
// Whose metadata of GEOM it is, and damaged metadata: no flip of a bit under a hash goes unseen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "probes/ondisk/discover.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/geom_metadata.hpp"
#include "tests/support/images.hpp"

namespace diskwright {
namespace {

using namespace test::geom;
using test::Bytes;
using test::MemorySource;

TEST(GeomDamage, MetadataBelongsToTheProviderOfItsSize) {
    Mirror md;
    Found found;
    const auto bytes = image(md.write());
    // The last partition of a disk with a table: its size is what counts, silently. Partitions that end
    // before it have nothing to do with it.
    for (const std::uint32_t sectors : {provider / 512, provider / 512 - 1}) {
        Bytes disk(provider + 4096);
        disk.copy(4096, bytes);
        test::write_mbr(disk, 0, {{0xa5, 8, sectors}});
        const auto out = read_bytes(read_gmirror, disk.bytes());
        EXPECT_FALSE(*out.result);
        EXPECT_EQ(out.found.facts.events.size(), sectors == provider / 512 ? 0U : 1U);
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
TEST(GeomDamage, OldMetadataTellsItsProviderByName) {
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

TEST(GeomDamage, SlotsOfOtherSystemsAreNotRead) {
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

TEST(GeomDamage, NewerVersionsAreNotGuessed) {
    Mirror md;
    md.version = 5;
    const auto out = read(read_gmirror, md.write());
    ASSERT_FALSE(out.result);
    EXPECT_EQ(out.result.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(out.result.error().message,
              "ada0@0x3fe10: GEOM::MIRROR: version 5; the newest that is known is 4");
}

// Sets that no label program would write, under right hashes: the class makes no device of them. A table at
// the start of a component shows that of the set, which reaches further than one component does.
TEST(GeomDamage, NothingIsReadThroughWhatTheClassRefuses) {
    Mirror no_components, too_large;
    no_components.all = 0, too_large.mediasize = std::uint64_t{1} << 63;
    Raid3 four;
    four.all = 4, four.mediasize = 3 * (provider - 512) / 3 * 3;
    struct Row {
        Writer metadata;
        std::string name, why;
    };
    const std::vector<Row> rows{{stripe(3, 0, 2, 96 * 1024), "stripe/gs0", "a stripe size of 98304 bytes"},
                                {stripe(3, 0, 60000, 65536), "stripe/gs0", "a stripe of 60000 components"},
                                {concat(4, 0, 60000), "concat/gc0", "a concatenation of 60000 components"},
                                {no_components.write(), "mirror/gm0", "a mirror of no components"},
                                {too_large.write(), "mirror/gm0", "the mirror is larger than its component"},
                                {four.write(), "raid3/gr0", "a set of 4 components"}};
    for (const Row& row : rows) {
        SCOPED_TRACE(row.why);
        Writer metadata = row.metadata;
        Bytes disk(provider);
        disk.copy(provider - 512, metadata.bytes());
        test::write_mbr(disk, 0, {{0xa5, 63, provider / 512 + 100}});
        MemorySource component("da0", disk.bytes());
        const std::array<ByteSource*, 1> sources{&component};
        const HostFacts facts = discover(sources).facts;
        ASSERT_EQ(facts.volumes.size(), 1U);
        EXPECT_EQ(facts.volumes[0].name, row.name);
        EXPECT_TRUE(facts.volumes[0].state.is(VolumeState::failed));
        EXPECT_TRUE(contains(facts.volumes[0].state.from().text(), row.why));
        EXPECT_TRUE(facts.partitions.empty());
        EXPECT_LE(facts.volumes[0].components.size(), 4U);
        EXPECT_LE(facts.volumes[0].size_bytes.value_or(0), 4 * provider);
    }
}

// A GPT that was made on the disk has its second header where the mirror made afterwards keeps its metadata.
TEST(GeomDamage, AMirrorOverTheSecondHeaderOfAGpt) {
    for (const bool made_on_the_mirror : {false, true}) {
        SCOPED_TRACE(made_on_the_mirror);
        Bytes table(made_on_the_mirror ? provider - 512 : provider), disk(provider);
        test::write_gpt(table, 512, {{"516e7cb6-6ecf-11d6-8ff8-00022d09712b", 64, 127}});
        disk.copy(0, table.bytes()).copy(provider - 512, Mirror{}.write().bytes());
        MemorySource component("ada3", disk.bytes());
        const std::array<ByteSource*, 1> sources{&component};
        const HostFacts facts = discover(sources).facts;
        ASSERT_EQ(facts.partitions.size(), 1U);
        EXPECT_EQ(facts.partitions[0].parent, "mirror/gm0");
        EXPECT_EQ(facts.events.size(), made_on_the_mirror ? 0U : 1U);
        EXPECT_EQ(facts.damages.size(), made_on_the_mirror ? 0U : 1U);
        if (made_on_the_mirror) continue;
        EXPECT_EQ(facts.events.at(0).kind, Event::Kind::secondary_gpt_missing);
        EXPECT_EQ(facts.events[0].subject, "mirror/gm0");
        EXPECT_EQ(facts.events[0].detail,
                  "the primary GPT header puts the secondary one in sector 511, and the last one is 510: the "
                  "table is older than the metadata that took the last sector of the disk");
    }
}

// A mirror of two disks, of which one fell behind: its table is read through the other.
TEST(GeomDamage, AMirrorIsPutTogetherFromWhatIsFresh) {
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

TEST(GeomDamage, EveryFlipUnderAHashIsSeen) {
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

TEST(GeomDamage, CutAnywhere) {
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
TEST(GeomDamage, HostileFields) {
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
                    // With the places of tables, where it is another provider's.
                    EXPECT_LE(out.bytes_read, 32768U);
                    EXPECT_TRUE(out.result.ok() || out.result.error().kind == ErrorKind::bad_data);
                }
            }
        }
    }
}

}  // namespace
}  // namespace diskwright
