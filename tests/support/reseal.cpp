// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/reseal.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/ffs_superblock.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/sha256.hpp"
#include "tests/support/reseal_image.hpp"

namespace diskwright::test {
namespace {

void gpt(SealedImage& image, std::uint64_t at, std::uint64_t sector) {
    if (!image.has(at, "EFI PART") || !image.part(at, sector)) return;
    const auto in = image.read();
    const std::uint64_t size = *in.u32(at + 12), entries = *in.u32(at + 80), each = *in.u32(at + 84);
    const std::uint64_t first = *in.u64(at + 72);
    if (size < 92 || size > sector || first > image.size() / sector) return;
    if (const auto table = image.part(first * sector, entries * each)) image.put(at + 88, crc32(*table), 4);
    image.put(at + 16, 0, 4);
    image.put(at + 16, crc32(*image.part(at, size)), 4);
}

void label(SealedImage& image, std::uint64_t at) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const auto in = image.read(order);
        if (in.u32(at) != disklabel_magic || in.u32(at + 132) != disklabel_magic || !in.u16(at + 138))
            continue;
        const std::uint64_t length = 148 + 16 * std::uint64_t{*in.u16(at + 138)};
        if (!image.part(at, length)) continue;
        image.put(at + 136, 0, 2);
        std::uint16_t sum = 0;
        for (std::uint64_t i = 0; i < length; i += 2) sum = static_cast<std::uint16_t>(sum ^ *in.u16(at + i));
        image.put(at + 136, sum, 2, order);
    }
}

void label64(SealedImage& image) {
    const auto in = image.read();
    const auto count = in.u32(512 + 12);
    if (in.u32(512) != disklabel64_magic || !count || *count > 16) return;
    image.put(512 + 4, 0, 4);
    if (const auto covered = image.part(512, 200 + 64 * *count)) image.put(512 + 4, crc32(*covered), 4);
}

void ffs(SealedImage& image, std::uint64_t at) {
    namespace f = ffs_field;
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const auto in = image.read(order);
        const auto magic = in.u32(at + f::magic);
        if ((magic != ffs2_magic && magic != ffs2ea_magic) || *in.u32(at + f::ckhash) == 0) continue;
        const std::uint64_t length = *in.u32(at + f::sbsize);
        if (length < ffs_superblock_bytes || length > 8192 || !image.part(at, length)) continue;
        image.put(at + f::ckhash, 0, 4);
        image.put(at + f::ckhash, crc32c_update(~0U, *image.part(at, length)), 4, order);
    }
}

void ext(SealedImage& image) {
    const auto in = image.read();
    const bool summed =
        in.u16(ext_magic_at) == ext_magic && image.part(1024, 1024) && (*in.u32(1024 + 100) & 0x400) != 0;
    if (summed) image.put(1024 + 1020, crc32c_update(~0U, *image.part(1024, 1020)), 4);
}

void luks2(SealedImage& image, std::uint64_t at, std::string_view magic) {
    const auto size = image.read(ByteOrder::big).u64(at + 8);
    if (!image.has(at, magic) || !image.has(at + 72, "sha256") || !size || !image.part(at, *size)) return;
    if (*size < 512) return;
    const auto sum = *image.part(at + 448, 64);
    std::fill(sum.begin(), sum.end(), std::byte{0});
    const auto digest = sha256(*image.part(at, *size));
    std::copy(digest.begin(), digest.end(), sum.begin());
}

}  // namespace

void reseal(std::vector<std::byte>& bytes) {
    SealedImage image(bytes);
    for (const std::uint64_t sector : {512, 4096}) {
        gpt(image, sector, sector);
        if (bytes.size() >= 3 * sector) gpt(image, (bytes.size() / sector - 1) * sector, sector);
    }
    // Labels of slots begin a sector or two into them; a cheap search is as good.
    for (std::uint64_t at = 0; at + 148 <= std::min<std::uint64_t>(bytes.size(), 2 << 20); at += 64)
        label(image, at);
    label64(image);
    for (const std::uint64_t at : ffs_places) ffs(image, at);
    ext(image);
    luks2(image, 0, luks_magic);
    for (const std::uint64_t at : luks2_header_sizes) luks2(image, at, luks2_second_magic);
    reseal_sets(image);
}

}  // namespace diskwright::test
