// SPDX-License-Identifier: BSD-2-Clause
// DragonFly's label with byte offsets, 512 bytes into the slice; a backup stands where d_abase says. Layout:
// DragonFlyBSD/DragonFlyBSD:sys/sys/disklabel64.h; checks: sys/kern/subr_disklabel64.c.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "probes/ondisk/checksums.hpp"
#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/partition_types.hpp"
#include "probes/support/byte_reader.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t label_at = 512, crc_at = 4, count_at = 12, total_at = 32, first_at = 48, stop_at = 56,
                      partitions_at = 200, partition_size = 64;  // from d_magic on
constexpr std::uint32_t most_partitions = 16;
constexpr std::size_t largest = partitions_at + most_partitions * partition_size;

Error damaged(const ByteSource& source, const std::string& what) {
    return {ErrorKind::bad_data, fmt::format("{}@{:#x}: disklabel64: {}", source.name(), label_at, what)};
}

bool write_row(const ByteSource& source, const ByteReader& in, std::uint32_t index, Found& found) {
    const std::size_t at = partitions_at + index * partition_size;
    const std::uint64_t offset = *in.u64(at), size = *in.u64(at + 8);
    const std::uint8_t type = *in.u8(at + 16);
    if (size == 0) return false;
    const char letter = static_cast<char>('a' + index);
    const Provenance from = at_byte(
        source, label_at + at, fmt::format("{}: {} bytes from byte {}, type {}", letter, size, offset, type));
    if (!add(offset, size)) {
        found.damage.push_back(fmt::format("{}: {} is out of range", from.source(), letter));
        return false;
    }
    // The label on da0:1 names its partitions da0s1a.
    std::string name = source.name();
    std::replace(name.begin(), name.end(), ':', 's');
    Partition& p = partition(found.facts, name + letter);
    p.parent = source.name();
    p.scheme = Known<Scheme>(Scheme::disklabel, from);
    p.index = Number(index, from);
    p.type = Text(dragonfly_label_type(type), from);
    p.start_bytes = Number(offset, from);
    p.size_bytes = Number(size, from);
    found.slots.push_back({p.name, offset, size, Os::dragonfly});
    return true;
}

}  // namespace

Result<bool> read_disklabel64(ByteSource& source, Found& found) {
    if (source.tables() == ByteSource::Tables::none) return false;
    const std::uint64_t there = source.readable_bytes();
    if (there < label_at + partitions_at) return false;
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(there - label_at, largest));
    const auto bytes = source.read(label_at, length);
    if (!bytes) {
        if (bytes.error().kind == ErrorKind::no_input) return false;
        return bytes.error();
    }
    const ByteReader in(*bytes);
    if (*in.u32(0) != disklabel64_magic) return false;
    const std::uint32_t count = *in.u32(count_at);
    if (count > most_partitions) return damaged(source, fmt::format("{} partitions", count));
    const std::size_t covered = partitions_at + count * partition_size;
    if (covered > length) return false;  // the image ends inside
    std::vector<std::byte> copy(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(covered));
    std::fill_n(copy.begin() + crc_at, 4, std::byte{0});
    if (const std::uint32_t crc = crc32(copy); crc != *in.u32(crc_at))
        return damaged(source, fmt::format("checksum is {:#010x}, should be {:#010x}", *in.u32(crc_at), crc));
    const Provenance from = at_byte(source, label_at, fmt::format("disklabel64: {} partitions", count));
    std::uint64_t shown = 0;
    for (std::uint32_t i = 0; i < count; ++i) shown += write_row(source, in, i, found) ? 1 : 0;
    PartitionTable& t = table(found.facts, source.name(), Scheme::disklabel);
    t.scheme = Known<Scheme>(Scheme::disklabel, from);
    t.total_bytes = Number(*in.u64(total_at), from);
    t.first_usable_bytes = Number(*in.u64(first_at), from);
    t.last_usable_bytes = Number(*in.u64(stop_at), from);
    t.entries_shown = Number(shown, from);
    return true;
}

}  // namespace diskwright
