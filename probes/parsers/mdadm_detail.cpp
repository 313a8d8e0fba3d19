// SPDX-License-Identifier: BSD-2-Clause
// Linux: mdadm -D /dev/md0, mdadm --detail, of mdadm 2.6 to 4.6:
//   /dev/md127:
//              Version : 1.2
//           Raid Level : raid6
//           Array Size : 58593761280 (54.57 TiB 60.00 TB)
//                State : clean, degraded
//      Number   Major   Minor   RaidDevice State
//         -       0        0        0      removed
//         8       8       17        1      active sync   /dev/sdb1
// Sizes are KiB. Format: md-raid-utilities/mdadm:Detail.c at its tags (labels are padded to 15 columns up
// to 4.0, to 18 since).
#include <algorithm>

#include <fmt/format.h>

#include "probes/model/md_words.hpp"
#include "probes/parsers/mdadm_block.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string_view first_word(std::string_view text) {
    const auto w = words(text);
    return w.empty() ? std::string_view{} : w[0];
}

void read_state(const MdadmLine& l, Volume& volume, const Scribe& scribe) {
    const bool failed = contains(l.value, "FAILED"), degraded = contains(l.value, "degraded");
    const bool recovering = contains(l.value, "recovering");
    const bool stopped = contains(l.value, "Not Started") || contains(l.value, "inactive");
    VolumeState state = VolumeState::optimal;
    if (stopped)
        state = VolumeState::inactive;
    else if (failed || contains(l.value, "broken"))
        state = VolumeState::failed;
    else if (degraded)
        state = recovering ? VolumeState::rebuilding : VolumeState::degraded;
    volume.state = scribe.known(state, l.line);
    std::optional<Activity> activity;
    if (recovering)
        activity = Activity::rebuild;
    else if (contains(l.value, "resyncing"))
        activity = Activity::resync;
    else if (contains(l.value, "reshaping"))
        activity = Activity::reshape;
    else if (contains(l.value, "checking"))
        activity = Activity::check;
    if (activity) {
        volume.activity = scribe.known(*activity, l.line);
        volume.activity_progress = scribe.known(contains(l.value, "(PENDING)")   ? Progress::pending
                                                : contains(l.value, "(DELAYED)") ? Progress::paused
                                                                                 : Progress::running,
                                                l.line);
    }
    // "clean" of a set that does not run says that nothing was being written when it stopped.
    if (stopped && first_word(l.value).starts_with("clean")) volume.parity_clean = scribe.known(true, l.line);
    if (stopped && first_word(l.value).starts_with("active"))
        volume.parity_clean = scribe.known(false, l.line);
}

// "Rebuild Status : 12% complete". Old releases print "Rebuild Status" for a resync too, so the state line is
// believed.
void read_progress(const MdadmLine& l, Activity activity, Volume& volume, Scribe& scribe) {
    if (!volume.activity) volume.activity = scribe.known(activity, l.line);
    if (!volume.activity_progress) volume.activity_progress = scribe.known(Progress::running, l.line);
    auto word = first_word(l.value);
    if (word.ends_with('%')) word.remove_suffix(1);
    if (const auto percent = scribe.real(word, l.line, "mdadm status"); percent && *percent <= 100)
        volume.activity_percent = scribe.known(*percent, l.line);
}

void note_change(const MdadmLine& l, Volume& volume, const Scribe& scribe) {
    std::string change = volume.reshape_change.known() ? *volume.reshape_change + "; " : std::string();
    change += std::string(l.label) + " " + escaped(l.value);
    volume.reshape_change = scribe.known(std::move(change), l.line);
}

void read_label(const MdadmLine& l, Volume& volume, Scribe& scribe) {
    const auto word = first_word(l.value);
    if (l.label == "Version") {
        volume.metadata = scribe.text(word.starts_with("0.9") ? "0.90" : word, l.line);
    } else if (l.label == "Raid Level") {
        if (const auto level = md_level(word))
            volume.level = scribe.known(*level, l.line);
        else
            scribe.unparsed(l.line, l.line, "mdadm: no level known by the name '" + escaped(word) + "'");
    } else if (l.label == "Array Size") {
        if (const auto bytes = scribe.scaled(word, KiB, l.line, "Array Size"))
            volume.size_bytes = scribe.known(*bytes, l.line);
    } else if (l.label == "Raid Devices") {
        if (const auto n = scribe.number(word, l.line, "Raid Devices"))
            volume.columns = scribe.known(*n, l.line);
    } else if (l.label == "Spare Devices") {
        if (const auto n = scribe.number(word, l.line, "Spare Devices"))
            volume.spares = scribe.known(*n, l.line);
    } else if (l.label == "State") {
        read_state(l, volume, scribe);
    } else if (l.label == "Layout") {
        if (word != "-unknown-") volume.layout = scribe.text(l.value, l.line);
    } else if (l.label == "Chunk Size") {
        if (const auto bytes = md_chunk_bytes(word); bytes && *bytes > 0)
            volume.stripe_unit_bytes = scribe.known(*bytes, l.line);
        else
            scribe.unparsed(l.line, l.line, "mdadm: no chunk size in '" + escaped(l.value) + "'");
    } else if (l.label == "Intent Bitmap") {
        volume.parity_map = scribe.known(true, l.line);
    } else if (l.label == "Consistency Policy") {
        if (word == "bitmap") volume.parity_map = scribe.known(true, l.line);
        // A journal or partial parity log also does without a full resync.
        if (word == "resync" || word == "unknown") volume.parity_map = scribe.known(false, l.line);
    } else if (l.label == "Name") {
        volume.set_name = scribe.text(word, l.line);
    } else if (l.label == "UUID") {
        volume.uuid = scribe.text(word, l.line);
    } else if (l.label == "Rebuild Status") {
        read_progress(l, Activity::rebuild, volume, scribe);
    } else if (l.label == "Resync Status") {
        read_progress(l, Activity::resync, volume, scribe);
    } else if (l.label == "Reshape Status") {
        read_progress(l, Activity::reshape, volume, scribe);
    } else if (l.label == "Check Status") {
        read_progress(l, Activity::check, volume, scribe);
    } else if (l.label == "Delta Devices" || l.label == "New Level" || l.label == "New Layout" ||
               l.label == "New Chunksize") {
        note_change(l, volume, scribe);
    }
}

