// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/md_superblocks.hpp"

namespace diskwright::test {
namespace {

std::uint32_t folded(std::uint64_t sum) {
    return static_cast<std::uint32_t>((sum & 0xffffffff) + (sum >> 32));
}

}  // namespace

void seal_md1(Bytes& sb) {
    sb.u32(216, 0);
    const std::vector<std::byte>& bytes = sb.bytes();
    const ByteReader in(bytes);
    const std::size_t length = 256 + 2 * std::size_t{in.u32(220).value_or(0)};
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + 4 <= length; at += 4) sum += in.u32(at).value_or(0);
    if (length % 4 != 0) sum += in.u16(length - 2).value_or(0);
    sb.u32(216, folded(sum));
}

void seal_md0(Bytes& sb, ByteOrder order) {
    sb.u32(152, 0);
    const ByteReader in(sb.bytes(), order);
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < 4096; at += 4) sum += in.u32(at).value_or(0);
    sb.u32(152, folded(sum));
}

std::vector<std::byte> Md1::bytes() const {
    Bytes sb(4096);
    sb.u32(0, 0xa92b4efc).u32(4, 1).u32(8, features).text(16, uuid).text(32, name).u64(64, created);
    sb.u32(72, static_cast<std::uint32_t>(level)).u32(76, layout).u64(80, size).u32(88, chunk).u32(92, disks);
    sb.u32(96, static_cast<std::uint32_t>(bitmap_offset)).u32(100, static_cast<std::uint32_t>(new_level));
    sb.u64(104, reshape_position).u32(112, static_cast<std::uint32_t>(delta)).u32(116, new_layout);
    sb.u32(120, new_chunk).u64(128, data_offset).u64(136, data_size).u64(144, super_offset);
    sb.u64(152, recovery_offset).u32(160, device).text(168, "device-uuid-here").u64(192, created + 60);
    sb.u64(200, events).u64(208, resync_offset).u32(220, static_cast<std::uint32_t>(roles.size()));
    for (std::size_t i = 0; i < roles.size(); ++i) sb.u16(256 + 2 * i, roles[i]);
    seal_md1(sb);
    return sb.bytes();
}

std::vector<std::byte> Md0::bytes() const {
    Bytes sb(4096, order);
    const auto word = [&](std::size_t index, std::uint32_t value) { sb.u32(4 * index, value); };
    word(0, 0xa92b4efc), word(1, 0), word(2, minor), word(3, 0), word(5, 0x11223344), word(6, created);
    word(7, static_cast<std::uint32_t>(level)), word(8, size), word(9, disks), word(10, disks);
    word(11, preferred), word(13, 0x55667788), word(14, 0x99aabbcc), word(15, 0xddeeff00);
    word(32, created + 60), word(33, state), word(34, disks), word(35, disks);
    const auto low = static_cast<std::uint32_t>(events), high = static_cast<std::uint32_t>(events >> 32);
    word(39, order == ByteOrder::little ? low : high), word(40, order == ByteOrder::little ? high : low);
    sb.u64(176, reshape_position), word(46, static_cast<std::uint32_t>(new_level));
    word(47, static_cast<std::uint32_t>(delta)), word(48, new_layout), word(49, new_chunk);
    word(64, layout), word(65, chunk);
    for (std::uint32_t i = 0; i < disks && i < 27; ++i) {
        const std::size_t at = 128 + 32 * std::size_t{i};
        word(at, i), word(at + 1, 8), word(at + 2, 16 * i + 1), word(at + 3, i), word(at + 4, 6);
    }
    word(992, slot), word(993, 8), word(994, 16 * slot + 1), word(995, slot), word(996, slot_state);
    seal_md0(sb, order);
    return sb.bytes();
}

std::vector<std::byte> md_bitmap_header(const std::string& uuid, std::uint64_t events,
                                        std::uint64_t sectors) {
    Bytes out(256);
    out.u32(0, 0x6d746962).u32(4, 4).text(8, uuid).u64(24, events).u64(32, events).u64(40, sectors);
    out.u32(52, 65536 * 1024).u32(56, 5);
    return out.bytes();
}

}  // namespace diskwright::test
