// SPDX-License-Identifier: BSD-2-Clause
// Damage behind checksums that are right: each byte of the metadata of sets with a bit flipped, and at both
// ends of its range. Whatever the fields then say, reading ends in bounded work.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "probes/support/text.hpp"
#include "tests/fuzz/families.hpp"
#include "tests/support/firmware_raid.hpp"
#include "tests/support/geom_metadata.hpp"
#include "tests/support/md_superblocks.hpp"
#include "tests/support/reseal.hpp"
#include "tests/support/softraid_metadata.hpp"
#include "tests/support/zfs_labels.hpp"

namespace diskwright {
namespace {

struct Sealed {
    std::string name, family;
    std::vector<std::byte> image;
    std::size_t at, length;  // of what is damaged
};

Sealed with_md0(ByteOrder order) {
    test::Md0 sb;
    sb.order = order;
    sb.size = 64;
    constexpr std::size_t device = 256 * KiB;
    test::Bytes image(device);
    image.copy(test::md0_place(device), sb.bytes());
    return {order == ByteOrder::big ? "md 0.90, big-endian" : "md 0.90", "linux-raid", image.bytes(),
            test::md0_place(device), 300};
}

Sealed with_md1() {
    test::Md1 sb;
    sb.size = 256, sb.data_offset = 64, sb.data_size = 256;
    test::Bytes image(256 * KiB);
    image.copy(4096, sb.bytes());
    return {"md 1.2", "linux-raid", image.bytes(), 4096, 264};
}

Sealed with_geom(const std::string& name, test::geom::Writer writer) {
    const std::size_t length = writer.length();
    return {name, "geom", test::geom::image(writer), test::geom::provider - 512, length};
}

Sealed with_ddf(ByteOrder order, bool mdadm, std::size_t at, std::size_t length) {
    test::Ddf md;
    md.order = order, md.crc_of_mdadm = mdadm, md.primary = 64, md.secondary = 128;
    test::Bytes image(256 * KiB, order);
    md.write(image);
    return {"DDF at " + std::to_string(at), "linux-raid", image.bytes(), at, length};
}

std::vector<Sealed> sealed() {
    std::vector<Sealed> out;
    auto softraid = test::write_softraid({});
    softraid.bytes().resize(64 * KiB);
    out.push_back({"softraid", "bsd-raid", softraid.bytes(), test::SoftraidMetadata::at, 168 + 3 * 92});
    out.push_back(with_geom("gmirror", test::geom::Mirror{}.write()));
    out.push_back(with_geom("gmirror 1", test::geom::Mirror{.version = 1}.write()));
    out.push_back(with_geom("graid3", test::geom::Raid3{}.write()));
    out.push_back(with_geom("gjournal", test::geom::journal(3, 4096, 8192)));
    out.push_back(with_geom("geli", test::geom::eli(7, 0x10, 22, 0, 512)));
    out.push_back(with_geom("geli 0", test::geom::eli(0, 0, 11, 0, 512)));
    out.push_back(with_md0(ByteOrder::little));
    out.push_back(with_md0(ByteOrder::big));
    out.push_back(with_md1());
    out.push_back(with_ddf(ByteOrder::big, false, 256 * KiB - 512, 240));
    out.push_back(with_ddf(ByteOrder::little, true, 64 * 512, 240));
    out.push_back(with_ddf(ByteOrder::big, false, 67 * 512, 600));
    test::Bytes intel(256 * KiB);
    const std::size_t length = test::Intel{}.write(intel);
    out.push_back({"Intel", "linux-raid", intel.bytes(), 510 * 512, std::min<std::size_t>(length, 512)});
    return out;
}

void expect_bounded(const Sealed& set, const std::vector<std::byte>& image, bool as_host) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(image.data());
    EXPECT_TRUE(fuzz::read_as(set.family, data, image.size()).within(fuzz::most_of_one));
    if (!as_host) return;
    std::vector<std::uint8_t> host(1 + image.size());
    std::copy_n(data, image.size(), host.begin() + 1);
    EXPECT_TRUE(fuzz::read_as_host(host.data(), host.size()).within(fuzz::most_of_host));
}

// Of that family's readers: how many members, set names and partitions come of it.
std::size_t read(const Sealed& set, const std::vector<std::byte>& image) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(image.data());
    return fuzz::read_as(set.family, data, image.size()).facts;
}

TEST(ResealedSets, WholeOnesStayAsTheyAre) {
    for (const Sealed& set : sealed()) {
        SCOPED_TRACE(set.name);
        auto bytes = set.image;
        test::reseal(bytes);
        EXPECT_TRUE(bytes == set.image);
        EXPECT_GT(read(set, bytes), 0U);
    }
    auto zfs = test::zfs_image().bytes();
    const auto whole = zfs;
    test::reseal(zfs);
    EXPECT_TRUE(zfs == whole);
}

TEST(ResealedSets, EveryDamagedByteEndsInBoundedWork) {
    for (const Sealed& set : sealed()) {
        SCOPED_TRACE(set.name);
        for (std::size_t i = 0; i < set.length; ++i) {
            SCOPED_TRACE(i);
            const auto was = set.image[set.at + i];
            for (const auto value :
                 {was ^ static_cast<std::byte>(1 << i % 8), std::byte{0}, std::byte{0xff}}) {
                if (value == was) continue;
                auto bytes = set.image;
                bytes[set.at + i] = value;
                test::reseal(bytes);
                expect_bounded(set, bytes, i % 4 == 0);
            }
        }
    }
}

// One label of ZFS is a hundred kilobytes to sum: fewer bytes, in all four labels alike.
TEST(ResealedSets, DamagedLabelsOfZfs) {
    std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same damage each time
    const Sealed set{"zfs", "contents", test::zfs_image().bytes(), 16 * KiB, 700};
    for (int round = 0; round < 60; ++round) {
        SCOPED_TRACE(round);
        auto bytes = set.image;
        for (int k = 0; k <= round % 4; ++k) {
            const std::size_t at = random() % set.length;
            const auto value = static_cast<std::byte>(random() & 0xff);
            for (const std::size_t label : {0, 1, 2, 3}) bytes[label * 256 * KiB + set.at + at] = value;
        }
        test::reseal(bytes);
        expect_bounded(set, bytes, round % 8 == 0);
    }
}

}  // namespace
}  // namespace diskwright