std::optional<ComponentState> state_of_row(std::string_view row) {
    if (contains(row, "faulty")) return ComponentState::failed;
    if (contains(row, "removed")) return ComponentState::missing;
    if (contains(row, "rebuilding")) return ComponentState::rebuilding;
    if (contains(row, "active sync")) return ComponentState::optimal;
    if (contains(row, "spare")) return ComponentState::spare;
    return std::nullopt;
}

struct Row {
    std::string_view device;
    Component component;
};

Row read_row(const MdadmLine& l, const Scribe& scribe) {
    const auto w = words(l.value);
    Row row;
    if (const auto slot = to_unsigned(w[3])) row.component.slot = scribe.known(*slot, l.line);
    const auto state = state_of_row(l.value);
    if (state) row.component.state = scribe.known(*state, l.line);
    if (contains(l.value, "journal")) row.component.role = scribe.text("journal", l.line);
    if (w.back().starts_with("/dev/")) row.device = w.back();
    // A node that is no longer in /dev is printed as "missing"; the numbers still tell devices apart.
    else if (state && *state != ComponentState::missing)
        row.component.name = std::string(w[1]) + ":" + std::string(w[2]);
    return row;
}

void read_table(const MdadmBlock& block, Volume& volume, Scribe& scribe) {
    std::uint64_t slots = 0;
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
        const MdadmLine& l = block.lines[i];
        if (!l.label.empty() || l.value.starts_with("/dev/")) continue;
        Row row = read_row(l, scribe);
        if (i + 1 < block.lines.size() && block.lines[i + 1].label.empty() &&
            block.lines[i + 1].value.starts_with("/dev/"))
            row.device = block.lines[i + 1].value;
        if (!row.device.empty()) row.component.name = device_name(row.device);
        if (row.component.slot) ++slots;
        volume.components.push_back(std::move(row.component));
    }
    if (!volume.components.empty() && volume.columns && slots >= *volume.columns)
        volume.components_complete = scribe.known(true, block.end - 1);
    if (volume.state.is(VolumeState::optimal) && !volume.components.empty() && volume.columns &&
        slots < *volume.columns && !scribe.output().filtered) {
        scribe.damage(block.end - 1,
                      fmt::format("mdadm: {} of {} devices of {} are listed, and its state is clean", slots,
                                  *volume.columns, volume.name));
        volume.components_complete = scribe.known(false, block.end - 1);
    }
    if (const auto* used = block.find("Used Dev Size"))
        if (const auto kib = to_unsigned(first_word(used->value)))
            if (const auto bytes = multiply(*kib, KiB))
                for (Component& c : volume.components)
                    if (c.state && *c.state != ComponentState::missing)
                        c.used_bytes = scribe.known(*bytes, used->line);
}

bool starts(const Output& out, std::size_t at) {
    if (!mdadm_block_begins(out, at)) return false;
    const auto block = mdadm_block(out, at);
    return block && !block->device.empty() && !mdadm_examines(*block, out);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const auto block = mdadm_block(out, at);
    if (!block || block->device.empty() || mdadm_examines(*block, out)) return 0;
    scribe.suggest_os(Os::linux_, at);
    if (block->find("Container") == nullptr && block->find("Raid Level") &&
        first_word(block->find("Raid Level")->value) == "container")
        return block->end - at;
    Volume& volume = diskwright::volume(scribe.facts, md_device_name(block->device));
    volume.kind = scribe.known(VolumeKind::md, at);
    for (const MdadmLine& l : block->lines)
        if (!l.label.empty()) read_label(l, volume, scribe);
    read_table(*block, volume, scribe);
    // Releases before 4.1 have no "Consistency Policy"; there a bitmap, if any, has its own line above the
    // state.
    if (!volume.parity_map && volume.level && md_is_redundant(*volume.level) && !out.filtered &&
        block->table_seen && block->find("State") && block->find("Persistence") &&
        !block->find("Consistency Policy"))
        volume.parity_map = scribe.known(false, block->find("State")->line);
    return block->end - at;
}

}  // namespace

extern const CommandParser mdadm_detail_parser{
    .id = "mdadm-detail",
    .programs = {"mdadm"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"mdadm", "--detail", "/dev/{volume:md}"}, true}},
};

}  // namespace diskwright
