// SPDX-License-Identifier: BSD-2-Clause
// dumpfs -m of FreeBSD and OpenBSD, which mailers wrap, and a newfs command quoted without a prompt:
//   # newfs command for /dev/ada0p3 (/dev/ada0p3)
//   newfs -L data -O 2 -U -a 4 -b 32768 -d 32768 -e 4096 -f 4096 -g 16384 -h 64 -i
//   8192 -k 6408 -m 8 -o time -s 419430400 /dev/ada0p3
// Sources: freebsd-src and OpenBSD src, sbin/dumpfs/dumpfs.c (marshal).
#include "probes/parsers/command.hpp"
#include "probes/parsers/newfs_command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t longest_wrap = 5;

bool is_caption(std::string_view line) {
    return contains(line, "newfs command for ");
}

bool begins_command(std::string_view line) {
    const auto text = trim(line);
    return text.starts_with("newfs -") || text.starts_with("newfs /dev/");
}

// "I made it with `newfs -O 2 /dev/rraid0e', and ..."
std::optional<std::string_view> quoted_command(std::string_view line) {
    const auto at = line.find("newfs -");
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    const char open = line[at - 1];
    const std::string_view close = open == '`'    ? "`'"
                                   : open == '"'  ? "\""
                                   : open == '\'' ? "'"
                                   : open == '('  ? ")"
                                                  : "";
    if (close.empty()) return std::nullopt;
    const auto rest = line.substr(at);
    const auto end = rest.find_first_of(close);
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
}

struct Found {
    NewfsCommand command;
    std::size_t lines = 1;
};

std::optional<Found> command_from(const Output& out, std::size_t at) {
    if (const auto quoted = quoted_command(out.text(at))) {
        auto command = read_newfs_command(words(*quoted));
        if (command && !command->device.empty()) return Found{std::move(*command), 1};
        return std::nullopt;
    }
    if (!begins_command(out.text(at))) return std::nullopt;
    std::vector<std::string_view> line;
    for (std::size_t used = 0; used < longest_wrap && at + used < out.lines.size(); ++used) {
        const auto more = words(out.text(at + used));
        if (more.empty()) break;
        line.insert(line.end(), more.begin(), more.end());
        auto command = read_newfs_command(line);
        if (!command) break;
        if (!command->device.empty()) return Found{std::move(*command), used + 1};
    }
    return std::nullopt;
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    return is_caption(line) || begins_command(line) || quoted_command(line).has_value();
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at;
    if (is_caption(out.text(at))) {
        // "(mailer wrapped) /dev/x)" may follow the caption before the command does.
        for (++next; next < out.lines.size() && next < at + 3 && !begins_command(out.text(next)); ++next) {
        }
        if (!begins_command(out.text(next))) {
            if (!words(out.text(at)).empty() && words(out.text(at))[0] == "#")
                scribe.unparsed(at, at, "dumpfs -m: the newfs line is missing");
            return trim(out.text(at)).starts_with('#') ? 1 : 0;
        }
    }
    const auto found = command_from(out, next);
    if (!found) {
        if (next == at && !(trim(out.text(at)).starts_with("newfs -"))) return 0;
        const auto w = words(out.text(next));
        const bool recorded = w.size() > 8 && w[1].starts_with('-');
        if (next == at && !recorded) return 0;
        scribe.unparsed(at, next, "newfs: no device in the command");
        return next - at + 1;
    }
    const auto from = scribe.at(next);
    const bool quoted = quoted_command(out.text(next)).has_value();
    if (!found->command.bad_option.empty())
        scribe.unparsed(next, next, "newfs: not a value: '" + escaped(found->command.bad_option) + "'");
    write_newfs_command(
        found->command,
        quoted ? Provenance(from.source(), from.line(), from.text(), Provenance::Kind::prose) : from, scribe);
    return next - at + found->lines;
}

}  // namespace

extern const CommandParser newfs_line_parser{
    .id = "newfs-line",
    .programs = {"dumpfs", "newfs"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
