// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/planning/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "probes/support/text.hpp"
#include "rules/thresholds.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t convention = 1 * MiB;      // where partitions start that nothing else decides
constexpr std::uint64_t combined_most = 64 * MiB;  // a larger common multiple wastes more than it saves
constexpr std::uint64_t unit_most = 1 * GiB, stripe_most = 64 * GiB;  // above, the facts are wrong
constexpr std::uint64_t useful_block = 16 * KiB;  // below, one block for one disk is no gain
constexpr std::uint64_t blocks_looked_at = 256;
constexpr std::uint64_t gpt_table_bytes = 16384;  // 128 entries of 128 bytes
constexpr std::uint64_t least_partition = 4 * MiB;

bool is_set(const Number& value) {
    return value.known() && *value != 0;
}

// Facts may say anything; what no disk has is as good as unknown.
std::optional<std::uint64_t> sector(const Number& value) {
    if (!value || !std::has_single_bit(*value) || *value < 512 || *value > largest_block) return std::nullopt;
    return *value;
}

void read_sectors(const LayoutInput& in, Layout& out) {
    const auto medium = in.graph.medium(in.base);
    const bool raid3 = in.volume && in.volume->kind.is(VolumeKind::graid3);
    out.logical = logical_sector(in.graph, in.base);
    // graid3 cuts each of its sectors into one component sector for every data disk.
    if (raid3 && std::has_single_bit(out.data_disks) && out.data_disks <= largest_block / out.logical)
        out.logical *= out.data_disks;
    if (in.volume)
        if (const auto own = sector(in.volume->logical_sector_bytes)) out.logical = *own;
    const auto physical = sector(medium.physical_sector_bytes);
    out.physical_known = physical || medium.known_512n;
    out.physical = medium.known_512n ? 512 : physical.value_or(4096);
    out.flash = medium.rotational.is(false);
}

bool is_mirror_with_unit(const Volume& v) {
    return v.kind.is(VolumeKind::raidframe) && v.level.is(RaidLevel::raid1);
}

void read_stripe(const LayoutInput& in, Layout& out) {
    if (!in.volume) return;
    if (is_set(in.volume->data_disks)) out.data_disks = *in.volume->data_disks;
    const bool striped = is_striped(*in.volume);
    if (!striped && !is_mirror_with_unit(*in.volume)) return;
    const Number& unit = in.volume->stripe_unit_bytes;
    if (!is_set(unit) || *unit > unit_most) return;
    out.unit = *unit;
    const Number full = full_stripe_bytes(*in.volume);
    if (striped && is_set(full) && *full <= stripe_most) out.full_stripe = *full;
}

// What suits size and workload, before the stripe has its say.
std::uint64_t wanted_block(const LayoutInput& in) {
    const Thresholds thresholds;
    const Number size = in.graph.size_of(in.base);
    const std::uint64_t bytes = in.wanted_size ? *in.wanted_size
                                : size         ? *size
                                               : thresholds.ffs_block_32k_above_bytes;
    std::uint64_t block = in.workload.bsize;
    if (block == 0)
        block = bytes > thresholds.ffs_block_16k_above_bytes ? 32 * KiB : in.release.block_from_zero;
    if (bytes > thresholds.ffs_block_32k_above_bytes) block = std::max(block, 32 * KiB);
    // Blocks of 64 KiB with the log can leave too few buffers for both (getnewbuf).
    if (in.release.wapbl) block = std::min(block, 32 * KiB);
    return block;
}

bool in_one_unit(std::uint64_t block, std::uint64_t unit) {
    return block <= unit && unit % block == 0;
}

// The largest block up to `most` that lies in one unit; 0: none.
std::uint64_t one_disk_block(std::uint64_t unit, std::uint64_t most) {
    for (std::uint64_t b = most; b >= least_block; b /= 2)
        if (in_one_unit(b, unit)) return b;
    return 0;
}

// The smallest block from `least` on that is whole stripes, else the largest; 0: none.
std::uint64_t full_stripe_block(std::uint64_t stripe, std::uint64_t least) {
    std::uint64_t largest = 0;
    for (std::uint64_t b = least_block; b <= largest_block; b *= 2) {
        if (b % stripe != 0) continue;
        largest = b;
        if (b >= least) return b;
    }
    return largest;
}

