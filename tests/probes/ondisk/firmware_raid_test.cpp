// SPDX-License-Identifier: BSD-2-Clause
// Metadata of firmware RAID: Intel and DDF with what they say of the set, the others recognised. Written here
// from the documented layouts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "probes/ondisk/formats.hpp"
#include "probes/support/text.hpp"
#include "tests/support/firmware_raid.hpp"
#include "tests/support/memory_source.hpp"

namespace diskwright {
namespace {

using test::Bytes;
using test::Ddf;
using test::Intel;
using test::MemorySource;

constexpr std::uint64_t device = MiB;

struct Outcome {
    Result<bool> result = false;
    Found found;
    std::size_t reads = 0;
    std::uint64_t bytes_read = 0;
};
Outcome read_image(Bytes image, std::optional<Os> os = {}, std::uint64_t sector = 512) {
    const auto size = image.bytes().size();
    MemorySource source("sda", std::move(image.bytes()), size, sector);
    source.belongs_to = os;
    Outcome out;
    out.result = read_firmware_raid(source, out.found);
    out.reads = source.reads, out.bytes_read = source.bytes_read;
    return out;
}

TEST(FirmwareRaid, IntelVolumes) {
    Intel md;
    Bytes image(device);
    md.write(image);
    for (const auto os : {std::optional<Os>(), std::optional(Os::freebsd)}) {
        const auto out = read_image(image, os);
        ASSERT_TRUE(out.result && *out.result);
        ASSERT_EQ(out.found.members.size(), 2U);
        const Member& m = out.found.members[0];
        EXPECT_TRUE(m.set.kind.is(os ? VolumeKind::graid : VolumeKind::hardware));
        EXPECT_EQ(*m.set.metadata, "Intel");
        EXPECT_EQ(m.set.name, "Volume0");
        EXPECT_EQ(m.identity, "Intel:1234abcd:Volume0");
        EXPECT_TRUE(m.set.level.is(RaidLevel::raid5));
        EXPECT_EQ(*m.set.stripe_unit_bytes, 64 * KiB);
        EXPECT_EQ(*m.set.columns, 3U);
        EXPECT_EQ(*m.set.size_bytes, 1000U * 512);
        EXPECT_TRUE(m.set.state.is(VolumeState::degraded));
        EXPECT_EQ(m.data_offset_bytes, 0U);
        EXPECT_EQ(*m.data_bytes, 500U * 512);
        EXPECT_EQ(*m.events, 17U);
        EXPECT_FALSE(m.column);  // members are told by the serial numbers of their disks
        const Member& second = out.found.members[1];
        EXPECT_EQ(second.set.name, "Volume1");
        EXPECT_TRUE(second.set.level.is(RaidLevel::raid1));
        EXPECT_FALSE(second.set.stripe_unit_bytes);
        EXPECT_EQ(second.data_offset_bytes, 600U * 512);
    }
}

TEST(FirmwareRaid, IntelLevels) {
    struct Row {
        std::uint8_t type, disks, domains;
        std::optional<RaidLevel> level;
    };
    for (const Row& row :
         {Row{0, 2, 1, RaidLevel::raid0}, Row{1, 2, 2, RaidLevel::raid1}, Row{1, 4, 2, RaidLevel::raid10},
          Row{1, 3, 2, {}}, Row{5, 4, 1, RaidLevel::raid5}, Row{9, 4, 1, {}}}) {
        Intel md;
        md.volumes = {{"v", row.type, row.disks, row.domains, 0, 0}};
        Bytes image(device);
        md.write(image);
        const auto out = read_image(image);
        const auto& level = out.found.members.at(0).set.level;
        EXPECT_EQ(level.known() ? std::optional(*level) : std::nullopt, row.level);
    }
}

// Of disks over 2 TB.
TEST(FirmwareRaid, IntelBeyond32Bits) {
    const auto with_high = [](std::uint32_t offset, std::uint32_t sectors) {
        Intel md;
        md.volumes = {{"v", 1, 2, 2, 0, 600}};
        md.patch = [&](Bytes& whole, std::size_t) {
            const std::size_t map = 216 + 3 * 48 + 112;
            whole.u32(map + 20, offset).u32(map + 24, sectors);
        };
        Bytes image(device);
        md.write(image);
        return read_image(image);
    };
    const auto out = with_high(1, 2);
    ASSERT_TRUE(out.result && *out.result);
    EXPECT_EQ(out.found.members.at(0).data_offset_bytes, (0x100000000ULL + 600) * 512);
    EXPECT_EQ(*out.found.members.at(0).data_bytes, (0x200000000ULL + 500) * 512);
    EXPECT_FALSE(with_high(0xffffffff, 0).result.ok());
}

// What does not fit behind the anchor stands before it.
TEST(FirmwareRaid, IntelOfManyDisks) {
    Intel md;
    md.disks = 30;
    Bytes image(device);
    EXPECT_GT(md.write(image), 1024U);
    const auto out = read_image(image);
    ASSERT_TRUE(out.result && *out.result);
    EXPECT_EQ(out.found.members.at(1).set.name, "Volume1");
    Bytes large(device);
    md.sector = 4096;
    md.write(large);
    EXPECT_EQ(read_image(large, {}, 4096).found.members.at(1).data_offset_bytes, 600U * 4096);
}

TEST(FirmwareRaid, IntelFlipsAreSeen) {
    Intel md;
    Bytes image(device);
    const std::size_t length = md.write(image), at = device - 1024;
    const auto place = [&](std::size_t i) { return i < 512 ? at + i : at - 512 + i - 512; };
    for (std::size_t bit = 0; bit < length * 8; ++bit) {
        std::byte& byte = image.bytes()[place(bit / 8)];
        const auto mask = static_cast<std::byte>(1U << (bit % 8));
        byte ^= mask;
        const auto out = read_image(image);
        EXPECT_FALSE(out.result.ok() && *out.result) << bit;
        EXPECT_EQ(out.result.ok(), bit / 8 < 24) << bit;
        EXPECT_TRUE(out.found.members.empty());
        byte ^= mask;
    }
}

TEST(FirmwareRaid, DdfInBothByteOrders) {
    for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
        Ddf md;
        md.order = order;
        Bytes image(device, order);
        md.write(image);
        const auto out = read_image(image);
        ASSERT_TRUE(out.result && *out.result);
        EXPECT_EQ(out.found.damage, std::vector<std::string>{});
        ASSERT_EQ(out.found.members.size(), 1U);
        const Member& m = out.found.members[0];
        EXPECT_EQ(*m.set.metadata, "DDF");
        EXPECT_EQ(m.set.name, "array1");
        EXPECT_TRUE(m.set.level.is(RaidLevel::raid5));
        EXPECT_EQ(*m.set.stripe_unit_bytes, 64 * KiB);
        EXPECT_EQ(*m.set.columns, 3U);
        EXPECT_EQ(*m.set.size_bytes, 1000U * 512);
        EXPECT_EQ(*m.set.uuid, "76697274:75616c2d:6469736b:2d677569:642d3234:2d627974");
        EXPECT_EQ(m.identity, "DDF:" + *m.set.uuid);
        EXPECT_TRUE(m.set.state.is(VolumeState::degraded));
        EXPECT_TRUE(m.set.parity_clean.is(false));
        EXPECT_EQ(*m.column, 2U);
        EXPECT_EQ(m.data_offset_bytes, 64U * 512);
        EXPECT_EQ(*m.data_bytes, 500U * 512);
        EXPECT_EQ(*m.events, 4U);
    }
}

// The disks of the second span come behind those of the first, whichever records a disk has.
TEST(FirmwareRaid, DdfOfTwoSpans) {
    for (const bool all_records : {false, true})
        for (std::uint8_t drive = 0; drive < 6; ++drive) {
            Ddf md;
            md.level = 1, md.spans = 2, md.drive = drive, md.all_records = all_records;
            Bytes image(device, md.order);
            md.write(image);
            const auto out = read_image(image);
            ASSERT_TRUE(out.result && *out.result);
            ASSERT_EQ(out.found.members.size(), 1U);
            const Member& m = out.found.members[0];
            EXPECT_TRUE(m.set.level.is(RaidLevel::raid10));
            EXPECT_EQ(*m.set.columns, 6U);
            EXPECT_EQ(m.column, drive);
            EXPECT_EQ(m.data_offset_bytes, (drive % 3 == 2 ? 64U : 576U) * 512);
            EXPECT_EQ(m.metadata_at, device - 512);
        }
}

TEST(FirmwareRaid, DdfDamage) {
    Ddf md;
    Bytes image(device, md.order);
    md.write(image);
    // The primary header, the one configuration, the anchor.
    Bytes head = image;
    head.u32(md.primary * 512 + 40, 99);
    auto out = read_image(head);
    ASSERT_TRUE(out.result && *out.result);
    EXPECT_EQ(out.found.members.at(0).set.name, "array1");
    EXPECT_TRUE(contains(out.found.damage.at(0), "the checksum of a header does not match"));
    Bytes record = image;
    record.u8((md.primary + 3) * 512 + 66, 9);
    record.u8((md.secondary + 3) * 512 + 66, 9);
    out = read_image(record);
    ASSERT_TRUE(out.result && *out.result);
    EXPECT_TRUE(out.found.members.at(0).set.name.empty());
    EXPECT_TRUE(contains(out.found.damage.at(0), "the checksum of a configuration does not match"));
    for (std::size_t bit = 0; bit < 512 * 8; ++bit) {
        Bytes anchor = image;
        anchor.bytes()[device - 512 + bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        out = read_image(anchor);
        EXPECT_FALSE(out.result.ok() && *out.result) << bit;
        EXPECT_EQ(out.result.ok(), bit / 8 < 4) << bit;
    }
}

TEST(FirmwareRaid, OthersAreRecognised) {
    for (const test::FirmwareSample& sample : test::firmware_samples(device)) {
        SCOPED_TRACE(sample.metadata);
        auto out = read_image(sample.image);
        ASSERT_TRUE(out.result && *out.result);
        ASSERT_EQ(out.found.members.size(), 1U);
        EXPECT_EQ(*out.found.members[0].set.metadata, sample.metadata);
        EXPECT_EQ(out.found.members[0].identity, sample.metadata + ":sda");
        EXPECT_FALSE(out.found.members[0].set.level);
        // A signature alone is chance where there is a checksum as well.
        for (const std::size_t at : sample.must_match) {
            Bytes changed = sample.image;
            changed.bytes()[at] ^= std::byte{1};
            EXPECT_FALSE(*read_image(changed).result) << at;
        }
    }
}

TEST(FirmwareRaid, OnWholeDevicesOnly) {
    class Slot final : public ByteSource {
     public:
        explicit Slot(MemorySource& inner) : inner_(inner) {}
        const std::string& name() const override { return inner_.name(); }
        std::optional<std::uint64_t> size_bytes() const override { return inner_.size_bytes(); }
        std::uint64_t readable_bytes() const override { return inner_.readable_bytes(); }
        std::uint64_t sector_bytes() const override { return 512; }
        Result<std::span<const std::byte>> read(std::uint64_t at, std::size_t n) override {
            return inner_.read(at, n);
        }
        Tables tables() const override { return Tables::none; }

     private:
        MemorySource& inner_;
    };
    Bytes image(device);
    Intel{}.write(image);
    MemorySource disk("sda1", image.bytes(), device);
    Slot slot(disk);
    Found found;
    EXPECT_FALSE(*read_firmware_raid(slot, found));
    EXPECT_EQ(disk.reads, 0U);
}

TEST(FirmwareRaid, FewReadsWhateverTheSize) {
    const auto out = read_image(Bytes(4 * MiB));
    EXPECT_FALSE(*out.result);
    EXPECT_LE(out.reads, 40U);
    EXPECT_LE(out.bytes_read, 40U * 512);
}

TEST(FirmwareRaid, HostileFields) {
    for (std::size_t at = 36; at < 700; at += 2) {
        for (const std::uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
            Intel md;
            Bytes image(device);
            md.patch = [&](Bytes& whole, std::size_t length) {
                for (std::size_t i = at; i < std::min(at + 4, length); ++i) whole.u8(i, value);
            };
            md.write(image);
            const auto out = read_image(image);
            EXPECT_LE(out.bytes_read, 256 * KiB);
            EXPECT_TRUE(out.result.ok() || out.result.error().kind == ErrorKind::bad_data);
        }
    }
    for (std::size_t at = 96; at < 256; at += 2) {
        for (const std::uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
            Ddf md;
            Bytes image(device, md.order);
            md.patch = [&](Bytes& whole, std::size_t header) {
                for (std::size_t i = 0; i < 4; ++i) whole.u8(header + at + i, value);
            };
            md.write(image);
            const auto out = read_image(image);
            EXPECT_LE(out.bytes_read, 512 * KiB);
            EXPECT_TRUE(out.result.ok() || out.result.error().kind == ErrorKind::bad_data);
        }
    }
}

TEST(FirmwareRaid, CutAnywhere) {
    constexpr std::uint64_t size = 64 * KiB;
    Bytes intel(size), ddf(size, ByteOrder::big);
    Intel{}.write(intel);
    Ddf small;
    small.primary = 96, small.secondary = 112;
    small.write(ddf);
    for (Bytes* image : {&intel, &ddf}) {
        for (std::uint64_t length = size - 4096; length <= size; ++length) {
            const auto end = image->bytes().begin() + static_cast<std::ptrdiff_t>(length);
            MemorySource head("sda", {image->bytes().begin(), end}, size);
            Found found;
            const auto result = read_firmware_raid(head, found);
            EXPECT_TRUE(length == size || image == &intel || (result.ok() && !*result)) << length;
        }
    }
}

}  // namespace
}  // namespace diskwright
