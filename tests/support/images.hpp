// SPDX-License-Identifier: BSD-2-Clause
// Images for tests of on-disk readers: stored ones (tests/data/images, gzip), and tables written by the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/bytes.hpp"

namespace diskwright::test {

/// A file of tests/data/images, expanded.
std::vector<std::byte> stored_image(const std::string& name);

struct MbrRow {
    std::uint8_t type;
    std::uint32_t start, sectors;
    bool active = false;
};
/// A DOS table in the sector that begins at `at`.
void write_mbr(Bytes& image, std::size_t at, const std::vector<MbrRow>& rows);

struct GptRow {
    std::string_view type;  // GUID
    std::uint64_t first, last;
    std::string_view name = {};
};
/// A protective MBR and both copies of a GPT; the image is the whole device.
void write_gpt(Bytes& image, std::uint64_t sector, const std::vector<GptRow>& rows);

struct LabelRow {
    std::uint64_t size, offset;
    std::uint8_t type;
    std::uint32_t fsize = 0;
    std::uint8_t frag = 0;
};
/// A 4.4BSD label of `rows.size()` partitions at `at`, with its checksum; byte order is that of the image.
void write_label(Bytes& image, std::size_t at, std::uint32_t total, const std::vector<LabelRow>& rows,
                 std::uint32_t sector = 512);
/// The checksum of the label at `at` anew, after a test has changed fields.
void seal_label(Bytes& image, std::size_t at, std::uint16_t partitions);

}  // namespace diskwright::test
