// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/images.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "probes/ondisk/checksums.hpp"
#include "probes/support/text.hpp"
#include "tests/support/files.hpp"

namespace diskwright::test {

std::vector<std::byte> stored_image(const std::string& name) {
    const std::string packed = read_file(data_folder() / "images" / name);
    const std::unique_ptr<archive, decltype(&archive_read_free)> in(archive_read_new(), archive_read_free);
    archive_read_support_filter_gzip(in.get());
    archive_read_support_format_raw(in.get());
    std::vector<std::byte> out;
    archive_entry* entry = nullptr;
    if (archive_read_open_memory(in.get(), packed.data(), packed.size()) != ARCHIVE_OK ||
        archive_read_next_header(in.get(), &entry) != ARCHIVE_OK) {
        ADD_FAILURE() << name << " cannot be expanded";
        return out;
    }
    char buffer[64 * KiB];
    for (la_ssize_t count; (count = archive_read_data(in.get(), buffer, sizeof buffer)) > 0;) {
        const auto bytes = std::as_bytes(std::span(buffer, static_cast<std::size_t>(count)));
        out.insert(out.end(), bytes.begin(), bytes.end());
    }
    return out;
}

void write_mbr(Bytes& image, std::size_t at, const std::vector<MbrRow>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t e = at + 446 + 16 * i;
        image.u8(e, rows[i].active ? 0x80 : 0).u8(e + 4, rows[i].type);
        image.u32(e + 8, rows[i].start).u32(e + 12, rows[i].sectors);
    }
    image.u8(at + 510, 0x55).u8(at + 511, 0xaa);
}

namespace {

void write_guid(Bytes& image, std::size_t at, std::string_view guid) {
    const auto group = [&](std::size_t from, std::size_t length) {
        return to_hex(guid.substr(from, length)).value_or(0);
    };
    image.u32(at, static_cast<std::uint32_t>(group(0, 8)));
    image.u16(at + 4, static_cast<std::uint16_t>(group(9, 4)));
    image.u16(at + 6, static_cast<std::uint16_t>(group(14, 4)));
    for (std::size_t i = 0; i < 2; ++i) image.u8(at + 8 + i, static_cast<std::uint8_t>(group(19 + 2 * i, 2)));
    for (std::size_t i = 0; i < 6; ++i)
        image.u8(at + 10 + i, static_cast<std::uint8_t>(group(24 + 2 * i, 2)));
}

constexpr std::uint32_t entry_count = 128, entry_size = 128;

void write_gpt_copy(Bytes& image, std::uint64_t sector, std::uint64_t my, std::uint64_t other,
                    std::uint64_t table, const std::vector<GptRow>& rows) {
    const std::uint64_t table_sectors = entry_count * entry_size / sector;
    const std::uint64_t last = std::max(my, other);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t e = table * sector + i * entry_size;
        write_guid(image, e, rows[i].type);
        image.u8(e + 16, static_cast<std::uint8_t>(i + 1));
        image.u64(e + 32, rows[i].first).u64(e + 40, rows[i].last);
        for (std::size_t c = 0; c < rows[i].name.size(); ++c)
            image.u8(e + 56 + 2 * c, static_cast<std::uint8_t>(rows[i].name[c]));
    }
    const std::size_t h = my * sector;
    image.text(h, "EFI PART").u32(h + 8, 0x10000).u32(h + 12, 92).u32(h + 16, 0);
    image.u64(h + 24, my)
        .u64(h + 32, other)
        .u64(h + 40, 2 + table_sectors)
        .u64(h + 48, last - table_sectors - 1);
    write_guid(image, h + 56, "12345678-1234-4321-8888-123456789abc");
    image.u64(h + 72, table).u32(h + 80, entry_count).u32(h + 84, entry_size);
    image.u32(h + 88, crc32(image.part(table * sector, entry_count * entry_size)));
    image.u32(h + 16, crc32(image.part(h, 92)));
}

}  // namespace

void write_gpt(Bytes& image, std::uint64_t sector, const std::vector<GptRow>& rows) {
    const std::uint64_t last = image.bytes().size() / sector - 1,
                        table_sectors = entry_count * entry_size / sector;
    write_mbr(image, 0, {{0xee, 1, static_cast<std::uint32_t>(last)}});
    write_gpt_copy(image, sector, 1, last, 2, rows);
    write_gpt_copy(image, sector, last, 1, last - table_sectors, rows);
}

void seal_label(Bytes& image, std::size_t at, std::uint16_t partitions) {
    image.u16(at + 136, 0);
    std::uint8_t sum[2] = {0, 0};
    for (std::size_t i = 0; i < 148 + 16U * partitions; ++i)
        sum[i % 2] ^= std::to_integer<std::uint8_t>(image.bytes().at(at + i));
    image.u8(at + 136, sum[0]).u8(at + 137, sum[1]);
}

void write_label(Bytes& image, std::size_t at, std::uint32_t total, const std::vector<LabelRow>& rows,
                 std::uint32_t sector) {
    image.u32(at, 0x82564557).text(at + 8, "test").u32(at + 40, sector).u32(at + 44, 63).u32(at + 48, 16);
    image.u32(at + 56, 1008).u32(at + 60, total).u16(at + 72, 3600).u16(at + 74, 1).u32(at + 132, 0x82564557);
    image.u16(at + 138, static_cast<std::uint16_t>(rows.size())).u32(at + 140, 8192);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t p = at + 148 + 16 * i;
        image.u32(p, static_cast<std::uint32_t>(rows[i].size));
        image.u32(p + 4, static_cast<std::uint32_t>(rows[i].offset));
        image.u32(p + 8, rows[i].fsize).u8(p + 12, rows[i].type).u8(p + 13, rows[i].frag);
    }
    seal_label(image, at, static_cast<std::uint16_t>(rows.size()));
}

}  // namespace diskwright::test
