// SPDX-License-Identifier: BSD-2-Clause
// Layouts: RAIDframe sys/dev/raidframe/rf_raid{0,1,4,5}.c, GEOM sys/geom/{stripe,concat,raid3}, OpenBSD
// sys/dev/softraid_raid{0,5}.c, Linux drivers/md/{raid5,raid10}.c; checked against
// tests/data/raidframe-mapping.json.
#include <algorithm>

#include "probes/model/redundancy.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Of softraid's RAID 6, which no other driver has; it needs no name outside of here.
constexpr std::string_view softraid_raid6 = "softraid";

// Nothing where the set has a layout that nobody can name: it is not the usual one.
std::optional<std::string> parity_layout(const Volume& volume) {
    if (volume.layout) return *volume.layout;
    if (has_unknown_layout(volume)) return std::nullopt;
    if (!volume.kind.is(VolumeKind::softraid)) return "left-symmetric";
    return volume.level.is(RaidLevel::raid6) ? std::string(softraid_raid6) : "left-asymmetric";
}

// openbsd/src:sys/dev/softraid_raid6.c (sr_raid6_rw): P before Q, wrapping.
ParityColumns softraid_parity(std::uint64_t n, std::uint64_t row) {
    const std::uint64_t q = n - 1 - row % n;
    return {q == 0 ? n - 1 : q - 1, q};
}

// Layouts as Linux drivers/md/raid5.c computes them (raid5_compute_sector); RAIDframe's RAID 5 is
// left-symmetric, softraid's left-asymmetric. n columns, u the unit.
std::optional<std::uint64_t> raid5_column(std::string_view layout, std::uint64_t n, std::uint64_t u) {
    const std::uint64_t d = n - 1, s = u / d, k = u % d;
    const std::uint64_t left = d - s % n, right = s % n;  // column of the parity
    if (layout == "left-symmetric") return (left + 1 + k) % n;
    if (layout == "right-symmetric") return (right + 1 + k) % n;
    if (layout == "left-asymmetric") return k + (k >= left ? 1 : 0);
    if (layout == "right-asymmetric") return k + (k >= right ? 1 : 0);
    if (layout == "parity-first") return k + 1;
    if (layout == "parity-last") return k;
    return std::nullopt;
}

std::optional<std::uint64_t> raid6_column(std::string_view layout, std::uint64_t n, std::uint64_t u) {
    const std::uint64_t d = n - 2, s = u / d, k = u % d;
    const std::uint64_t left = n - 1 - s % n, right = s % n;
    // P and Q side by side, or P in the last column and Q wrapped to the first.
    const auto asymmetric = [&](std::uint64_t p) { return p == n - 1 ? k + 1 : k + (k >= p ? 2 : 0); };
    if (layout == "left-symmetric") return (left + 2 + k) % n;
    if (layout == "right-symmetric") return (right + 2 + k) % n;
    if (layout == "left-asymmetric") return asymmetric(left);
    if (layout == "right-asymmetric") return asymmetric(right);
    if (layout == "parity-first") return k + 2;
    if (layout == "parity-last") return k;
    if (layout == softraid_raid6) {
        const ParityColumns parity = softraid_parity(n, s);
        const std::uint64_t column = k + (k >= parity.p ? 1 : 0);
        return column + (column >= *parity.q ? 1 : 0);
    }
    // RAID 5 on the first n - 1 columns, Q in the last.
    if (layout.ends_with("-6")) return raid5_column(layout.substr(0, layout.size() - 2), n - 1, u);
    return std::nullopt;
}

struct Raid10Layout {
    std::uint64_t near = 1;  // copies side by side
    std::uint64_t far = 1;   // copies further down
    std::uint64_t rows = 1;  // rows that one row of data takes: the copies of an offset layout
};

