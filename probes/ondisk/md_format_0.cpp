// SPDX-License-Identifier: BSD-2-Clause
// Superblock 0.90 of Linux md: 4096 bytes of 32-bit words in the byte order of the host that wrote them; the
// data before it. Layout and place: torvalds/linux:include/uapi/linux/raid/md_p.h (mdp_super_t); checksum:
// drivers/md/md.c (calc_sb_csum); words: md-raid-utilities/mdadm:super0.c (examine_super0).
#include "probes/model/md_words.hpp"
#include "probes/ondisk/md_superblock.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t reserved_bytes = 64 * 1024;
constexpr std::size_t superblock_bytes = 4096;
constexpr std::uint64_t most_disks = 27;  // descriptors that there is room for
constexpr std::uint64_t none = ~std::uint64_t{0};

// Offsets in bytes; the header counts in words.
namespace field {
constexpr std::size_t major_version = 4, minor_version = 8, set_uuid0 = 20, ctime = 24, level = 28, size = 32,
                      raid_disks = 40, md_minor = 44, set_uuid1 = 52, set_uuid2 = 56, set_uuid3 = 60,
                      state = 132, sb_csum = 152, events_first = 156, events_second = 160,
                      reshape_position = 176, new_level = 184, delta_disks = 188, new_layout = 192,
                      new_chunk = 196, layout = 256, chunk_size = 260, this_number = 3968,
                      this_raid_disk = 3980, this_state = 3984;
}
constexpr std::uint64_t clean = 1, bitmap_present = 1 << 8;                // state
constexpr std::uint64_t faulty = 1, active = 2, in_sync = 4, removed = 8;  // of a disk

std::uint64_t checksum(const Structure& in) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < superblock_bytes; at += 4) sum += at == field::sb_csum ? 0 : in.u32(at);
    return ((sum & 0xffffffff) + (sum >> 32)) & 0xffffffff;
}

// The halves of the counter stand in the order of the host's words.
std::uint64_t events(const Structure& in) {
    const std::uint64_t first = in.u32(field::events_first), second = in.u32(field::events_second);
    return in.order() == ByteOrder::little ? second << 32 | first : first << 32 | second;
}

std::string uuid(const Structure& in) {
    if (in.u32(field::minor_version) < 90) return fmt::format("{:08x}", in.u32(field::set_uuid0));
    return fmt::format("{:08x}:{:08x}:{:08x}:{:08x}", in.u32(field::set_uuid0), in.u32(field::set_uuid1),
                       in.u32(field::set_uuid2), in.u32(field::set_uuid3));
}

Error fault(const Structure& in, std::size_t offset, std::string_view what) {
    return {ErrorKind::bad_data, fmt::format("{}: md superblock: {}", in.place(offset), what)};
}

bool reshaping(const Structure& in) {
    return in.u32(field::minor_version) > 90 && in.u64(field::reshape_position) != none;
}

std::uint64_t slots(const Structure& in) {
    const std::int64_t delta = reshaping(in) ? signed_32(in.u32(field::delta_disks)) : 0;
    return in.u32(field::raid_disks) + static_cast<std::uint64_t>(delta < 0 ? -delta : 0);
}

std::vector<std::string> contradictions(const Structure& in) {
    std::vector<std::string> out;
    const auto check = [&](bool right, std::size_t offset, std::string_view what) {
        if (!right) out.push_back(fault(in, offset, what).message);
    };
    const std::int64_t level = signed_32(in.u32(field::level));
    check(md_level_exists(level), field::level, "no level that exists");
    const std::uint64_t chunk = in.u32(field::chunk_size);
    if (level == 0 || level == 4 || level == 5 || level == 6 || level == 10)
        check(power_of_two(chunk) && chunk >= 4096, field::chunk_size, "no chunk size that exists");
    if (level == 5 || level == 6 || level == 10)
        check(md_layout_exists(level, in.u32(field::layout)), field::layout, "no layout that exists");
    if (level > 0)
        check(in.u32(field::size) <= in.at() / 1024, field::size, "more is used of the device than it has");
    if ((in.u32(field::this_state) & in_sync) != 0)
        check(in.u32(field::this_raid_disk) < slots(in), field::this_raid_disk, "a role outside the set");
    return out;
}

void describe_reshape(const Structure& in, Volume& set) {
    if (!reshaping(in)) return;
    const std::uint64_t position = in.u64(field::reshape_position);
    if (const auto bytes = multiply(position, 512))
        set.reshape_position_bytes =
            Number(*bytes / 1024 * 1024,
                   in.from(field::reshape_position, fmt::format("reshape_position {}", position)));
    const MdShape from{signed_32(in.u32(field::level)), in.u32(field::layout), in.u32(field::chunk_size)};
    const MdShape to{signed_32(in.u32(field::new_level)), in.u32(field::new_layout),
                     in.u32(field::new_chunk)};
    const std::string text =
        md_reshape_text(from, to, signed_32(in.u32(field::delta_disks)), in.u32(field::raid_disks), true);
    if (!text.empty()) set.reshape_change = in.known(text, field::delta_disks, "reshape");
}

