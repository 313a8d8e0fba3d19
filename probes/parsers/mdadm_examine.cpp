// SPDX-License-Identifier: BSD-2-Clause
// Linux: mdadm -E /dev/sd[bc]1, mdadm --examine, of mdadm 2.6 to 4.6, formats 0.90 and 1.x, also through a
// filter:
//   /dev/sdb1:
//             Magic : a92b4efc
//           Version : 1.2
//              Name : nas1:0  (local to host nas1)
//    Avail Dev Size : 1953260976 (931.39 GiB 1000.07 GB)      sectors; KiB in format 0.90; since 4.2 the unit
//    is printed
//       Data Offset : 262144 sectors
//            Events : 38185
//       Device Role : Active device 0
//       Array State : AA ('A' == active, '.' == missing, 'R' == replacing)
// Format: md-raid-utilities/mdadm:super0.c and super1.c at their tags.
//
// A superblock does not know which md device its set runs as. Format 0.90 has a preferred minor; a 1.x name
// that is a number after the host ("nas1:0") is the number mdadm gives the device; any other set keeps its
// name.
#include <algorithm>
#include <map>

#include "probes/model/md_words.hpp"
#include "probes/parsers/mdadm_block.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t sector = 512;

std::string_view first_word(std::string_view text) {
    const auto w = words(text);
    return w.empty() ? std::string_view{} : w[0];
}

bool is_old_format(const MdadmBlock& block) {
    const auto* version = block.find("Version");
    return version && version->value.starts_with("0.9");
}

// "1953519614 sectors (...)", "1953517568 KiB (...)", or a bare number in the unit that older releases meant.
std::optional<std::uint64_t> size_of(const MdadmLine& l, std::uint64_t bare_unit, Scribe& scribe) {
    const auto w = words(l.value);
    if (w.empty()) return std::nullopt;
    std::uint64_t unit = bare_unit;
    if (w.size() > 1 && w[1] == "sectors") unit = sector;
    if (w.size() > 1 && w[1] == "KiB") unit = KiB;
    return scribe.scaled(w[0], unit, l.line, l.label);
}

std::string volume_name(const MdadmBlock& block) {
    if (const auto* minor = block.find("Preferred Minor"))
        if (to_unsigned(first_word(minor->value))) return "md" + std::string(first_word(minor->value));
    if (const auto* name = block.find("Name"); name && !name->value.empty())
        return md_name_of_set(first_word(name->value));
    return "md?";
}

void read_set_label(const MdadmLine& l, bool old_format, Volume& volume, Scribe& scribe) {
    const auto word = first_word(l.value);
    if (l.label == "Version") {
        volume.metadata = scribe.text(old_format ? "0.90" : word, l.line);
    } else if (l.label == "Raid Level") {
        if (const auto level = md_level(word)) volume.level = scribe.known(*level, l.line);
    } else if (l.label == "Array Size") {
        if (const auto bytes = size_of(l, KiB, scribe)) volume.size_bytes = scribe.known(*bytes, l.line);
    } else if (l.label == "Raid Devices") {
        if (const auto n = scribe.number(word, l.line, "Raid Devices"))
            volume.columns = scribe.known(*n, l.line);
    } else if (l.label == "Layout") {
        if (word != "-unknown-") volume.layout = scribe.text(l.value, l.line);
    } else if (l.label == "Chunk Size") {
        if (const auto bytes = md_chunk_bytes(word); bytes && *bytes > 0)
            volume.stripe_unit_bytes = scribe.known(*bytes, l.line);
    } else if (l.label == "Internal Bitmap") {
        volume.parity_map = scribe.known(true, l.line);
    } else if (l.label == "Name" && !word.empty()) {
        volume.set_name = scribe.text(word, l.line);
    } else if (l.label == "UUID" || l.label == "Array UUID") {
        volume.uuid = scribe.text(word, l.line);
    } else if (l.label == "Reshape pos'n") {
        if (const auto bytes = scribe.scaled(word, KiB, l.line, "Reshape pos'n"))
            volume.reshape_position_bytes = scribe.known(*bytes, l.line);
    } else if (l.label == "Delta Devices" || l.label == "New Level" || l.label == "New Layout" ||
               l.label == "New Chunksize") {
        const std::string change = std::string(l.label) + " " + escaped(l.value);
        if (!volume.reshape_change)
            volume.reshape_change = scribe.known(change, l.line);
        else if (!contains(*volume.reshape_change, change))
            volume.reshape_change =
                Text(*volume.reshape_change + "; " + change, volume.reshape_change.from());
    }
}

