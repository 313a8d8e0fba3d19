// SPDX-License-Identifier: BSD-2-Clause
// mount without arguments:
//   /dev/ada0p2 on / (ufs, local, journaled soft-updates)                FreeBSD, DragonFly
//   /dev/raid0e on /home type ffs (log, noatime, local)                  NetBSD, OpenBSD
//   /dev/md0p1 on /mnt/data0 type xfs (rw,relatime,sunit=1024,swidth=2048)   Linux
// Sources: freebsd-src, NetBSD src and OpenBSD src, sbin/mount/mount.c (prmount, prmntpt); util-linux
// mount(8).
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/parsers/mounts_write.hpp"
#include "probes/parsers/newfs_command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Row {
    std::string device, point, type;
    std::vector<std::string> options;
    bool type_in_brackets = false;
    std::size_t lines = 1;
};

std::optional<Row> split_row(std::string_view text) {
    text = trim(text);
    const auto on = text.find(" on /");
    if (on == std::string_view::npos || on == 0) return std::nullopt;
    const auto device = trim(text.substr(0, on));
    // A device may have blanks in its name only where it comes from another machine.
    if (device.find(' ') != std::string_view::npos && device.find(':') == std::string_view::npos &&
        !device.starts_with("//"))
        return std::nullopt;
    const auto open = text.rfind(" (");
    if (open == std::string_view::npos || open <= on) return std::nullopt;
    const auto close = text.find(')', open);
    if (close == std::string_view::npos) return std::nullopt;
    Row row;
    row.device = device;
    row.options = option_list(text.substr(open + 2, close - open - 2));
    auto middle = trim(text.substr(on + 4, open - on - 4));
    const auto type = middle.rfind(" type ");
    if (type != std::string_view::npos) {
        row.type = trim(middle.substr(type + 6));
        middle = trim(middle.substr(0, type));
    } else {
        if (row.options.empty()) return std::nullopt;
        row.type = row.options.front();
        row.options.erase(row.options.begin());
        row.type_in_brackets = true;
    }
    row.point = middle;
    const bool one_word = !row.type.empty() && row.type.find_first_of(" \t") == std::string::npos;
    // Unknown types happen (fuse, rump); then the rest of the row has to be in order.
    if (!one_word || (!is_file_system_type(row.type) && !row.type_in_brackets &&
                      middle.find(' ') != std::string_view::npos))
        return std::nullopt;
    if (row.type_in_brackets && !is_file_system_type(row.type)) return std::nullopt;
    return row;
}

std::optional<Row> row_at(const Output& out, std::size_t at) {
    if (out.text(at).find(" on /") == std::string_view::npos) return std::nullopt;
    if (auto row = split_row(out.text(at))) return row;
    // Wrapped: the options, or part of them, stand on the next line.
    if (at + 1 >= out.lines.size() || contains(out.text(at + 1), " on /") || contains(out.text(at), ")"))
        return std::nullopt;
    const auto joined = std::string(trim(out.text(at))) + ' ' + std::string(trim(out.text(at + 1)));
    auto row = split_row(joined);
    if (row) row->lines = 2;
    return row;
}

bool is_cut_row(const Output& out, std::size_t at) {
    return out.program() == "mount" && trim(out.text(at)).starts_with("/dev/") &&
           contains(out.text(at), " on /");
}

void suggest(Scribe& scribe, const Row& row, std::size_t at) {
    const auto has = [&](std::string_view option) {
        return std::find(row.options.begin(), row.options.end(), option) != row.options.end();
    };
    if (row.type.starts_with("hammer")) scribe.suggest_os(Os::dragonfly, at);
    if (row.type_in_brackets && row.type == "ufs") scribe.suggest_os(Os::freebsd, at);
    if (row.type == "ffs" && (has("log") || os_of_device(row.device) == Os::netbsd))
        scribe.suggest_os(Os::netbsd, at);
    if (!row.type_in_brackets && names_format(row.type) && (has("rw") || has("ro")))
        scribe.suggest_os(Os::linux_, at);
}

bool starts(const Output& out, std::size_t at) {
    return row_at(out, at).has_value() || is_cut_row(out, at);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at;
    while (next < out.lines.size()) {
        const auto row = row_at(out, next);
        if (!row) {
            if (!is_cut_row(out, next)) break;
            scribe.damage(next, "mount: the options of a row are cut off");
            ++next;
            continue;
        }
        write_mount(scribe, next, row->device, row->point, row->type, row->options);
        suggest(scribe, *row, next);
        next += row->lines;
    }
    return next - at;
}

}  // namespace

extern const CommandParser mount_parser{
    .id = "mount",
    .programs = {"mount"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"mount"}},
             {Os::freebsd, {"mount"}},
             {Os::openbsd, {"mount"}},
             {Os::dragonfly, {"mount"}}},
};

}  // namespace diskwright
