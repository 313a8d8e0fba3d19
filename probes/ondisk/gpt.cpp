// SPDX-License-Identifier: BSD-2-Clause
// Layout: NetBSD/src:sys/sys/disklabel_gpt.h (struct gpt_hdr, gpt_ent); what makes a copy valid:
// freebsd/freebsd-src:sys/geom/part/g_part_gpt.c (gpt_read_hdr, gpt_read_tbl), which takes the backup when
// the primary is damaged; openbsd/src:sbin/fdisk/gpt.c.
#include "probes/ondisk/gpt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/format.hpp"
#include "probes/ondisk/mbr.hpp"
#include "probes/support/byte_reader.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint32_t smallest_header = 92, revision_1 = 0x00010000, smallest_entry = 128;
// FreeBSD's limit of 4096 entries of the usual size.
constexpr std::uint64_t most_table_bytes = 512 * KiB;
constexpr std::uint32_t most_entries = 4096;

std::string guid_text(const ByteReader& in, std::size_t at) {
    const auto byte = [&](std::size_t i) { return *in.u8(at + i); };
    return fmt::format("{:08x}-{:04x}-{:04x}-{:02x}{:02x}-{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}", *in.u32(at),
                       *in.u16(at + 4), *in.u16(at + 6), byte(8), byte(9), byte(10), byte(11), byte(12),
                       byte(13), byte(14), byte(15));
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0 | (code >> 6));
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0 | (code >> 12));
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xf0 | (code >> 18));
        tail(12), tail(6), tail(0);
    }
}

// UTF-16LE up to the first zero; half a surrogate pair becomes the replacement character.
std::string name_text(const ByteReader& in, std::size_t at, std::size_t units) {
    std::string out;
    for (std::size_t i = 0; i < units; ++i) {
        std::uint32_t code = *in.u16(at + 2 * i);
        if (code == 0) break;
        if (code >= 0xd800 && code < 0xdc00 && i + 1 < units) {
            const std::uint32_t low = *in.u16(at + 2 * (i + 1));
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                ++i;
            }
        }
        append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    }
    return out;
}

struct Header {
    GptHeader fields;
    std::uint32_t size = 0, crc = 0, revision = 0;
};

Header decode_header(const ByteReader& in, std::uint64_t offset) {
    Header h;
    h.revision = *in.u32(8), h.size = *in.u32(12), h.crc = *in.u32(16);
    h.fields = {offset,      *in.u64(24),       *in.u64(32), *in.u64(40), *in.u64(48),
                *in.u64(72), guid_text(in, 56), *in.u32(80), *in.u32(84), *in.u32(88)};
    return h;
}

std::uint32_t header_crc(std::span<const std::byte> bytes, std::uint32_t size) {
    std::vector<std::byte> copy(bytes.begin(), bytes.begin() + size);
    std::fill_n(copy.begin() + 16, 4, std::byte{0});
    return crc32(copy);
}

// Empty when the header can be used.
std::string fault_of(const Header& h, std::span<const std::byte> bytes, std::uint64_t lba) {
    if (h.size < smallest_header || h.size > bytes.size()) return fmt::format("header of {} bytes", h.size);
    const std::uint32_t crc = header_crc(bytes, h.size);
    if (crc != h.crc) return fmt::format("header checksum is {:#010x}, should be {:#010x}", h.crc, crc);
    if (h.revision < revision_1) return fmt::format("revision {:#x}", h.revision);
    const GptHeader& f = h.fields;
    if (f.my_lba != lba) return fmt::format("header says it stands in sector {}", f.my_lba);
    const bool power = f.entry_size >= smallest_entry && (f.entry_size & (f.entry_size - 1)) == 0;
    if (!power) return fmt::format("entries of {} bytes", f.entry_size);
    if (f.first_usable > f.last_usable) return "no usable sector";
    return {};
}

void decode_entries(std::span<const std::byte> bytes, std::uint64_t offset, GptCopy& copy) {
    const std::uint32_t size = copy.header.entry_size;
    for (std::uint32_t i = 0; i < copy.header.entry_count; ++i) {
        const auto entry = bytes.subspan(std::size_t{i} * size, size);
        if (std::all_of(entry.begin(), entry.begin() + 16, [](std::byte b) { return b == std::byte{0}; }))
            continue;  // no type: unused
        const ByteReader in(entry);
        copy.entries.push_back({i, guid_text(in, 0), name_text(in, 56, 36), *in.u64(32), *in.u64(40),
                                *in.u64(48), offset + std::uint64_t{i} * size});
    }
}

