// SPDX-License-Identifier: BSD-2-Clause
// The 4.4BSD disk label. Layout: NetBSD/src:sys/sys/disklabel.h, openbsd/src:sys/sys/disklabel.h (version 1
// has 48-bit sizes and offsets, and sizes of blocks in one byte), freebsd/freebsd-src:sys/sys/disk/bsd.h.
// Where it stands differs by port (LABELSECTOR and LABELOFFSET of sys/arch/*/include/disklabel.h): the first
// 16 sectors of the disk hold every place of them, at a multiple of four bytes; on disks with an MBR or a GPT
// the same of the system's own slot. Byte order is that of the machine. NetBSD and OpenBSD count from the
// start of the disk, FreeBSD from the start of the slice once the offset of c is subtracted
// (freebsd/freebsd-src:sys/geom/part/g_part_bsd.c).
#include "probes/ondisk/disklabel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/ondisk/label_search.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/support/byte_reader.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t magic2_at = 132, partitions_at = 148, partition_size = 16;
constexpr std::uint32_t most_partitions = 64;  // OpenBSD 7.8 has 52
constexpr std::size_t largest_label = partitions_at + most_partitions * partition_size;
constexpr std::size_t searched = 8192;

bool plausible_sector(std::uint32_t sector) {
    return sector >= 128 && sector <= 65536 && (sector & (sector - 1)) == 0;
}

std::uint16_t checksum(const ByteReader& in, std::size_t at, std::uint32_t count) {
    std::uint16_t sum = 0;
    for (std::size_t i = 0; i < partitions_at + count * partition_size; i += 2)
        sum = static_cast<std::uint16_t>(sum ^ *in.u16(at + i));
    return sum;
}

// The fields from 64 on differ: OpenBSD has the uid there and a version at 114, where NetBSD and FreeBSD have
// spare words; those have a rotation speed and an interleave where OpenBSD has bounds.
bool looks_like_openbsd(const ByteReader& in, std::size_t at) {
    if (*in.u16(at + 114) == 1) return true;
    const bool spinning = *in.u16(at + 72) != 0 || *in.u16(at + 74) != 0;
    return *in.u64(at + 64) != 0 && !spinning;
}

void decode_sizes(const ByteReader& in, std::size_t p, bool version1, DisklabelRow& out) {
    if (version1) {
        const std::uint8_t fragblock = *in.u8(p + 13);
        const std::uint32_t shift = fragblock >> 3, frag = fragblock & 7;
        if (fragblock == 0 || frag == 0 || shift > 8) return;
        out.bsize = std::uint64_t{1} << (shift + 12);
        out.fsize = out.bsize >> (frag - 1);
    } else {
        out.fsize = *in.u32(p + 8);
        out.bsize = out.fsize * *in.u8(p + 13);
    }
}

Disklabel decode(const ByteReader& in, std::size_t at, std::uint64_t source_at, std::optional<Os> hint) {
    Disklabel label;
    label.at = source_at;
    label.sector = *in.u32(at + 40);
    label.count = *in.u16(at + 138);
    label.total = *in.u32(at + 60);
    label.os = hint.value_or(looks_like_openbsd(in, at) ? Os::openbsd : Os::netbsd);
    const bool openbsd = label.os == Os::openbsd, version1 = openbsd && *in.u16(at + 114) == 1;
    if (openbsd) {
        label.total |= std::uint64_t{*in.u16(at + 112)} << 32;
        label.bound_start = *in.u32(at + 80) | std::uint64_t{*in.u16(at + 76)} << 32;
        label.bound_end = *in.u32(at + 84) | std::uint64_t{*in.u16(at + 78)} << 32;
    }
    for (std::uint32_t i = 0; i < label.count; ++i) {
        const std::size_t p = at + partitions_at + i * partition_size;
        DisklabelRow part{i, *in.u32(p + 4), *in.u32(p), *in.u8(p + 12), 0, 0, source_at + (p - at)};
        if (version1) {
            part.offset |= std::uint64_t{*in.u16(p + 8)} << 32;
            part.size |= std::uint64_t{*in.u16(p + 10)} << 32;
        }
        decode_sizes(in, p, version1, part);
        label.partitions.push_back(part);
    }
    return label;
}

Error damaged(const ByteSource& source, std::uint64_t at, std::string_view what) {
    return {ErrorKind::bad_data, fmt::format("{}@{:#x}: disk label: {}", source.name(), at, what)};
}

// The label that begins at `at`, if one does: both magic numbers in one byte order, counts in range, and
// words that sum to zero.
Result<std::optional<Disklabel>> label_at(const ByteSource& source, std::span<const std::byte> bytes,
                                          std::size_t at, std::uint64_t base, std::optional<Os> hint) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
        const ByteReader in(bytes, order);
        const bool first = in.u32(at) == disklabel_magic, second = in.u32(at + magic2_at) == disklabel_magic;
        if (!first && !second) continue;
        const auto count = in.u16(at + 138);
        const bool whole = count && *count > 0 && *count <= most_partitions &&
                           at + partitions_at + *count * partition_size <= bytes.size();
        const bool sane = whole && plausible_sector(*in.u32(at + 40));
        // One magic number alone is no label unless the rest is like one.
        if (first != second && !sane) continue;
        if (!whole && count && *count > 0 && *count <= most_partitions) return std::optional<Disklabel>{};
        if (!sane)
            return damaged(source, base + at,
                           fmt::format("{} partitions of sectors of {} bytes", count.value_or(0),
                                       in.u32(at + 40).value_or(0)));
        if (first != second || checksum(in, at, *count) != 0)
            return damaged(source, base + at, "checksum wrong, the label is not used");
        return std::optional(decode(in, at, base + at, hint));
    }
    return std::optional<Disklabel>{};
}

// Where a label may begin: either of its magic numbers may be damaged.
std::vector<std::size_t> candidates(std::span<const std::byte> bytes) {
    std::vector<std::size_t> out;
    for (const std::size_t at : label_magic_places(bytes, searched + magic2_at)) {
        if (at < searched) out.push_back(at);
        if (at >= magic2_at) out.push_back(at - magic2_at);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

Result<std::optional<Disklabel>> find_disklabel(ByteSource& source, std::uint64_t base,
                                                std::optional<Os> hint) {
    const std::uint64_t there = source.readable_bytes() - std::min(source.readable_bytes(), base);
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(there, searched + largest_label));
    if (length < partitions_at) return std::optional<Disklabel>{};
    const auto bytes = source.read(base, length);
    if (!bytes) {
        if (bytes.error().kind == ErrorKind::no_input) return std::optional<Disklabel>{};
        return bytes.error();
    }
    std::optional<Error> first_error;
    for (const std::size_t at : candidates(*bytes)) {
        if (at + partitions_at > length) break;
        auto label = label_at(source, *bytes, at, base, hint);
        if (!label && !first_error) first_error = label.error();
        if (label && *label) return label;
    }
    if (first_error) return *first_error;
    return std::optional<Disklabel>{};
}

}  // namespace diskwright