// "near=2", "far=2", "offset=2", also combined with a comma. Without a layout: mirrors of columns / data
// disks.
std::optional<Raid10Layout> raid10_layout(const Volume& volume) {
    Raid10Layout out;
    if (has_unknown_layout(volume)) return std::nullopt;
    if (!volume.layout) {
        const std::uint64_t n = volume.columns.value_or(0), d = volume.data_disks.value_or(0);
        out.near = d > 0 && n % d == 0 && n > d ? n / d : 2;
        return out;
    }
    for (const auto part : split(*volume.layout, ',')) {
        const auto sign = trim(part).find('=');
        if (sign == std::string_view::npos) return std::nullopt;
        const auto name = trim(part).substr(0, sign);
        const auto count = to_unsigned(trim(trim(part).substr(sign + 1)));
        if (!count || *count == 0 || *count > 64) return std::nullopt;
        if (name == "near")
            out.near = *count;
        else if (name == "far")
            out.far = *count;
        else if (name == "offset")
            out.far = out.rows = *count;
        else
            return std::nullopt;
    }
    return out;
}

// Units of graid3 are the parts of a sector that each data component holds
// (freebsd/freebsd-src:sys/geom/raid3/g_raid3.c, g_raid3_scatter).
std::uint64_t unit_of(const Volume& volume, std::uint64_t columns) {
    if (volume.level.is(RaidLevel::raid3))
        return columns > 1 ? volume.logical_sector_bytes.value_or(0) / (columns - 1) : 0;
    return volume.stripe_unit_bytes.value_or(0);
}

// One component after the other.
std::optional<Location> concat_location(const Volume& volume, std::uint64_t byte) {
    std::uint64_t column = 0;
    for (const Component* c : data_components(volume)) {
        const Number& size = c->used_bytes ? c->used_bytes : c->size_bytes;
        if (!size) return std::nullopt;
        if (byte < *size) return Location{column, byte};
        byte -= *size;
        ++column;
    }
    return std::nullopt;
}

std::uint64_t columns_of(const Volume& volume) {
    return volume.columns.value_or(data_components(volume).size());
}

std::optional<Location> stripe_location(std::uint64_t n, std::uint64_t unit, std::uint64_t byte) {
    const std::uint64_t u = byte / unit;
    return Location{u % n, u / n * unit + byte % unit};
}

// md stripes what its shortest member leaves over of the others in zones of their own
// (torvalds/linux:drivers/md/raid0.c, create_strip_zones and map_sector). Which member of such a zone comes
// first has changed with Linux 3.14: the superblock of a set with several zones has to tell.
std::optional<Location> md_raid0_location(const Volume& volume, std::uint64_t unit, std::uint64_t byte) {
    const std::uint64_t n = columns_of(volume);
    std::vector<std::uint64_t> sizes;
    bool all_known = true;
    for (const Component* c : data_components(volume)) {
        all_known = all_known && c->used_bytes.known();
        if (c->used_bytes) sizes.push_back(*c->used_bytes / unit * unit);
    }
    if (sizes.empty()) return stripe_location(n, unit, byte);
    const bool original = volume.layout.is("original"), alternate = volume.layout.is("alternate");
    std::uint64_t zone_start = 0, member_start = 0;
    for (;;) {
        std::vector<std::uint64_t> members;
        std::uint64_t least = 0;
        for (std::uint64_t column = 0; column < sizes.size(); ++column) {
            if (sizes[column] <= member_start) continue;
            least = members.empty() ? sizes[column] : std::min(least, sizes[column]);
            members.push_back(column);
        }
        const bool first = member_start == 0;
        const std::uint64_t count = first ? n : members.size();
        const auto bytes = multiply(least - std::min(least, member_start), count);
        if (members.empty() || count == 0 || !bytes) return std::nullopt;
        if (byte - zone_start < *bytes) {
            const auto in_zone = stripe_location(count, unit, byte - zone_start);
            if (first) return in_zone;
            if (!original && !alternate) return std::nullopt;
            const std::uint64_t member = original ? byte / unit % count : in_zone->column;
            return Location{members[static_cast<std::size_t>(member)], member_start + in_zone->byte};
        }
        if (!all_known || sizes.size() != n) return std::nullopt;
        zone_start += *bytes, member_start = least;
    }
}

}  // namespace