// Bit 0 of the feature map: a bitmap, or the area a partial parity log (bits 10 and 11) took over. Bit 9: a
// journal.
void read_bitmap(const MdadmBlock& block, Volume& volume, const Scribe& scribe) {
    const auto* map = block.find("Feature Map");
    if (volume.parity_map || !volume.level || !md_is_redundant(*volume.level)) return;
    if (map) {
        const auto bits = to_hex(first_word(map->value));
        if (bits && (*bits & 0xe00) == 0) volume.parity_map = scribe.known((*bits & 1) != 0, map->line);
    }
    // Format 0.90 prints "Internal Bitmap : present" before the counts of devices or nothing.
    const auto* counts = block.find("Active Devices");
    if (is_old_format(block) && counts && !scribe.output().filtered)
        volume.parity_map = scribe.known(false, counts->line);
}

// The slot of the member examined, from "Device Role : Active device 2" or the "this" row of format 0.90.
std::optional<std::uint64_t> slot_of(const MdadmBlock& block) {
    if (const auto* role = block.find("Device Role")) {
        const auto number = after(role->value, "device ");
        return number && !role->value.starts_with("Replacement") ? to_unsigned(first_word(*number))
                                                                 : std::nullopt;
    }
    for (const MdadmLine& l : block.lines) {
        const auto w = words(l.value);
        if (l.label.empty() && w.size() >= 5 && w[0] == "this") return to_unsigned(w[4]);
    }
    return std::nullopt;
}

void read_component(const MdadmBlock& block, Component& c, Scribe& scribe) {
    const bool old_format = is_old_format(block);
    if (const auto* l = block.find("Data Offset")) {
        if (const auto bytes = size_of(*l, sector, scribe))
            c.data_offset_bytes = scribe.known(*bytes, l->line);
    } else if (const auto* version = block.find("Version");
               version && (old_format || version->value == "1.0")) {
        c.data_offset_bytes =
            scribe.known<std::uint64_t>(0, version->line);  // the superblock lies behind the data
    }
    if (const auto* l = block.find("Events"))
        if (const auto n = scribe.number(first_word(l->value), l->line, "Events"))
            c.events = scribe.known(*n, l->line);
    if (const auto* l = block.find("Used Dev Size")) {
        if (const auto bytes = size_of(*l, old_format ? KiB : sector, scribe))
            c.used_bytes = scribe.known(*bytes, l->line);
    }
    if (const auto* l = block.find("Avail Dev Size")) {
        const auto data = size_of(*l, sector, scribe);
        // Of format 1.0 the superblock and a gap follow the data. The others reach to the end of the device,
        // as it was when the set was made.
        const auto whole = data ? add(*data, c.data_offset_bytes.value_or(0)) : std::nullopt;
        const auto* version = block.find("Version");
        if (whole && version && version->value != "1.0") c.size_bytes = scribe.known(*whole, l->line);
        // The line "Used Dev Size" is left out when the two are equal.
        if (data && !c.used_bytes && block.find("Array Size") && !block.find("Used Dev Size") &&
            !scribe.output().filtered)
            c.used_bytes = scribe.known(*data, l->line);
    }
    if (const auto slot = slot_of(block)) {
        const auto* role = block.find("Device Role");
        c.slot = scribe.known(*slot, role ? role->line : block.first);
    }
    if (const auto* role = block.find("Device Role")) {
        if (role->value == "spare") c.state = scribe.known(ComponentState::spare, role->line);
        if (role->value == "Journal") c.role = scribe.text("journal", role->line);
        if (role->value.starts_with("Replacement")) c.role = scribe.text("replacement", role->line);
    }
}

// What the freshest superblock of a set says of every slot.
struct View {
    std::uint64_t events = 0;
    std::string_view slots;  // "A.AR"
    std::size_t line = 0;
};

struct Sets {
    std::map<std::string, std::string>
        name_by_uuid;  // blocks of one set may differ in what a filter left of them
    std::map<std::string, View> views;
};