void describe_set(ByteSource& source, const Structure& in, MdSuperblock& out) {
    Volume& set = out.member.set;
    const std::int64_t level = signed_32(in.u32(field::level));
    const std::uint64_t layout = in.u32(field::layout), state = in.u32(field::state);
    set.name = fmt::format("md{}", in.u32(field::md_minor));
    set.kind = Known<VolumeKind>(VolumeKind::md, in.from(0, "md superblock"));
    set.metadata = in.known(std::string("0.90"), field::minor_version, "version");
    set.uuid = in.known(uuid(in), field::set_uuid0, "set_uuid");
    if (const auto known = md_level_of(level))
        set.level = Known<RaidLevel>(*known, in.from(field::level, fmt::format("level {}", level)));
    set.columns = in.known(in.u32(field::raid_disks), field::raid_disks, "raid_disks");
    set.layout = md_layout_fact(level, layout, in.from(field::layout, fmt::format("layout {:#x}", layout)));
    if (const std::uint64_t chunk = in.u32(field::chunk_size); chunk > 0 && level >= 0 && level != 1)
        set.stripe_unit_bytes = in.known(chunk, field::chunk_size, "chunk_size");
    if (const auto bytes =
            md_array_bytes(level, layout, in.u32(field::raid_disks), in.u32(field::size) * 1024))
        set.size_bytes = Number(*bytes, in.from(field::size, fmt::format("size {}", in.u32(field::size))));
    const Provenance from = in.from(field::state, fmt::format("state {:#x}", state));
    set.parity_clean = Flag((state & clean) != 0, from);
    if ((state & bitmap_present) != 0) {
        const auto there = md_bitmap_at(source, in.at() + superblock_bytes);
        if (there == false)
            out.damage.push_back(fault(in, field::state, "no bitmap behind the superblock").message);
        set.parity_map = Flag(true, from);
    } else if (set.level && md_is_redundant(*set.level)) {
        set.parity_map = Flag(false, from);
    }
    describe_reshape(in, set);
}

void describe_role(const Structure& in, Member& m) {
    const std::uint64_t state = in.u32(field::this_state), slot = in.u32(field::this_raid_disk);
    if ((state & (faulty | removed)) != 0) {
        m.state = ComponentState::failed;
    } else if ((state & in_sync) != 0) {
        if (slot < slots(in)) m.column = slot;
    } else if ((state & active) != 0 && slot < slots(in)) {
        m.column = slot;
        m.state = ComponentState::rebuilding;
    } else {
        m.state = ComponentState::spare;
    }
}

}  // namespace

Result<std::optional<MdSuperblock>> read_md_format_0(ByteSource& source) {
    const auto size = source.size_bytes();
    if (!size || *size < 2 * reserved_bytes) return std::optional<MdSuperblock>();
    const std::uint64_t at = *size / reserved_bytes * reserved_bytes - reserved_bytes;
    const auto head = read_structure(source, at, superblock_bytes);
    if (!head) return head.error();
    if (!*head) return std::optional<MdSuperblock>();
    const bool big = (**head).in_order(ByteOrder::big).u32(0) == md_magic;
    const Structure in = (**head).in_order(big ? ByteOrder::big : ByteOrder::little);
    if (in.u32(0) != md_magic || in.u32(field::major_version) != 0) return std::optional<MdSuperblock>();
    if (const auto right = checksum(in); right != in.u32(field::sb_csum))
        return fault(in, field::sb_csum,
                     fmt::format("the checksum is {:x}, should be {:x}", in.u32(field::sb_csum), right));
    if (in.u32(field::raid_disks) == 0 || in.u32(field::raid_disks) > most_disks)
        return fault(in, field::raid_disks, fmt::format("a set of {} devices", in.u32(field::raid_disks)));

    MdSuperblock out;
    out.created = in.u32(field::ctime);
    out.damage = contradictions(in);
    describe_set(source, in, out);
    Member& m = out.member;
    m.identity = "md:" + uuid(in);
    m.device = source.name();
    m.metadata_at = at;
    m.events = events(in);
    m.from = in.from(0, fmt::format("md superblock 0.90, {}, device {}, role {}, events {}", uuid(in),
                                    in.u32(field::this_number), in.u32(field::this_raid_disk), *m.events));
    // A stripe or a concatenation takes all that lies before the superblock.
    m.data_bytes = signed_32(in.u32(field::level)) > 0 ? in.u32(field::size) * 1024 : at;
    describe_role(in, m);
    return std::optional(std::move(out));
}

}  // namespace diskwright
