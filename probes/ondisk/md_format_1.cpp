// SPDX-License-Identifier: BSD-2-Clause
// Superblock 1.x of Linux md: little-endian, 256 bytes and two for each device. Layout:
// torvalds/linux:include/uapi/linux/raid/md_p.h (struct mdp_superblock_1); checksum: drivers/md/md.c
// (calc_sb_1_csum); words: md-raid-utilities/mdadm:super1.c (examine_super1).
#include <algorithm>

#include "probes/model/md_words.hpp"
#include "probes/ondisk/md_superblock.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t sector = 512;
constexpr std::size_t most_bytes = 4096, fixed_bytes = 256;
constexpr std::uint64_t most_devices = (most_bytes - fixed_bytes) / 2;
constexpr std::uint64_t none = ~std::uint64_t{0};  // of resync_offset

namespace field {
constexpr std::size_t magic = 0, major_version = 4, feature_map = 8, set_uuid = 16, set_name = 32, ctime = 64,
                      level = 72, layout = 76, size = 80, chunksize = 88, raid_disks = 92, bitmap_offset = 96,
                      new_level = 100, reshape_position = 104, delta_disks = 112, new_layout = 116,
                      new_chunk = 120, data_offset = 128, data_size = 136, super_offset = 144,
                      dev_number = 160, events = 200, resync_offset = 208, sb_csum = 216, max_dev = 220,
                      dev_roles = 256;
}
namespace feature {
constexpr std::uint64_t bitmap = 1, recovery_offset = 2, reshape = 4, replacement = 16, journal = 512,
                        ppl = 1024, multiple_ppls = 2048, raid0_layout = 4096, known = 0x1fff;
}
constexpr std::uint64_t role_spare = 0xffff, role_faulty = 0xfffe, role_journal = 0xfffd;

class Superblock {
 public:
    explicit Superblock(const Structure& structure) : in(structure) {}

    std::uint64_t features() const { return in.u32(field::feature_map); }
    bool has(std::uint64_t bits) const { return (features() & bits) != 0; }
    std::int64_t level() const { return signed_32(in.u32(field::level)); }
    std::uint64_t disks() const { return in.u32(field::raid_disks); }
    std::uint64_t devices() const { return in.u32(field::max_dev); }
    std::uint64_t role(std::uint64_t device) const {
        return device < devices() ? in.u16(field::dev_roles + 2 * static_cast<std::size_t>(device))
                                  : role_spare;
    }
    std::uint64_t own_role() const { return role(in.u32(field::dev_number)); }
    std::int64_t delta() const { return has(feature::reshape) ? signed_32(in.u32(field::delta_disks)) : 0; }
    // A set that shrinks has more slots than raid_disks for the time being.
    std::uint64_t slots() const {
        return disks() + static_cast<std::uint64_t>(std::max<std::int64_t>(0, -delta()));
    }
    std::string version() const {
        const auto offset = in.u64(field::super_offset);
        return offset <= 4 ? "1.1" : offset <= 8 ? "1.2" : "1.0";
    }
    std::string uuid() const {
        std::string out;
        for (std::size_t i = 0; i < 16; ++i)
            out += fmt::format("{}{:02x}", i > 0 && i % 4 == 0 ? ":" : "", in.u8(field::set_uuid + i));
        return out;
    }
    // mdadm prints the name before a note about the host; what follows a blank cannot be told from it.
    std::string name() const {
        const std::string whole = in.text(field::set_name, 32);
        const auto w = words(whole);
        return w.empty() ? std::string{} : std::string(w[0]);
    }
    std::uint64_t checksum() const;

    Structure in;
};

std::uint64_t Superblock::checksum() const {
    const std::size_t length = fixed_bytes + 2 * static_cast<std::size_t>(devices());
    std::uint64_t sum = 0;
    std::size_t at = 0;
    for (; at + 4 <= length; at += 4) sum += at == field::sb_csum ? 0 : in.u32(at);
    if (at < length) sum += in.u16(at);
    return ((sum & 0xffffffff) + (sum >> 32)) & 0xffffffff;
}

Error fault(const Superblock& sb, std::size_t offset, std::string_view what) {
    return {ErrorKind::bad_data, fmt::format("{}: md superblock: {}", sb.in.place(offset), what)};
}

class Check {
 public:
    Check(ByteSource& source, const Superblock& sb) : source_(source), sb_(sb), in_(sb.in) {}
    std::vector<std::string> run() {
        numbers();
        places();
        roles();
        return std::move(out_);
    }