void read_block(const MdadmBlock& block, Sets& sets, Scribe& scribe) {
    const auto* uuid = block.find("Array UUID") ? block.find("Array UUID") : block.find("UUID");
    std::string name = volume_name(block);
    if (uuid) {
        auto& known = sets.name_by_uuid[std::string(first_word(uuid->value))];
        if (known.empty())
            known = name;
        else
            name = known;
    }
    Volume& volume = diskwright::volume(scribe.facts, name);
    volume.kind = scribe.known(VolumeKind::md, block.first);
    for (const MdadmLine& l : block.lines)
        if (!l.label.empty()) read_set_label(l, is_old_format(block), volume, scribe);
    read_bitmap(block, volume, scribe);
    if (block.device.empty()) {
        scribe.damage(block.first, "mdadm --examine: the line that names the device is missing");
        return;
    }
    Component& c = component(volume, block.device);
    read_component(block, c, scribe);
    const auto* slots = block.find("Array State");
    const auto view = slots ? first_word(slots->value) : std::string_view{};
    if (view.empty() || view.find_first_not_of("A.R?") != std::string_view::npos || !c.events) return;
    View& best = sets.views[name];
    if (!best.slots.empty() && *c.events <= best.events) return;
    best = {*c.events, view, slots->line};
    // "active" is normal while the set runs; of one that does not, it says that writes were under way when it
    // stopped.
    if (const auto* state = block.find("State"))
        volume.parity_clean = scribe.known(first_word(state->value).starts_with("clean"), state->line);
}

// A member that the freshest superblock no longer counts was thrown out; slots that it lacks and nobody here
// fills are gone.
void judge_members(const View& view, Volume& volume, const Scribe& scribe) {
    std::vector<bool> filled(view.slots.size(), false);
    for (Component& c : volume.components) {
        if (!c.slot || *c.slot >= view.slots.size() || c.state) continue;
        filled[*c.slot] = true;
        const char mark = view.slots[*c.slot];
        if (mark == 'A' || mark == 'R') c.state = scribe.known(ComponentState::optimal, view.line);
        if (mark == '.') c.state = scribe.known(ComponentState::failed, view.line);
    }
    for (std::size_t i = 0; i < view.slots.size(); ++i) {
        if (view.slots[i] != '.' || filled[i]) continue;
        Component gone;
        gone.state = scribe.known(ComponentState::missing, view.line);
        gone.slot = scribe.known<std::uint64_t>(i, view.line);
        volume.components.push_back(std::move(gone));
    }
}

// A device without a superblock, of which --examine prints the partition table (super-mbr.c, super-gpt.c): it
// tells nothing of sets, and of partitions less than others do. How many lines; 0 where there is none.
std::size_t lines_of_table(const Output& out, std::size_t at) {
    const auto header = trim(out.text(at));
    if (!header.starts_with('/') || !header.ends_with(':') || contains(header, " ")) return 0;
    std::size_t end = at + 1;
    const auto of_table = [](std::string_view line) {
        return line.starts_with("MBR Magic : ") || line.starts_with("GPT Magic : ") ||
               line.starts_with("GPT Revision : ") || line.starts_with("Partition[");
    };
    while (end < out.lines.size() && of_table(trim(out.text(end)))) ++end;
    return end == at + 1 ? 0 : end - at;
}

bool starts(const Output& out, std::size_t at) {
    if (lines_of_table(out, at) > 0) return true;
    if (!mdadm_block_begins(out, at)) return false;
    const auto block = mdadm_block(out, at);
    return block && mdadm_examines(*block, out);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    scribe.suggest_os(Os::linux_, at);
    Sets sets;
    std::size_t end = at;
    for (;;) {
        if (const std::size_t lines = lines_of_table(out, at)) {
            at = end = at + lines;
            continue;
        }
        const auto block = mdadm_block(out, at);
        if (!block || !mdadm_examines(*block, out)) break;
        const auto* magic = block->find("Magic");
        if (magic && magic->value != "a92b4efc")
            scribe.unparsed(block->first, block->end - 1,
                            "mdadm: metadata other than md's own ('" + escaped(magic->value) + "')");
        else
            read_block(*block, sets, scribe);
        at = end = block->end;
        while (at < out.lines.size() && trim(out.text(at)).empty()) ++at;
    }
    for (const auto& [name, view] : sets.views)
        judge_members(view, diskwright::volume(scribe.facts, name), scribe);
    return end - first;
}

}  // namespace

extern const CommandParser mdadm_examine_parser{
    .id = "mdadm-examine",
    .programs = {"mdadm"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"mdadm", "--examine", "/dev/{disk}"}, true}},
};

}  // namespace diskwright
