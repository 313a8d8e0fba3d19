// SPDX-License-Identifier: BSD-2-Clause
// cryptsetup: luksDump of both formats, whole or cut down to the data segments, status, and luksFormat at a
// prompt.
//   LUKS header information for /dev/sda2  |  Data segments:
//   Version:        1                      |    0: crypt
//                                          |    sector: 512 [bytes]
//   /dev/mapper/backup is active and is in use.
//     device:  /dev/sde1
//     sector size:  4096
// The mapped name is known to status, open and lsblk only; else the volume is luks-<device>.
// LUKS1 knows sectors of 512 bytes only. Source: cryptsetup, lib/luks2/luks2_json_metadata.c,
// src/cryptsetup.c.
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_command(const Output& out, std::string_view action) {
    return out.program() == "cryptsetup" && out.has_argument(action);
}

std::string device_at_prompt(const Output& out) {
    for (const std::string_view word : out.argv)
        if (word.starts_with("/dev/")) return device_name(word);
    return {};
}

bool is_header_line(std::string_view line) {
    return trim(line).starts_with("LUKS header information");
}
bool is_segments_line(std::string_view line) {
    return trim(line) == "Data segments:";
}
bool is_status_line(std::string_view line) {
    return contains(line, "/dev/mapper/") && (contains(line, " is active"));
}

bool makes_volume(const Output& out) {
    return is_command(out, "luksFormat") || is_command(out, "open") || is_command(out, "luksOpen");
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    return is_header_line(line) || is_segments_line(line) || is_status_line(line) ||
           (at == 0 && makes_volume(out));
}

Volume& crypto(Scribe& scribe, const std::string& name, const std::string& device, const Provenance& from) {
    Volume& v = volume(scribe.facts, name);
    v.kind = Known<VolumeKind>(VolumeKind::crypto, from);
    component(v, device);
    return v;
}

// "--sector-size 4096", "--sector-size=4096", "--type luks1".
std::string_view long_option(const Output& out, std::string_view name) {
    for (std::size_t i = 1; i < out.argv.size(); ++i) {
        const std::string_view word = out.argv[i];
        if (word == name)
            return i + 1 < out.argv.size() ? std::string_view(out.argv[i + 1]) : std::string_view{};
        if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
            return word.substr(name.size() + 1);
    }
    return {};
}

std::size_t parse_command(const Output& out, Scribe& scribe) {
    const auto device = device_at_prompt(out);
    const auto from = scribe.at_prompt();
    if (device.empty()) {
        scribe.unparsed(out.lines.size(), out.lines.size(), "cryptsetup: no device in the command");
        return 1;
    }
    // Refused: "Device /dev/sdd2 is in use", "Cannot format device ...".
    for (std::size_t i = 0; i < out.lines.size() && i < 4; ++i)
        if (contains(out.text(i), "Cannot ") || contains(out.text(i), "is in use") ||
            contains(out.text(i), "No key available"))
            return i + 1;
    if (!is_command(out, "luksFormat")) {
        std::string name;
        for (std::size_t i = 1; i < out.argv.size(); ++i)
            if (device_name(out.argv[i]) == device && i + 1 < out.argv.size() &&
                !out.argv[i + 1].starts_with('-'))
                name = out.argv[i + 1];
        if (!name.empty()) crypto(scribe, name, device, from);
        return 1;
    }
    Volume& v = crypto(scribe, "luks-" + device, device, from);
    const auto type = long_option(out, "--type");
    const auto sector = long_option(out, "--sector-size");
    if (iequals(type, "luks1")) v.crypto_format = Text("LUKS1", from);
    // Only LUKS2 takes a sector size.
    if (iequals(type, "luks2") || !sector.empty()) v.crypto_format = Text("LUKS2", from);
    if (!sector.empty()) {
        if (const auto bytes = to_unsigned(sector))
            v.crypto_sector_bytes = Number(*bytes, from);
        else
            scribe.unparsed(out.lines.size(), out.lines.size(),
                            "cryptsetup: sector size '" + escaped(sector) + "' is no number");
    }
    scribe.suggest_os(Os::linux_, out.lines.size());
    return 1;
}

std::size_t parse_status(const Output& out, std::size_t at, Scribe& scribe) {
    const auto rest = words(after(out.text(at), "/dev/mapper/").value_or(std::string_view{}));
    if (rest.empty()) return 0;
    const auto name = rest[0];
    std::size_t next = at + 1, sector_line = 0;
    std::string_view device, type;
    std::optional<std::uint64_t> sector;
    std::size_t device_line = at, type_line = at;
    for (; next < out.lines.size(); ++next) {
        const auto line = trim(out.text(next));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) break;
        const auto label = line.substr(0, colon), value = trim(line.substr(colon + 1));
        if (label == "device") device = value, device_line = next;
        if (label == "type") type = value, type_line = next;
        if (label == "sector size")
            sector = scribe.number(words(value).empty() ? value : words(value)[0], next, label),
            sector_line = next;
    }
    if (device.empty()) {
        scribe.damage(at, "cryptsetup status: the device is cut off");
        return next - at;
    }
    Volume& v = crypto(scribe, std::string(name), device_name(device), scribe.at(device_line));
    if (type == "LUKS1" || type == "LUKS2") v.crypto_format = scribe.text(type, type_line);
    if (sector) v.crypto_sector_bytes = scribe.known(*sector, sector_line);
    return next - at;
}

std::size_t parse_dump(const Output& out, std::size_t at, Scribe& scribe) {
    std::string device;
    if (const auto named = after(out.text(at), "information for "); named && !words(*named).empty())
        device = device_name(words(*named)[0]);
    if (device.empty() && out.program() == "cryptsetup") device = device_at_prompt(out);
    Text format;
    Number sector;
    std::size_t next = at;
    bool in_segments = false;
    for (; next < out.lines.size(); ++next) {
        const auto raw = out.text(next);
        const auto line = trim(raw);
        if (next > at && is_header_line(line)) break;
        if (line.empty()) {
            if (in_segments && sector) break;
            continue;
        }
        if (is_segments_line(line)) {
            in_segments = true;
            format = scribe.text("LUKS2", next);
            continue;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) {
            if (!is_header_line(line)) break;
            continue;
        }
        const auto label = line.substr(0, colon), value = trim(line.substr(colon + 1));
        if (label == "Version" && (value == "1" || value == "2"))
            format = scribe.text("LUKS" + std::string(value), next);
        if (in_segments && label == "sector" && !words(value).empty())
            if (const auto v = scribe.number(words(value)[0], next, label)) sector = scribe.known(*v, next);
        if (label == "Keyslots") break;
    }
    if (format.is("LUKS1")) sector = Number(512, format.from());
    if (device.empty()) {
        scribe.unparsed(at, at, "cryptsetup: neither the output nor a prompt names the device");
        return std::max<std::size_t>(next - at, 1);
    }
    Volume& v = crypto(scribe, "luks-" + device, device, scribe.at(at));
    v.crypto_format = format;
    v.crypto_sector_bytes = sector;
    scribe.suggest_os(Os::linux_, at);
    return std::max<std::size_t>(next - at, 1);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (is_status_line(out.text(at))) return parse_status(out, at, scribe);
    if (is_header_line(out.text(at)) || is_segments_line(out.text(at))) return parse_dump(out, at, scribe);
    return parse_command(out, scribe);
}

}  // namespace

extern const CommandParser luks_parser{
    .id = "luks",
    .programs = {"cryptsetup"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