 private:
    void that(bool right, std::size_t offset, std::string_view what) {
        if (!right) out_.push_back(fault(sb_, offset, what).message);
    }
    void numbers() {
        that((sb_.features() & ~feature::known) == 0, field::feature_map, "features that are not known");
        const std::int64_t level = sb_.level();
        that(md_level_exists(level), field::level, "no level that exists");
        const std::uint64_t chunk = in_.u32(field::chunksize), layout = in_.u32(field::layout);
        if (level == 0) that(chunk > 0, field::chunksize, "a stripe without a chunk size");
        if (level == 4 || level == 5 || level == 6 || level == 10)
            that(power_of_two(chunk) && chunk >= 8, field::chunksize, "no chunk size that exists");
        if (level == 5 || level == 6 || level == 10)
            that(md_layout_exists(level, layout), field::layout, "no layout that exists");
    }
    void places() {
        const auto data = in_.u64(field::data_offset), size = in_.u64(field::data_size);
        const auto end = add(data, size);
        const auto device = source_.size_bytes();
        that(end && (!device || *end <= *device / sector), field::data_size,
             "the data reaches beyond the end of the device");
        const std::uint64_t own = in_.u64(field::super_offset);
        that(!end || *end <= own || data >= own + most_bytes / sector, field::data_offset,
             "the data lies over the superblock");
        if (sb_.level() > 0)
            that(in_.u64(field::size) <= size, field::size, "more is used of the device than it has");
    }
    void roles() {
        const std::uint64_t own = sb_.own_role();
        that(own >= role_journal || own < sb_.slots(), field::dev_number, "a role outside the set");
        std::vector<unsigned> count(static_cast<std::size_t>(std::min(sb_.slots(), most_devices)));
        for (std::uint64_t i = 0; i < sb_.devices(); ++i)
            if (const std::uint64_t role = sb_.role(i); role < count.size())
                ++count[static_cast<std::size_t>(role)];
        // Two hold one role while one replaces the other.
        const unsigned most = sb_.level() > 0 ? 2 : 1;
        that(std::all_of(count.begin(), count.end(), [&](unsigned n) { return n <= most; }), field::dev_roles,
             "several devices in one role");
    }

    ByteSource& source_;
    const Superblock& sb_;
    const Structure& in_;
    std::vector<std::string> out_;
};

void describe_reshape(const Superblock& sb, Volume& set) {
    if (!sb.has(feature::reshape)) return;
    const Structure& in = sb.in;
    const auto bytes = multiply(in.u64(field::reshape_position), sector);
    if (bytes)
        set.reshape_position_bytes =
            Number(*bytes / 1024 * 1024,
                   in.from(field::reshape_position,
                           fmt::format("reshape_position {}", in.u64(field::reshape_position))));
    const MdShape from{sb.level(), in.u32(field::layout), in.u32(field::chunksize) * sector};
    const MdShape to{signed_32(in.u32(field::new_level)), in.u32(field::new_layout),
                     in.u32(field::new_chunk) * sector};
    const std::string text = md_reshape_text(from, to, sb.delta(), sb.disks(), false);
    if (!text.empty()) set.reshape_change = in.known(text, field::delta_disks, "reshape");
}

// mdadm counts a bitmap that has no header where it should be as none.
void describe_bitmap(ByteSource& source, const Superblock& sb, MdSuperblock& out) {
    Volume& set = out.member.set;
    const Structure& in = sb.in;
    const Provenance from = in.from(field::feature_map, fmt::format("feature_map {:#x}", sb.features()));
    if (sb.has(feature::bitmap)) {
        const std::int64_t place = (static_cast<std::int64_t>(in.u64(field::super_offset)) +
                                    signed_32(in.u32(field::bitmap_offset))) *
                                   static_cast<std::int64_t>(sector);
        const auto there =
            place >= 0 ? md_bitmap_at(source, static_cast<std::uint64_t>(place)) : std::optional<bool>(false);
        if (there == false)
            out.damage.push_back(fault(sb, field::bitmap_offset, "no bitmap where one should be").message);
        set.parity_map = Flag(there.value_or(true), from);
    } else if (set.level && md_is_redundant(*set.level) &&
               !sb.has(feature::journal | feature::ppl | feature::multiple_ppls)) {
        set.parity_map = Flag(false, from);
    }
}

void describe_set(const Superblock& sb, Volume& set) {
    const Structure& in = sb.in;
    const std::int64_t level = sb.level();
    const std::uint64_t layout = in.u32(field::layout);
    if (const std::string name = sb.name(); !name.empty()) {
        set.name = md_name_of_set(name);
        set.set_name = in.known(name, field::set_name, "set_name");
    }
    set.kind = Known<VolumeKind>(VolumeKind::md, in.from(field::magic, "md superblock"));
    set.metadata = in.known(sb.version(), field::super_offset, "version");
    set.uuid = in.known(sb.uuid(), field::set_uuid, "set_uuid");
    const Provenance level_from = in.from(field::level, fmt::format("level {}", level));
    if (const auto known = md_level_of(level)) set.level = Known<RaidLevel>(*known, level_from);
    set.columns = in.known(sb.disks(), field::raid_disks, "raid_disks");
    const Provenance layout_from = in.from(field::layout, fmt::format("layout {:#x}", layout));
    set.layout = md_layout_fact(level, layout, layout_from);
    if (level == 0 && sb.has(feature::raid0_layout) && (layout == 1 || layout == 2))
        set.layout = Text(layout == 1 ? "original" : "alternate", layout_from);
    const std::uint64_t chunk = in.u32(field::chunksize) * sector;
    if (chunk > 0 && level >= 0 && level != 1)
        set.stripe_unit_bytes = in.known(chunk, field::chunksize, "chunksize");
    if (const auto used = multiply(in.u64(field::size), sector))
        if (const auto bytes = md_array_bytes(level, layout, sb.disks(), *used))
            set.size_bytes =
                Number(*bytes, in.from(field::size, fmt::format("size {}", in.u64(field::size))));
    set.parity_clean =
        Flag(in.u64(field::resync_offset) == none,
             in.from(field::resync_offset, fmt::format("resync_offset {}", in.u64(field::resync_offset))));
    describe_reshape(sb, set);
}