std::optional<Location> map_byte(const Volume& volume, std::uint64_t byte) {
    if (!volume.level) return std::nullopt;
    const std::uint64_t n = columns_of(volume);
    if (n == 0) return std::nullopt;
    if (volume.level.is(RaidLevel::raid1) && !volume.kind.is(VolumeKind::raidframe)) return Location{0, byte};
    if (volume.level.is(RaidLevel::concat)) return concat_location(volume, byte);
    const std::uint64_t unit = unit_of(volume, n);
    if (unit == 0) return std::nullopt;
    const std::uint64_t u = byte / unit, rest = byte % unit;
    const auto at = [&](std::uint64_t column, std::uint64_t row) -> std::optional<Location> {
        return Location{column, row * unit + rest};
    };
    switch (*volume.level) {
        case RaidLevel::raid0:
            return volume.kind.is(VolumeKind::md) ? md_raid0_location(volume, unit, byte)
                                                  : stripe_location(n, unit, byte);
        case RaidLevel::raid1: {
            const std::uint64_t pairs = n / 2;  // an odd last column stays unused
            if (pairs == 0) return std::nullopt;
            return at(2 * (u % pairs), u / pairs);
        }
        case RaidLevel::raid3:
        case RaidLevel::raid4:
            if (n < 2) return std::nullopt;
            return at(u % (n - 1), u / (n - 1));
        case RaidLevel::raid5: {
            const auto layout = parity_layout(volume);
            if (n < 2 || !layout) return std::nullopt;
            const auto column = raid5_column(*layout, n, u);
            return column ? at(*column, u / (n - 1)) : std::nullopt;
        }
        case RaidLevel::raid6: {
            const auto layout = parity_layout(volume);
            if (n < 3 || !layout) return std::nullopt;
            const auto column = raid6_column(*layout, n, u);
            return column ? at(*column, u / (n - 2)) : std::nullopt;
        }
        case RaidLevel::raid10: {
            const auto layout = raid10_layout(volume);
            if (!layout) return std::nullopt;
            // md (raid10.c): the copies of a unit lie next to each other; far sets begin with a plain stripe,
            // offset sets repeat each row `offset` times.
            const auto chunk = multiply(u, layout->near);
            if (!chunk) return std::nullopt;
            const auto row = multiply(*chunk / n, layout->rows);
            return row ? at(*chunk % n, *row) : std::nullopt;
        }
        case RaidLevel::concat:
            break;
    }
    return std::nullopt;
}

namespace {

// md (raid10.c, __raid10_find_phys): near copies on the next columns; far copies a stride further down and as
// many columns on as there are near ones.
std::vector<Location> raid10_copies(const Volume& volume, std::uint64_t byte) {
    const auto layout = raid10_layout(volume);
    const std::uint64_t n = columns_of(volume), unit = volume.stripe_unit_bytes.value_or(0);
    if (!layout || n == 0 || unit == 0) return {};
    std::uint64_t stride = unit;  // of an offset layout
    if (layout->far > 1 && layout->rows == 1) {
        Number used;
        for (const Component* c : data_components(volume))
            if (c->used_bytes && (!used || *c->used_bytes < *used)) used = c->used_bytes;
        if (!used) return {};
        stride = *used / unit / layout->far * unit;
    }
    std::vector<Location> out;
    for (std::uint64_t near = 0; near < layout->near; ++near) {
        const auto chunk = multiply(byte / unit, layout->near);
        if (!chunk) return {};
        const std::uint64_t place = *chunk + near, column = place % n;
        const auto row = multiply(place / n * layout->rows, unit);
        if (!row) return {};
        for (std::uint64_t far = 0; far < layout->far; ++far)
            out.push_back({(column + far * layout->near) % n, *row + far * stride + byte % unit});
    }
    return out;
}

}  // namespace

bool has_unknown_layout(const Volume& volume) {
    return !volume.layout && !volume.layout.why_unknown().empty();
}

