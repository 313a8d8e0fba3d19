// SPDX-License-Identifier: BSD-2-Clause
// fstab(5) of all systems, shown with a prompt or pasted alone:
//   # Device        Mountpoint   FStype  Options   Dump  Pass#
//   /dev/ada0p2     /            ufs     rw        1     1
//   52fdd1ce48744600.b none swap sw
//   UUID=0a1b...  /srv  ext4  defaults,noatime  0  2
// Missing dump and pass fields are 0. Names by UUID, label, DUID or wedge name stay as written.
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/parsers/newfs_command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool at_prompt(const Output& out) {
    return std::any_of(out.argv.begin(), out.argv.end(), [](const std::string& word) {
        return word.ends_with("fstab") || word.ends_with("fstab.bak") || contains(word, "fstab.");
    });
}

// "52fdd1ce48744600.a": OpenBSD's disklabel identifier and the partition's letter.
bool is_duid(std::string_view device) {
    return device.size() == 18 && device[16] == '.' &&
           device.substr(0, 16).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The kernel's own table has the same shape (/proc/mounts, mtab, mount -p); its options give it away.
bool is_kernel_table(const Output& out, const TableLine& line) {
    for (const auto& word : out.argv)
        if (contains(word, "/proc/") || word.ends_with("mtab") || word == "mount") return true;
    const auto has = [&](std::string_view option) {
        return std::find(line.options.begin(), line.options.end(), option) != line.options.end();
    };
    return !at_prompt(out) && (has("relatime") || has("seclabel") || has("attr2")) &&
           (has("rw") || has("ro"));
}

// Outside a shown fstab a line needs a device that cannot be a word of prose, and options.
bool is_entry(const Output& out, std::size_t at) {
    const auto line = read_table_line(out.text(at));
    if (!line || is_kernel_table(out, *line)) return false;
    if (at_prompt(out)) return true;
    if (line->options.empty()) return false;
    const std::string_view device = line->device;
    return device.starts_with('/') || device.find('=') != std::string_view::npos || is_duid(device) ||
           device.starts_with("ROOT.") || device.find(":/") != std::string_view::npos ||
           device == line->type || is_file_system_type(device);
}

bool is_comment(std::string_view line) {
    return trim(line).starts_with('#');
}

bool only_numbers(std::string_view line) {
    const auto w = words(line);
    return !w.empty() && w.size() <= 2 &&
           std::all_of(w.begin(), w.end(), [](auto word) { return to_unsigned(word) && word.size() == 1; });
}

bool looks_broken(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    return at_prompt(out) &&
           (text.starts_with("/dev/") || text.starts_with("UUID=") || text.starts_with("LABEL="));
}

bool starts(const Output& out, std::size_t at) {
    return is_entry(out, at) || looks_broken(out, at);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at;
    for (; next < out.lines.size(); ++next) {
        const auto text = out.text(next);
        if (!is_entry(out, next)) {
            if (looks_broken(out, next)) {
                scribe.unparsed(next, next, "fstab: not the fields of an entry");
                continue;
            }
            // Comments and blank lines inside are fine.
            const bool skippable = is_comment(text) || trim(text).empty();
            if (skippable && next + 1 < out.lines.size() &&
                (is_entry(out, next + 1) || is_comment(out.text(next + 1))))
                continue;
            break;
        }
        auto line = *read_table_line(text);
        const std::size_t row = next;
        // Wrapped before the last fields.
        if (!line.pass && next + 1 < out.lines.size() && only_numbers(out.text(next + 1))) {
            const auto rest = words(out.text(next + 1));
            if (rest.size() == (line.dump ? 1U : 2U)) {
                if (!line.dump) line.dump = to_unsigned(rest.front());
                line.pass = to_unsigned(rest.back());
                ++next;
            }
        }
        FstabEntry entry;
        entry.device = device_name(line.device);
        entry.point = line.type == "swap" || line.type == "sw" ? "none" : line.point;
        entry.type = scribe.text(line.type == "sw" ? "swap" : line.type, row);
        if (!line.options.empty()) entry.options = scribe.known(line.options, row);
        entry.dump = scribe.known(line.dump.value_or(0), row);
        entry.pass = scribe.known(line.pass.value_or(0), row);
        scribe.facts.fstab.push_back(std::move(entry));
        if (const auto os = os_of_device(line.device)) scribe.suggest_os(*os, row);
        if (is_duid(line.device)) scribe.suggest_os(Os::openbsd, row);
    }
    return next - at;
}

}  // namespace

extern const CommandParser fstab_parser{
    .id = "fstab",
    .programs = {"fstab"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"<", "/etc/fstab"}},
             {Os::freebsd, {"<", "/etc/fstab"}},
             {Os::openbsd, {"<", "/etc/fstab"}},
             {Os::dragonfly, {"<", "/etc/fstab"}},
             {Os::linux_, {"<", "/etc/fstab"}}},
};

}  // namespace diskwright
