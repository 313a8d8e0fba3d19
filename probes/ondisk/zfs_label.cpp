// SPDX-License-Identifier: BSD-2-Clause
// ZFS: four labels of 256 KiB, two at the start and two at the end of the device (its size rounded down to
// labels). In each, 112 KiB at 16 KiB hold the configuration and end in a magic and a SHA-256 that starts
// from the place itself. Layout: openzfs/zfs:include/sys/vdev_impl.h (struct vdev_label),
// module/zfs/vdev_label.c; checksum: module/zfs/zio_checksum.c (zio_checksum_label_verifier).
#include <algorithm>
#include <array>
#include <map>

#include "probes/ondisk/formats.hpp"
#include "probes/ondisk/magics.hpp"
#include "probes/ondisk/nvlist.hpp"
#include "probes/ondisk/sha256.hpp"
#include "probes/ondisk/structure.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t configuration_at = 16 * KiB;
constexpr std::size_t configuration_bytes = 112 * KiB, trailer_bytes = 40;
constexpr std::size_t first_name_at = 24;  // of the list's first pair, "version" in every label
constexpr std::uint64_t trailer_magic = 0x0210da7ab10c7a11;

constexpr std::uint64_t data_at = 4 * MiB;  // VDEV_LABEL_START_SIZE: two labels and the boot area

constexpr std::uint64_t destroyed = 2;  // POOL_STATE_DESTROYED, include/sys/fs/zfs.h

struct Label {
    Structure raw;
    NvList configuration;
};

// The stored sum is replaced by the place of the structure for the calculation.
bool checksum_right(const Structure& raw) {
    const std::size_t trailer = configuration_bytes - trailer_bytes;
    const auto order =
        raw.in_order(ByteOrder::little).u64(trailer) == trailer_magic ? ByteOrder::little : ByteOrder::big;
    const Structure ordered = raw.in_order(order);
    if (ordered.u64(trailer) != trailer_magic) return false;
    std::vector<std::byte> bytes(raw.bytes().begin(), raw.bytes().end());
    for (std::size_t i = 0; i < 32; ++i) {
        const std::size_t shift = 8 * (order == ByteOrder::little ? i % 8 : 7 - i % 8);
        const std::uint64_t word = i < 8 ? raw.at() : 0;
        bytes[trailer + 8 + i] = static_cast<std::byte>((word >> shift) & 0xff);
    }
    const auto digest = sha256(bytes);
    const Structure sum = raw.in_order(ByteOrder::big);
    for (std::size_t word = 0; word < 4; ++word) {
        std::uint64_t computed = 0;
        for (std::size_t i = 0; i < 8; ++i)
            computed = computed << 8 | std::to_integer<std::uint64_t>(digest[8 * word + i]);
        if ((order == ByteOrder::big ? sum : ordered).u64(trailer + 8 + 8 * word) != computed) return false;
    }
    return true;
}

// XDR (1), either order, and the version of the list: what every label begins with.
bool begins_list(const Structure& head) {
    return head.u8(0) == 1 && head.u8(1) <= 1 && head.u16(2) == 0 && head.u32(4) == 0;
}

struct Leaf {
    std::uint64_t guid;
    std::string path;
};

// The smallest ashift decides what is written in too small pieces.
void walk(const NvList& vdev, int depth, std::optional<std::uint64_t>& ashift, std::vector<Leaf>& leaves) {
    if (const auto shift = vdev.number("ashift"); shift && *shift < 64 && (!ashift || *shift < *ashift))
        ashift = shift;
    if (const auto path = vdev.text("path"); !path.empty())
        leaves.push_back({vdev.number("guid").value_or(0), path});
    const auto children = vdev.lists.find("children");
    if (children == vdev.lists.end() || depth > 4) return;
    for (const NvList& child : children->second) walk(child, depth + 1, ashift, leaves);
}

// This device by its present name, the others by the names they had. That of another which is this one's by
// now is nobody's. The guid, as the slot, tells which they are.
Component to_component(const ByteSource& source, const Leaf& leaf, bool is_this, const Structure& raw) {
    Component c;
    const std::string recorded(device_name(leaf.path));
    if (is_this) {
        c.name = source.name();
        c.data_offset_bytes = Number(data_at, raw.from(0, "data behind two labels and the boot area"));
    } else if (recorded != source.name()) {
        c.name = recorded;
    }
    c.slot = Number(leaf.guid, raw.from(0, fmt::format("guid {}", leaf.guid)));
    return c;
}