BlockMatch match_of(const LayoutInput& in, const Layout& layout) {
    if (!layout.unit) return BlockMatch::plain;
    if (in_one_unit(layout.bsize, *layout.unit)) return BlockMatch::one_disk;
    const bool parity = is_parity(*in.volume) && layout.full_stripe;
    return parity && layout.bsize % *layout.full_stripe == 0 ? BlockMatch::full_stripe : BlockMatch::none;
}

// ext4 takes no block above the page; its allocator matches the stripe by stride and stripe width.
void choose_ext4_block(const LayoutInput& in, Layout& out) {
    out.bsize = in.measured_bsize.value_or(least_block);
    out.match = match_of(in, out);
}

void choose_block(const LayoutInput& in, Layout& out) {
    if (in.release.ext4) return choose_ext4_block(in, out);
    if (in.measured_bsize) {
        out.bsize = *in.measured_bsize;
        out.match = match_of(in, out);
        return;
    }
    const std::uint64_t wanted = wanted_block(in);
    out.bsize = wanted;
    if (!out.unit) return;
    const std::uint64_t one = one_disk_block(*out.unit, wanted);
    const bool parity = is_parity(*in.volume) && out.full_stripe;
    const std::uint64_t full = parity ? full_stripe_block(*out.full_stripe, wanted) : 0;
    // Many small files are better off with full stripes too: in a model of five disks 7.5 against 8.1 s for a
    // source tree, 0.64 against 4.5 s for a large file (64 and 16 KiB, unit 16 KiB).
    const bool small_random = in.workload.small_random && !in.workload.many_small_files;
    const bool one_first = full == 0 || (small_random && one >= useful_block);
    out.match = one != 0 && one_first ? BlockMatch::one_disk
                : full != 0           ? BlockMatch::full_stripe
                                      : BlockMatch::none;
    if (out.match == BlockMatch::one_disk) out.bsize = one;
    if (out.match == BlockMatch::full_stripe) out.bsize = full;
}

void choose_fragment(const LayoutInput& in, Layout& out) {
    if (in.release.ext4) {
        out.fsize = out.bsize;
        return;
    }
    const std::uint64_t least = std::max({out.physical, out.logical, std::uint64_t{512}});
    out.fsize = std::max({out.bsize / most_fragments, least, in.measured_fsize.value_or(0)});
    // A sector above the block leaves no choice but a block of one fragment.
    out.bsize = std::max(out.bsize, out.fsize);
}

// a * b / gcd, or a alone where the result would be larger than it is worth.
std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b) {
    const auto product = multiply(a, b / std::gcd(a, b));
    return product && *product <= std::max(a, combined_most) ? *product : a;
}

std::uint64_t flash_boundary(const LayoutInput& in) {
    std::uint64_t boundary = Thresholds{}.flash_boundary_bytes;
    for (const std::string& name : in.graph.disks_under(in.base))
        if (const Disk* d = in.graph.disk(name); d && is_set(d->erase_block_bytes))
            boundary = std::max(boundary, *d->erase_block_bytes);
    return boundary;
}

void choose_alignment(const LayoutInput& in, Layout& out) {
    const std::uint64_t whole = std::max(out.physical, out.logical);
    if (out.full_stripe && is_parity(*in.volume)) {
        out.alignment = *out.full_stripe, out.alignment_of = "full stripe";
    } else if (out.unit && out.full_stripe) {
        out.alignment = *out.unit, out.alignment_of = "stripe unit";
    } else {
        out.alignment = convention, out.alignment_of = "1 MiB, the convention for partitions";
        if (out.unit) out.alignment = common_multiple(out.alignment, *out.unit);
    }
    out.must_align = whole;
    if (out.match == BlockMatch::full_stripe)
        out.must_align = common_multiple(*out.full_stripe, whole);
    else if (out.unit)
        out.must_align = common_multiple(*out.unit, whole);
    out.alignment = common_multiple(out.alignment, whole);
    if (!out.flash) return;
    const std::uint64_t boundary = flash_boundary(in);
    if (out.alignment % boundary == 0) return;
    out.alignment = common_multiple(out.alignment, boundary);
    if (out.alignment % boundary == 0)
        out.alignment_of += fmt::format(" and the {} of the flash", human_size(boundary));
}

