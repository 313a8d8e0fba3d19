// SPDX-License-Identifier: BSD-2-Clause
// The fuzzers' entry points, fed with stored images and with images that were damaged with fixed seeds.
#include "tests/fuzz/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "probes/ondisk/format.hpp"
#include "tests/support/files.hpp"
#include "tests/support/images.hpp"

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

// One image of each folder: what is in it as every family, whole and damaged.
TEST(Fuzz, StoredImagesThroughEveryEntryPoint) {
    std::mt19937 random(4);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same damage each time
    std::size_t read = 0;
    for (const auto& folder : test::entries(test::data_folder() / "images")) {
        const auto files = test::entries(folder);
        for (std::size_t i = 0; i < files.size(); i += 7) {
            if (files[i].extension() != ".gz") continue;
            const auto image = test::stored_image((folder.filename() / files[i].filename()).string());
            std::vector<std::uint8_t> bytes(image.size());
            std::transform(image.begin(), image.end(), bytes.begin(),
                           [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
            for (int damage = 0; damage < 8; ++damage) {
                for (const fuzz::Family& family : fuzz::families())
                    EXPECT_EQ(fuzz::read_as(family.name, bytes.data(), bytes.size()), 0);
                EXPECT_EQ(fuzz::read_as_host(bytes.data(), bytes.size()), 0);
                for (int k = 0; k < 64; ++k)
                    bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
                ++read;
            }
        }
    }
    EXPECT_GE(read, 40U);
}

}  // namespace
}  // namespace diskwright
