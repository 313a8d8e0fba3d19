// SPDX-License-Identifier: BSD-2-Clause
// Intel Matrix Storage (IMSM): an anchor in the last but one sector, what does not fit into it in the sectors
// before. Layout, little-endian: freebsd/freebsd-src:sys/geom/raid/md_intel.c (intel_raid_conf, _disk, _vol,
// _map; the reading of levels too), md-raid-utilities/mdadm:super-intel.c (struct imsm_map: the high halves).
#include <algorithm>

#include "probes/ondisk/firmware_raid.hpp"
#include "probes/support/text.hpp"

namespace diskwright::firmware {
namespace {

constexpr std::string_view signature = "Intel Raid ISM Cfg Sig. ";
constexpr std::size_t most_bytes = 65536;

namespace conf {
constexpr std::size_t version = 24, checksum = 32, config_size = 36, config_id = 40, generation = 44,
                      total_disks = 56, total_volumes = 57, disks = 216, disk_bytes = 48;
}
namespace vol {
constexpr std::size_t name = 0, total_sectors = 16, migr_state = 88, migr_type = 89, dirty = 90, map = 112;
}
namespace map {
constexpr std::size_t offset = 0, disk_sectors = 4, strip_sectors = 12, status = 14, type = 15,
                      total_disks = 16, total_domains = 17, offset_hi = 20, disk_sectors_hi = 24,
                      disk_idx = 48;
}
constexpr std::uint64_t most_volumes = 2;
constexpr std::uint64_t migration_to_another_shape = 3, rebuild = 1;

/// The parts put together, so that offsets are those of the structure.
struct Configuration {
    std::vector<std::byte> bytes;
    std::uint64_t at = 0, sector = 0;
};

Error damaged(const ByteSource& source, std::uint64_t at, std::string_view what) {
    return {ErrorKind::bad_data, fmt::format("{}@{:#x}: Intel metadata: {}", source.name(), at, what)};
}

Result<std::optional<Configuration>> configuration(ByteSource& source, const Structure& anchor,
                                                   std::uint64_t sector) {
    const std::uint64_t size = anchor.u32(conf::config_size);
    if (size < conf::disks + conf::disk_bytes || size > most_bytes || size % 4 != 0)
        return damaged(source, anchor.at(), fmt::format("a size of {} bytes", size));
    const std::uint64_t before = (size - 1) / sector * sector;
    if (before > anchor.at())
        return damaged(source, anchor.at(), fmt::format("{} bytes before the anchor", before));
    const auto head = source.read(anchor.at(), static_cast<std::size_t>(sector));
    const auto rest = source.read(anchor.at() - before, static_cast<std::size_t>(before));
    if (!head || !rest) return (head ? rest : head).error();
    Configuration out{{head->begin(), head->end()}, anchor.at(), sector};
    out.bytes.insert(out.bytes.end(), rest->begin(), rest->end());
    out.bytes.resize(static_cast<std::size_t>(size));
    return std::optional(std::move(out));
}

bool checksum_right(const Structure& in) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i + 4 <= in.bytes().size(); i += 4) sum += i == conf::checksum ? 0 : in.u32(i);
    return (sum & 0xffffffff) == in.u32(conf::checksum);
}

// A mirror of more than two domains of more disks than one each is RAID 10; with an odd number of disks it is
// RAID 1E, which has no name here.
std::optional<RaidLevel> level_of(const Structure& in, std::size_t at) {
    const std::uint64_t disks = in.u8(at + map::total_disks), domains = in.u8(at + map::total_domains);
    switch (in.u8(at + map::type)) {
        case 0:
            return RaidLevel::raid0;
        case 1:
            if (disks <= 2 || domains == disks) return RaidLevel::raid1;
            return disks % 2 == 0 ? std::optional(RaidLevel::raid10) : std::nullopt;
        case 5:
            return RaidLevel::raid5;
        default:
            return std::nullopt;
    }
}

std::optional<VolumeState> state_of(std::uint64_t status) {
    if (status == 0) return VolumeState::optimal;
    if (status == 2) return VolumeState::degraded;
    if (status == 3) return VolumeState::failed;
    return std::nullopt;
}

Provenance from_anchor(const ByteSource& source, const Configuration& c, std::string text) {
    return at_byte(source, c.at, std::move(text));
}