bool to_facts(const ByteSource& source, const Label& label, Found& found) {
    const NvList& c = label.configuration;
    const auto name = c.text("name");
    const auto tree = c.lists.find("vdev_tree");
    // A spare or cache device has a label without a pool.
    if (name.empty() || tree == c.lists.end() || tree->second.empty()) return false;
    const auto from = label.raw.from(0, fmt::format("label of pool {}", name));
    if (c.number("state") == destroyed) {
        // zpool destroy leaves the labels, for zpool import -D.
        found.facts.events.push_back({source.name(), Event::Kind::stale_raid_metadata,
                                      fmt::format("a ZFS label of the destroyed pool {}", name), from});
        return true;
    }
    Volume& pool = volume(found.facts, name);
    pool.kind = Known<VolumeKind>(VolumeKind::zfs, from);
    // Pools may share a name; their numbers differ, as zpool import shows them.
    if (const auto guid = c.number("pool_guid"))
        pool.uuid = Text(std::to_string(*guid), label.raw.from(0, fmt::format("pool_guid {}", *guid)));
    std::optional<std::uint64_t> ashift;
    std::vector<Leaf> leaves;
    walk(tree->second.front(), 0, ashift, leaves);
    if (ashift) pool.ashift = Number(*ashift, label.raw.from(0, fmt::format("ashift {}", *ashift)));
    for (const Leaf& leaf : leaves)
        pool.components.push_back(to_component(source, leaf, c.number("guid") == leaf.guid, label.raw));
    return true;
}

// A whole one, or nothing.
std::optional<Label> label_at(ByteSource& source, std::uint64_t place) {
    const auto head = read_structure(source, place + configuration_at, 12, ByteOrder::big);
    if (!head || !*head || !begins_list(**head)) return std::nullopt;
    const auto raw = read_structure(source, place + configuration_at, configuration_bytes, ByteOrder::big);
    if (!raw || !*raw || !checksum_right(**raw)) return std::nullopt;
    auto list = read_nvlist((*raw)->bytes());
    if (!list) return std::nullopt;
    return Label{**raw, std::move(*list)};
}

}  // namespace

Result<bool> read_zfs_label(ByteSource& source, Found& found) {
    std::vector<Label> whole;
    std::vector<std::string> damage;
    bool seen = false;
    for (const std::uint64_t place : zfs_label_places(source.size_bytes().value_or(0))) {
        if (place != 0 && !seen && !found.lost_originals) return false;
        const auto head = read_structure(source, place + configuration_at, 12, ByteOrder::big);
        if (!head) return head.error();
        if (!*head) continue;
        const auto raw = begins_list(**head) ? read_structure(source, place + configuration_at,
                                                              configuration_bytes, ByteOrder::big)
                                             : Result<std::optional<Structure>>(std::optional<Structure>());
        if (!raw) return raw.error();
        const bool right = *raw && checksum_right(**raw);
        seen |= right || (*raw && (*raw)->has(first_name_at, "version"));
        auto list = right ? read_nvlist((*raw)->bytes()) : std::nullopt;
        if (list)
            whole.push_back({**raw, std::move(*list)});
        else
            damage.push_back((*head)->place(0) + ": zfs: the label is damaged or not there");
    }
    if (!seen) return false;
    for (auto& text : damage) found.damage.push_back(std::move(text));
    if (whole.empty())
        return Error{ErrorKind::bad_data, source.name() + "@0x4000: zfs: no label can be used"};
    const auto newest = std::max_element(whole.begin(), whole.end(), [](const Label& a, const Label& b) {
        return a.configuration.number("txg").value_or(0) < b.configuration.number("txg").value_or(0);
    });
    return to_facts(source, *newest, found);
}

void note_left_zfs_labels(ByteSource& source, Found& found) {
    const auto places = zfs_label_places(source.size_bytes().value_or(0));
    std::size_t count = 0;
    std::optional<Label> last;
    for (std::size_t i = 2; i < places.size(); ++i) {
        auto label = label_at(source, places[i]);
        if (label) ++count, last = std::move(label);
    }
    if (!last) return;
    const std::string name = last->configuration.text("name");
    std::string detail = fmt::format("{} ZFS label{} at the end, of {}", count, count == 1 ? "" : "s",
                                     name.empty() ? "no pool" : "pool " + name);
    const Provenance from = last->raw.from(0, detail);
    found.facts.events.push_back({source.name(), Event::Kind::stale_raid_metadata, std::move(detail), from});
}

}  // namespace diskwright