// Bytes in front that belong to the table and to boot code.
std::uint64_t table_room(Os os, Scheme scheme, std::uint64_t bytes) {
    // gpart rounds the first usable sector of a GPT up to 4096 bytes (sys/geom/part/g_part_gpt.c).
    if (scheme == Scheme::gpt) return round_up(2 * bytes + gpt_table_bytes, os == Os::freebsd ? 4096 : bytes);
    // fdisk(8) of OpenBSD keeps 64 sectors free; a label lies in sector 1 of the first 8 KiB elsewhere.
    if (os == Os::openbsd) return 64 * bytes;
    return std::max<std::uint64_t>(8192, 2 * bytes);
}

std::uint64_t table_tail(Scheme scheme, std::uint64_t bytes) {
    return scheme == Scheme::gpt ? bytes + round_up(gpt_table_bytes, bytes) : 0;
}

}  // namespace

std::uint64_t logical_sector(const StorageGraph& graph, std::string_view device) {
    return sector(graph.medium(device).logical_sector_bytes).value_or(512);
}

std::uint64_t round_up(std::uint64_t at_least, std::uint64_t of) {
    return of == 0 ? at_least : at_least + (of - at_least % of) % of;
}

std::optional<std::uint64_t> components_per_block(const Volume& volume, std::uint64_t start,
                                                  std::uint64_t bsize) {
    // Every sector of a RAID 3 is spread over all of them.
    if (volume.level.is(RaidLevel::raid3) && volume.data_disks) return *volume.data_disks;
    std::uint64_t most = 1;
    const std::uint64_t unit = std::max<std::uint64_t>(volume.stripe_unit_bytes.value_or(0), 512);
    for (std::uint64_t block = 0; block < blocks_looked_at; ++block) {
        const std::uint64_t begin = start + block * bsize, end = begin + bsize;
        std::set<std::uint64_t> columns;
        for (std::uint64_t at = begin; at < end; at = round_up(at + 1, unit)) {
            const auto location = map_byte(volume, at);
            if (!location) return std::nullopt;
            columns.insert(location->column);
        }
        most = std::max<std::uint64_t>(most, columns.size());
    }
    return most;
}

Layout block_layout(const LayoutInput& in) {
    Layout out;
    read_stripe(in, out);
    read_sectors(in, out);
    choose_block(in, out);
    choose_fragment(in, out);
    choose_alignment(in, out);
    return out;
}

Result<bool> place_partition(const LayoutInput& in, Scheme scheme, Layout& layout) {
    layout.room = table_room(in.release.os, scheme, layout.logical);
    layout.start = round_up(layout.room, layout.alignment);
    const Number whole = in.graph.size_of(in.base);
    if (!whole) {
        layout.size = in.wanted_size ? *in.wanted_size / layout.bsize * layout.bsize : 0;
        return true;
    }
    const std::uint64_t used = layout.start + table_tail(scheme, layout.logical);
    const auto needed = add(used, in.wanted_size.value_or(least_partition));
    if (!needed || *needed > *whole || (in.wanted_size && *in.wanted_size < least_partition))
        return Error{ErrorKind::bad_data,
                     fmt::format("{} has {}: no room for a file system of {} from byte {} on",
                                 escaped(in.base), human_size(*whole),
                                 human_size(in.wanted_size.value_or(least_partition)), layout.start)};
    const std::uint64_t size = in.wanted_size.value_or(*whole - used);
    layout.size = size / layout.bsize * layout.bsize;
    return true;
}

void place_inodes(const LayoutInput& in, Layout& layout) {
    const std::uint64_t usual = in.release.fragments_per_inode * layout.fsize;
    if (in.workload.bytes_per_inode != 0) {
        // newfs makes at most one inode per fragment.
        const std::uint64_t density = std::max(in.workload.bytes_per_inode, layout.fsize);
        if (density != usual || (!in.release.known && in.release.os == Os::freebsd)) layout.density = density;
    }
    const bool usual_known = in.release.known || in.release.os != Os::freebsd;
    if (layout.size != 0 && (layout.density || usual_known))
        layout.inodes = layout.size / layout.density.value_or(usual);
}

}  // namespace diskwright
