// SPDX-License-Identifier: BSD-2-Clause
// Numbers: torvalds/linux:include/uapi/linux/raid/md_p.h; words: md-raid-utilities/mdadm:maps.c, util.c,
// super0.c and super1.c (--examine).
#include "probes/ondisk/md_superblock.hpp"

#include "probes/model/md_words.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// print_r10_layout: copies of one kind that are not more than one are not mentioned. The bits above the 16th
// put far copies into sets of their own, in one of two ways, which mdadm has no words for; with more bits the
// kernel takes no such set (torvalds/linux:drivers/md/raid10.c, setup_geo).
std::optional<std::string> raid10_layout(std::uint64_t layout) {
    const std::uint64_t near = layout & 0xff, far = layout >> 8 & 0xff, far_sets = layout >> 17;
    if (near == 0 || far == 0 || far_sets > 2 || (far_sets > 0 && far > 1)) return std::nullopt;
    std::string out;
    if (near > 1) out = fmt::format("near={}", near);
    if (far > 1)
        out +=
            fmt::format("{}{}={}", out.empty() ? "" : ", ", (layout & 0x10000) != 0 ? "offset" : "far", far);
    return out.empty() ? std::nullopt : std::optional(out);
}

std::string level_word(std::int64_t level) {
    switch (level) {
        case -1:
            return "linear";
        case -4:
            return "multipath";
        case -5:
            return "faulty";
        default:
            return md_level_exists(level) ? fmt::format("raid{}", level) : "-unknown-";
    }
}

}  // namespace

std::optional<RaidLevel> md_level_of(std::int64_t number) {
    switch (number) {
        case -1:
            return RaidLevel::concat;
        case 0:
            return RaidLevel::raid0;
        case 1:
            return RaidLevel::raid1;
        case 4:
            return RaidLevel::raid4;
        case 5:
            return RaidLevel::raid5;
        case 6:
            return RaidLevel::raid6;
        case 10:
            return RaidLevel::raid10;
        default:
            return std::nullopt;
    }
}

bool md_level_exists(std::int64_t number) {
    return md_level_of(number) || number == -4 || number == -5;
}

std::optional<std::string> md_layout_of(std::int64_t level, std::uint64_t layout) {
    if (level == 10) return raid10_layout(layout);
    // The layouts above 5 are of RAID 6 alone.
    if (level != 6 && (level != 5 || layout > 5)) return std::nullopt;
    const auto name = md_layout_name(layout);
    return name ? std::optional<std::string>(*name) : std::nullopt;
}

Text md_layout_fact(std::int64_t level, std::uint64_t layout, const Provenance& from) {
    if (const auto words = md_layout_of(level, layout)) return Text(*words, from);
    const bool has_one = level == 5 || level == 6 || level == 10;
    return has_one ? Text::unknown(fmt::format("layout {:#x} of level {}", layout, level)) : Text{};
}

bool md_layout_exists(std::int64_t level, std::uint64_t layout) {
    if (level != 10) return md_layout_of(level, layout).has_value();
    return (layout & 0xff) * (layout >> 8 & 0xff) > 1 && layout >> 17 <= 2;
}

std::optional<std::uint64_t> md_array_bytes(std::int64_t level, std::uint64_t layout, std::uint64_t disks,
                                            std::uint64_t component) {
    std::uint64_t times = 0, shares = 1;
    if (level == 1) times = 1;
    if ((level == 4 || level == 5) && disks > 1) times = disks - 1;
    if (level == 6 && disks > 2) times = disks - 2;
    if (level == 10) times = disks, shares = (layout & 0xff) * (layout >> 8 & 0xff);
    if (times == 0 || shares == 0) return std::nullopt;
    const auto bytes = multiply(component, times);
    // mdadm prints whole KiB.
    return bytes ? std::optional(*bytes / shares / 1024 * 1024) : std::nullopt;
}

std::string md_reshape_text(const MdShape& from, const MdShape& to, std::int64_t delta, std::uint64_t disks,
                            bool chunk_in_bytes) {
    std::string out;
    const auto put = [&](std::string_view label, const std::string& value) {
        out += fmt::format("{}{} {}", out.empty() ? "" : "; ", label, value);
    };
    if (delta != 0)
        put("Delta Devices",
            fmt::format("{} ({}->{})", delta, static_cast<std::int64_t>(disks) - delta, disks));
    if (to.level != from.level) put("New Level", level_word(to.level));
    if (to.layout != from.layout && (from.level == 5 || from.level == 6 || from.level == 10))
        put("New Layout", md_layout_of(from.level, to.layout).value_or("-unknown-"));
    if (to.chunk_bytes != from.chunk_bytes)
        put("New Chunksize",
            chunk_in_bytes ? fmt::format("{}", to.chunk_bytes) : fmt::format("{}K", to.chunk_bytes / 1024));
    return out;
}

std::optional<bool> md_bitmap_at(ByteSource& source, std::uint64_t at) {
    // torvalds/linux:drivers/md/md-bitmap.h, bitmap_super_t: always little-endian.
    constexpr std::uint64_t bitmap_magic = 0x6d746962;
    const auto header = read_structure(source, at, 256);
    if (!header || !*header) return std::nullopt;
    return (**header).u32(0) == bitmap_magic;
}

}  // namespace diskwright