// Nothing where its part begins or ends beyond what 64 bits count.
std::optional<Member> member_of(const ByteSource& source, const Configuration& c, const Structure& in,
                                std::size_t at) {
    const std::size_t m_at = at + vol::map;
    const std::string name(trim(in.text(at + vol::name, 16)));
    const std::string version = in.text(conf::version, 6);
    const Provenance from =
        from_anchor(source, c, fmt::format("Intel metadata {}, volume {}", version, name));
    Member m = member(source, "Intel", c.at, from);
    m.identity = fmt::format("Intel:{:08x}:{}", in.u32(conf::config_id), name);
    m.events = in.u32(conf::generation);
    const auto both = [&](std::size_t low, std::size_t high) {
        return multiply(in.u32(m_at + high) << 32 | in.u32(m_at + low), c.sector);
    };
    const auto offset = both(map::offset, map::offset_hi);
    m.data_bytes = both(map::disk_sectors, map::disk_sectors_hi);
    if (!offset || !m.data_bytes) return std::nullopt;
    m.data_offset_bytes = *offset;
    Volume& v = m.set;
    v.name = name;
    if (const auto level = level_of(in, m_at)) v.level = Known<RaidLevel>(*level, from);
    v.columns = Number(in.u8(m_at + map::total_disks), from);
    if (!v.level.is(RaidLevel::raid1) && in.u16(m_at + map::strip_sectors) > 0)
        v.stripe_unit_bytes = Number(in.u16(m_at + map::strip_sectors) * c.sector, from);
    if (const auto bytes = multiply(in.u64(at + vol::total_sectors), c.sector))
        v.size_bytes = Number(*bytes, from);
    if (const auto state = state_of(in.u8(m_at + map::status))) v.state = Known<VolumeState>(*state, from);
    v.parity_clean = Flag(in.u8(at + vol::dirty) == 0, from);
    if (in.u8(at + vol::migr_state) == 0) return m;
    const std::uint64_t type = in.u8(at + vol::migr_type);
    if (type == rebuild) v.activity = Known<Activity>(Activity::rebuild, from);
    if (type == migration_to_another_shape) v.activity = Known<Activity>(Activity::reshape, from);
    return m;
}

// Where the record of a volume ends, whose maps are as long as their disks are many; nothing where it would
// end outside.
std::optional<std::size_t> end_of(const Structure& in, std::size_t at) {
    if (at + vol::map > in.bytes().size()) return std::nullopt;
    std::size_t next = at + vol::map;
    for (std::uint64_t i = 0; i < (in.u8(at + vol::migr_state) != 0 ? 2U : 1U); ++i) {
        if (next + map::disk_idx > in.bytes().size()) return std::nullopt;
        next += map::disk_idx + 4 * static_cast<std::size_t>(in.u8(next + map::total_disks));
        if (next > in.bytes().size()) return std::nullopt;
    }
    return next;
}

Result<bool> take(const ByteSource& source, const Configuration& c, Found& found) {
    const Structure in(source, c.at, c.bytes);
    if (!checksum_right(in)) return damaged(source, c.at, "the checksum does not match");
    std::size_t at = conf::disks + conf::disk_bytes * static_cast<std::size_t>(in.u8(conf::total_disks));
    const std::uint64_t volumes = in.u8(conf::total_volumes);
    std::vector<Member> members;
    for (std::uint64_t i = 0; i < std::min(volumes, most_volumes); ++i) {
        const auto end = end_of(in, at);
        if (!end) return damaged(source, c.at, fmt::format("volume {} lies outside", i));
        auto m = member_of(source, c, in, at);
        if (!m) return damaged(source, c.at, fmt::format("volume {} begins or ends beyond any disk", i));
        members.push_back(std::move(*m));
        at = *end;
    }
    if (volumes > most_volumes)
        found.damage.push_back(damaged(source, c.at, fmt::format("{} volumes", volumes)).message);
    // A disk without a volume is a spare of the group.
    if (members.empty())
        members.push_back(member(source, "Intel", c.at, from_anchor(source, c, "Intel metadata")));
    for (Member& m : members) found.members.push_back(std::move(m));
    return true;
}

}  // namespace

Result<bool> read_intel(ByteSource& source, Found& found) {
    for (const Place& place : before_end(source, 2)) {
        const auto anchor = read_structure(source, place.at, 512);
        if (!anchor) return anchor.error();
        if (!*anchor || !(**anchor).has(0, signature)) continue;
        const auto whole = configuration(source, **anchor, place.sector_bytes);
        if (!whole) return whole.error();
        return take(source, **whole, found);
    }
    return false;
}

}  // namespace diskwright::firmware