void describe_role(const Superblock& sb, Member& m) {
    const std::uint64_t role = sb.own_role();
    const bool recovering = sb.has(feature::recovery_offset);
    if (role == role_spare) {
        m.state = ComponentState::spare;
    } else if (role == role_faulty) {
        m.state = ComponentState::failed;
    } else if (role == role_journal) {
        m.role = "journal";
        m.state = ComponentState::optimal;
    } else if (sb.has(feature::replacement)) {
        m.role = "replacement";
        m.state = recovering ? ComponentState::rebuilding : ComponentState::used_spare;
        // From then on it serves where the one it replaces does not (drivers/md/raid5.c, raid5_run).
        if (!recovering && role < sb.slots()) m.column = role;
    } else {
        if (role < sb.slots()) m.column = role;
        if (recovering) m.state = ComponentState::rebuilding;
    }
}

// Roles that no device has: of a set that is being reshaped some are not taken yet.
std::vector<std::uint64_t> lost_columns(const Superblock& sb) {
    std::vector<std::uint64_t> out;
    if (sb.has(feature::reshape)) return out;
    std::vector<bool> taken(static_cast<std::size_t>(sb.disks()));
    for (std::uint64_t i = 0; i < sb.devices(); ++i)
        if (const std::uint64_t role = sb.role(i); role < taken.size())
            taken[static_cast<std::size_t>(role)] = true;
    for (std::uint64_t i = 0; i < taken.size(); ++i)
        if (!taken[static_cast<std::size_t>(i)]) out.push_back(i);
    return out;
}

std::string role_text(const Superblock& sb) {
    const std::uint64_t role = sb.own_role();
    if (role == role_spare) return "spare";
    if (role == role_faulty) return "faulty";
    if (role == role_journal) return "journal";
    return fmt::format("role {}", role);
}

}  // namespace

Result<std::optional<MdSuperblock>> read_md_format_1(ByteSource& source, std::uint64_t at) {
    auto head = read_structure(source, at, most_bytes);
    if (!head) return head.error();
    if (!*head || (**head).u32(field::magic) != md_magic || (**head).u32(field::major_version) != 1)
        return std::optional<MdSuperblock>();
    const Superblock sb(**head);
    const Structure& in = sb.in;
    if (sb.devices() > most_devices)
        return fault(sb, field::max_dev, fmt::format("roles of {} devices", sb.devices()));
    if (const auto right = sb.checksum(); right != in.u32(field::sb_csum))
        return fault(sb, field::sb_csum,
                     fmt::format("the checksum is {:x}, should be {:x}", in.u32(field::sb_csum), right));
    if (in.u64(field::super_offset) != at / sector) return std::optional<MdSuperblock>();
    const auto offset = multiply(in.u64(field::data_offset), sector);
    if (sb.disks() == 0 || sb.disks() > most_devices)
        return fault(sb, field::raid_disks, fmt::format("a set of {} devices", sb.disks()));
    if (!offset)
        return fault(sb, field::data_offset, fmt::format("data at sector {}", in.u64(field::data_offset)));

    MdSuperblock out;
    out.created = in.u64(field::ctime) & 0xffffffffff;
    out.damage = Check(source, sb).run();
    Member& m = out.member;
    describe_set(sb, m.set);
    describe_bitmap(source, sb, out);
    m.identity = "md:" + sb.uuid();
    m.device = source.name();
    m.metadata_at = at;
    m.from = in.from(field::magic, fmt::format("md superblock {}, {}, {}, events {}", sb.version(), sb.uuid(),
                                               role_text(sb), in.u64(field::events)));
    m.data_offset_bytes = *offset;
    // What a stripe or a concatenation uses is not recorded apart.
    if (const auto bytes = multiply(in.u64(sb.level() > 0 ? field::size : field::data_size), sector))
        m.data_bytes = *bytes;
    m.events = in.u64(field::events);
    describe_role(sb, m);
    m.lost_columns = lost_columns(sb);
    return std::optional(std::move(out));
}

}  // namespace diskwright