std::optional<std::uint64_t> data_columns(const Volume& volume, std::uint64_t n) {
    if (!volume.level) return std::nullopt;
    switch (*volume.level) {
        case RaidLevel::raid0:
            return n;
        case RaidLevel::raid1:
            return volume.kind.is(VolumeKind::raidframe) ? n / 2 : 1;
        case RaidLevel::raid3:
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            return n > 1 ? n - 1 : 0;
        case RaidLevel::raid6:
            return n > 2 ? n - 2 : 0;
        case RaidLevel::raid10:
        case RaidLevel::concat:
            break;
    }
    return std::nullopt;
}

std::vector<Location> copies_of(const Volume& volume, std::uint64_t byte) {
    if (volume.level.is(RaidLevel::raid10)) return raid10_copies(volume, byte);
    const auto first = map_byte(volume, byte);
    if (!first) return {};
    if (!volume.level.is(RaidLevel::raid1)) return {*first};
    if (volume.kind.is(VolumeKind::raidframe)) return {*first, {first->column + 1, first->byte}};
    std::vector<Location> out;
    for (std::uint64_t column = 0; column < std::min<std::uint64_t>(columns_of(volume), 256); ++column)
        out.push_back({column, first->byte});
    return out;
}

std::optional<ParityColumns> parity_columns(const Volume& volume, std::uint64_t component_byte) {
    const std::uint64_t n = columns_of(volume), unit = unit_of(volume, n);
    if (!volume.level || n < 3 || unit == 0) return std::nullopt;
    const std::uint64_t s = component_byte / unit, left = n - 1 - s % n, right = s % n;
    const auto named = parity_layout(volume);
    if (!named) return std::nullopt;
    const std::string& layout = *named;
    switch (*volume.level) {
        case RaidLevel::raid3:
        case RaidLevel::raid4:
            return ParityColumns{n - 1, {}};
        case RaidLevel::raid5:
            if (layout.starts_with("left-")) return ParityColumns{left, {}};
            if (layout.starts_with("right-")) return ParityColumns{right, {}};
            if (layout == "parity-first") return ParityColumns{0, {}};
            if (layout == "parity-last") return ParityColumns{n - 1, {}};
            return std::nullopt;
        case RaidLevel::raid6:
            break;
        default:
            return std::nullopt;
    }
    if (layout == "left-symmetric" || layout == "left-asymmetric") return ParityColumns{left, (left + 1) % n};
    if (layout == "right-symmetric" || layout == "right-asymmetric")
        return ParityColumns{right, (right + 1) % n};
    if (layout == softraid_raid6) return softraid_parity(n, s);
    if (layout == "parity-first") return ParityColumns{0, 1};
    if (layout == "parity-last") return ParityColumns{n - 2, n - 1};
    // RAID 5 on the first n - 1 columns, Q in the last.
    const std::uint64_t m = n - 1;
    if (layout.starts_with("left-") && layout.ends_with("-6")) return ParityColumns{m - 1 - s % m, m};
    if (layout.starts_with("right-") && layout.ends_with("-6")) return ParityColumns{s % m, m};
    if (layout == "parity-first-6") return ParityColumns{0, m};
    return std::nullopt;
}

std::optional<std::uint64_t> q_exponent(const Volume& volume, const ParityColumns& parity,
                                        std::uint64_t column) {
    const std::uint64_t n = columns_of(volume);
    if (!parity.q || column == parity.p || column == *parity.q || column >= n) return std::nullopt;
    // softraid multiplies by the power that is the number of the column (sr_raid6_rw, gf_pow[chunk]).
    if (volume.kind.is(VolumeKind::softraid)) return column;
    // md (raid5.c, raid6_idx_to_slot): data counts from the column behind Q on.
    std::uint64_t exponent = 0;
    for (std::uint64_t i = (*parity.q + 1) % n; i != column; i = (i + 1) % n)
        if (i != parity.p && i != *parity.q) ++exponent;
    return exponent;
}

}  // namespace diskwright