void read_entries(ByteSource& source, std::uint64_t sector, GptCopy& copy) {
    const GptHeader& h = copy.header;
    if (h.entry_count > most_entries || std::uint64_t{h.entry_count} * h.entry_size > most_table_bytes) {
        copy.state = GptCopy::State::too_large;
        copy.why = fmt::format("{}@{:#x}: a GPT of {} entries of {} bytes: more than is read of one disk",
                               source.name(), h.at, h.entry_count, h.entry_size);
        return;
    }
    const auto offset = multiply(h.entries_lba, sector);
    const std::size_t length = std::size_t{h.entry_count} * h.entry_size;
    if (!offset) {
        copy.state = GptCopy::State::damaged;
        copy.why = fmt::format("{}@{:#x}: entries in sector {}", source.name(), h.at, h.entries_lba);
        return;
    }
    const auto bytes = source.read(*offset, length);
    if (!bytes) {
        copy.state = GptCopy::State::unreadable;
        return;
    }
    if (const std::uint32_t crc = crc32(*bytes); crc != h.entries_crc) {
        copy.state = GptCopy::State::damaged;
        copy.why = fmt::format("{}@{:#x}: checksum of the entries is {:#010x}, should be {:#010x}",
                               source.name(), *offset, h.entries_crc, crc);
        return;
    }
    decode_entries(*bytes, *offset, copy);
    copy.state = GptCopy::State::valid;
}

GptCopy read_copy(ByteSource& source, std::uint64_t sector, std::uint64_t lba) {
    GptCopy copy;
    const auto offset = multiply(lba, sector);
    const auto bytes = offset ? source.read(*offset, static_cast<std::size_t>(sector))
                              : Result<std::span<const std::byte>>(Error{});
    if (!bytes) {
        copy.state = GptCopy::State::unreadable;
        return copy;
    }
    const ByteReader in(*bytes);
    if (in.text(0, gpt_signature.size()) != gpt_signature) return copy;
    const Header header = decode_header(in, *offset);
    copy.header = header.fields;
    if (const auto fault = fault_of(header, *bytes, lba); !fault.empty()) {
        copy.state = GptCopy::State::damaged;
        copy.why = fmt::format("{}@{:#x}: {}", source.name(), *offset, fault);
        return copy;
    }
    read_entries(source, sector, copy);
    return copy;
}

}  // namespace

const GptCopy* Gpt::used() const {
    if (primary.state == GptCopy::State::valid) return &primary;
    return backup.state == GptCopy::State::valid ? &backup : nullptr;
}

Gpt read_gpt(ByteSource& source) {
    Gpt gpt;
    gpt.sector_bytes = table_sector(source);
    gpt.primary = read_copy(source, gpt.sector_bytes, 1);
    const std::uint64_t sectors = source.size_bytes().value_or(source.readable_bytes()) / gpt.sector_bytes;
    if (sectors < 3) return gpt;
    if (gpt.primary.state == GptCopy::State::valid) {
        gpt.backup = read_copy(source, gpt.sector_bytes, gpt.primary.header.alternate);
        gpt.backup_at_end = !source.size_bytes() || gpt.primary.header.alternate == sectors - 1;
    } else {
        // The signature gone, too: what sector the rest counts in is only told by where the backup stands.
        gpt.backup = read_copy(source, gpt.sector_bytes, sectors - 1);
        if (gpt.backup.state == GptCopy::State::absent && source.sector_bytes() == 512 &&
            gpt.primary.state == GptCopy::State::absent && sectors >= 24) {
            const GptCopy large = read_copy(source, 4096, sectors / 8 - 1);
            if (large.state == GptCopy::State::valid) gpt.backup = large, gpt.sector_bytes = 4096;
        }
    }
    return gpt;
}

const Gpt& gpt_of(ByteSource& source, Found& found) {
    if (!found.gpt) found.gpt = std::make_shared<const Gpt>(read_gpt(source));
    return *found.gpt;
}

}  // namespace diskwright
