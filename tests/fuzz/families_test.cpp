// SPDX-License-Identifier: BSD-2-Clause
// The fuzzers' entry points, fed with stored images and with images that were damaged with fixed seeds.
#include "tests/fuzz/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "probes/ondisk/formats.hpp"
#include "tests/support/files.hpp"
#include "tests/support/images.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/reseal.hpp"

namespace diskwright {
namespace {

TEST(Fuzz, EveryFormatIsInOneFamily) {
    for (const OnDiskFormat& format : on_disk_formats()) {
        std::size_t count = 0;
        for (const fuzz::Family& family : fuzz::families())
            count += static_cast<std::size_t>(
                std::count(family.formats.begin(), family.formats.end(), format.name));
        EXPECT_EQ(count, 1U) << format.name;
    }
    const auto formats = on_disk_formats();
    for (const fuzz::Family& family : fuzz::families())
        for (const auto name : family.formats)
            EXPECT_TRUE(std::any_of(formats.begin(), formats.end(), [&](const OnDiskFormat& f) {
                return f.name == name;
            })) << name;
}

std::vector<std::byte> damaged(std::vector<std::byte> image, std::mt19937& random, int bytes) {
    // Where something stands: most of an image is empty.
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < image.size(); ++i)
        if (image[i] != std::byte{0}) used.push_back(i);
    for (int k = 0; k < bytes && !used.empty(); ++k)
        image[used[random() % used.size()]] = static_cast<std::byte>(random() & 0xff);
    return image;
}

fuzz::Cost expect_bounded(const std::vector<std::byte>& image, bool one_disk) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(image.data());
    for (const fuzz::Family& family : fuzz::families())
        EXPECT_TRUE(fuzz::read_as(family.name, data, image.size()).within(fuzz::most_of_one)) << family.name;
    // Behind a first byte that says into how many disks it is cut.
    std::vector<std::uint8_t> host(1 + image.size());
    std::copy_n(data, image.size(), host.begin() + 1);
    host[0] = one_disk ? 0 : 3;
    const auto cost = fuzz::read_as_host(host.data(), host.size());
    EXPECT_TRUE(cost.within(fuzz::most_of_host))
        << cost.reads << " reads, " << cost.bytes_read << " bytes, " << cost.facts << " facts";
    return cost;
}

// One image of each folder: what is in it as every family, whole and damaged, with checksums that are wrong
// then and with right ones.
TEST(Fuzz, StoredImagesThroughEveryEntryPoint) {
    std::mt19937 random(4);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same damage each time
    std::size_t read = 0;
    for (const auto& folder : test::entries(test::data_folder() / "images")) {
        const auto files = test::entries(folder);
        for (std::size_t i = 0; i < files.size(); i += 7) {
            if (files[i].extension() != ".gz") continue;
            SCOPED_TRACE(files[i].filename().string());
            const auto image = test::stored_image((folder.filename() / files[i].filename()).string());
            EXPECT_GT(expect_bounded(image, true).facts, 1U) << "more than the disk itself";
            for (int round = 0; round < 8; ++round) {
                auto bytes = damaged(image, random, 8 << (round / 2));
                if (round % 2 == 0) test::reseal(bytes);
                expect_bounded(bytes, round % 4 < 2);
                ++read;
            }
        }
    }
    EXPECT_GE(read, 40U);
}

// Resealing leaves whole images as they are, and makes right what was damaged.
TEST(Fuzz, ResealedChecksumsAreRight) {
    Found found;
    auto gpt = test::Bytes(4096 * 512);
    test::write_gpt(gpt, 512, {{"516e7cb6-6ecf-11d6-8ff8-00022d09712b", 64, 3999}});
    auto bytes = gpt.bytes();
    test::reseal(bytes);
    EXPECT_EQ(bytes, gpt.bytes());
    bytes.at(2 * 512 + 32) = std::byte{80};  // the first sector of the entry
    test::reseal(bytes);
    test::MemorySource source("sd0", bytes, bytes.size());
    ASSERT_TRUE(*read_gpt_table(source, found));
    EXPECT_TRUE(found.facts.partitions.at(0).start_bytes.is(80 * 512));
    EXPECT_EQ(found.damage.size(), 1U) << "the two copies differ, and nothing else";

    bytes = test::stored_image("ffs/freebsd-001-default-8m.gz");
    const auto whole = bytes;
    test::reseal(bytes);
    EXPECT_EQ(bytes, whole);
    bytes.at(65536 + 60) = std::byte{11};  // fs_minfree
    test::reseal(bytes);
    test::MemorySource ffs("sd0", bytes);
    Found inside;
    ASSERT_TRUE(*read_ffs(ffs, inside));
    EXPECT_EQ(inside.damage, std::vector<std::string>{});
    EXPECT_TRUE(inside.facts.filesystems.at(0).minfree_percent.is(11));
}

// As much as one image can make of discovery: a table of slots that all hold the whole rest.
TEST(Fuzz, ATableOfManySlotsIsBounded) {
    test::Bytes image(8192 * 512);
    std::vector<test::GptRow> rows(128, {"516e7cb6-6ecf-11d6-8ff8-00022d09712b", 64, 4000});
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].last -= i;
    test::write_gpt(image, 512, rows);
    const auto cost = expect_bounded(image.bytes(), true);
    EXPECT_GE(cost.facts, 128U);
    EXPECT_LE(cost.reads, 128U * 64);
}

}  // namespace
}  // namespace diskwright
