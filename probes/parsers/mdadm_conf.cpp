// SPDX-License-Identifier: BSD-2-Clause
// Linux: /etc/mdadm.conf, /etc/mdadm/mdadm.conf, mdadm --detail --scan, mdadm --examine --scan:
//   ARRAY /dev/md0 metadata=1.2 spares=1 name=nas1:0 UUID=b53506a2:0beb53c4:81f09015:b2979bdf
//   ARRAY /dev/md1 level=raid5 num-devices=4 UUID=... devices=/dev/sda1,/dev/sdb1
//   INACTIVE-ARRAY /dev/md3 metadata=1.2 name=...
// Format: md-raid-utilities/mdadm: mdadm.conf(5), Detail.c, config.c. A line that begins with a blank goes on
// the line above.
#include <algorithm>
#include <array>

#include "probes/model/md_words.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_array(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 2 || (w[0] != "ARRAY" && w[0] != "INACTIVE-ARRAY")) return false;
    return w[1].starts_with("/dev/") || w[1] == "<ignore>" || w[1].find('=') != std::string_view::npos;
}

void read_word(std::string_view word, std::size_t line, Volume& volume, Scribe& scribe) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) return;
    const auto key = lowercase(word.substr(0, equals));
    const auto value = word.substr(equals + 1);
    if (value.empty()) return;
    if (key == "uuid") {
        volume.uuid = scribe.text(value, line);
    } else if (key == "name") {
        volume.set_name = scribe.text(value, line);
    } else if (key == "metadata") {
        volume.metadata = scribe.text(value == "0.9" || value == "00.90" ? "0.90" : value, line);
    } else if (key == "level") {
        if (const auto level = md_level(value)) volume.level = scribe.known(*level, line);
    } else if (key == "num-devices") {
        if (const auto n = scribe.number(value, line, "num-devices")) volume.columns = scribe.known(*n, line);
    } else if (key == "spares") {
        if (const auto n = scribe.number(value, line, "spares")) volume.spares = scribe.known(*n, line);
    } else if (key == "devices") {
        for (const auto name : split(value, ','))
            if (name.starts_with("/dev/") && name.find_first_of("*?[") == std::string_view::npos)
                component(volume, name);
    }
}

// What the file says beside its arrays tells nothing of the storage.
bool is_setting(const Output& out, std::size_t at) {
    constexpr std::array<std::string_view, 12> keywords{
        "DEVICE",   "PARTITIONS", "CREATE", "HOMEHOST", "HOMECLUSTER", "MAILADDR",
        "MAILFROM", "PROGRAM",    "AUTO",   "POLICY",   "PART-POLICY", "SYSFS"};
    const bool of_file = out.program() == "cat" && out.operand(0).ends_with("mdadm.conf");
    const auto w = of_file ? words(out.text(at)) : std::vector<std::string_view>{};
    return !w.empty() && std::any_of(keywords.begin(), keywords.end(),
                                     [&](std::string_view keyword) { return iequals(w[0], keyword); });
}

bool starts(const Output& out, std::size_t at) {
    return is_array(out.text(at)) || is_setting(out, at);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    scribe.suggest_os(Os::linux_, at);
    if (is_setting(out, at)) return 1;
    auto w = words(out.text(at));
    const bool inactive = w[0] == "INACTIVE-ARRAY";
    // A container holds only the members of other sets; "<ignore>" is one that is never assembled.
    const bool named = w[1].starts_with("/dev/");
    const bool wanted = named && !contains(out.text(at), "level=container") &&
                        !contains(out.text(at), "metadata=imsm") && !contains(out.text(at), "metadata=ddf");
    HostFacts unused;
    Volume& volume = diskwright::volume(wanted ? scribe.facts : unused, md_device_name(w[1]));
    volume.kind = scribe.known(VolumeKind::md, at);
    if (inactive) volume.state = scribe.known(VolumeState::inactive, at);
    // --scan of mdadm prints the same lines for what runs or lies on the disks.
    if (out.program() != "mdadm") volume.from_configuration = scribe.text("mdadm.conf", at);
    for (std::size_t i = named ? 2 : 1; i < w.size(); ++i) read_word(w[i], at, volume, scribe);
    if (!named) scribe.unparsed(at, at, "mdadm.conf: an array without a device name is not followed");
    for (++at; at < out.lines.size(); ++at) {
        const auto text = out.text(at);
        if (text.empty() || (text[0] != ' ' && text[0] != '\t') ||
            trim(text).find('=') == std::string_view::npos)
            break;
        for (const auto word : words(text)) read_word(word, at, volume, scribe);
    }
    return at - first;
}

}  // namespace

extern const CommandParser mdadm_conf_parser{
    .id = "mdadm-conf",
    .programs = {},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"<", "/etc/mdadm/mdadm.conf"}}, {Os::linux_, {"<", "/etc/mdadm.conf"}}},
};

}  // namespace diskwright
