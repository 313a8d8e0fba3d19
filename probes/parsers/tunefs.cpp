// SPDX-License-Identifier: BSD-2-Clause
// tunefs: what is set (FreeBSD -p; NetBSD and OpenBSD -N), and what a change printed or only typed sets.
//   tunefs: soft updates: (-n)                                 enabled          FreeBSD
//   tunefs: current settings of /dev/rraid0e                                    NetBSD, OpenBSD
//           journal log file size: 64MB (67108864 bytes)
//           quotasdisabled
//   tunefs: minimum percentage of free space changes from 5% to 1%
// The operand may be a mount point; then the facts go by that name until the mount tells its device.
// Sources: freebsd-src, NetBSD src and OpenBSD src, sbin/tunefs/tunefs.c.
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string target_name(std::string_view operand) {
    while (operand.size() > 1 && operand.ends_with('/')) operand.remove_suffix(1);
    return device_name(operand);
}

std::string target_at_prompt(const Output& out) {
    if (out.program() != "tunefs" || out.argv.size() < 2) return {};
    for (std::size_t i = out.argv.size() - 1; i > 0; --i) {
        const std::string_view word = out.argv[i];
        if (word.find('>') != std::string_view::npos) continue;
        if (word.starts_with('/') || (i + 1 == out.argv.size() && !word.starts_with('-')))
            return target_name(word);
    }
    return {};
}

enum class Setting {
    softupdates,
    su_journal,
    gjournal,
    trim,
    acls,
    maxbpg,
    avgfilesize,
    avgfpdir,
    minfree,
    optim,
    label,
    maxcontig,
    log
};

struct Phrase {
    std::string_view text;
    Setting setting;
};

// Both the listings' and the changes' wording, longest first where one begins like another.
constexpr std::array<Phrase, 18> phrases{{
    {"soft updates journaling", Setting::su_journal},
    {"soft update journaling", Setting::su_journal},
    {"soft updates", Setting::softupdates},
    {"gjournal", Setting::gjournal},
    {"issue TRIM to the disk", Setting::trim},
    {"trim", Setting::trim},
    {"POSIX.1e ACLs", Setting::acls},
    {"NFSv4 ACLs", Setting::acls},
    {"ACLs", Setting::acls},
    {"maximum blocks per file in a cylinder group", Setting::maxbpg},
    {"average file size", Setting::avgfilesize},
    {"average number of files in a directory", Setting::avgfpdir},
    {"expected number of files per directory", Setting::avgfpdir},
    {"minimum percentage of free space", Setting::minfree},
    {"optimization preference", Setting::optim},
    {"volume label", Setting::label},
    {"maximum contiguous block count", Setting::maxcontig},
    {"log file size", Setting::log},
}};

const Phrase* phrase_of(std::string_view text) {
    for (const Phrase& p : phrases)
        if (text.starts_with(p.text)) return &p;
    return nullptr;
}

void apply(Filesystem& fs, Setting setting, std::string_view value, const Provenance& from) {
    if (value.ends_with('%') || value.ends_with('.')) value.remove_suffix(1);
    const auto number = [&](Number& field) {
        if (const auto v = to_unsigned(value)) field = Number(*v, from);
    };
    const auto flag = [&](Flag& field) {
        if (value == "enabled" || value == "enable" || value == "set") field = Flag(true, from);
        if (value == "disabled" || value == "disable" || value == "cleared") field = Flag(false, from);
    };
    switch (setting) {
        case Setting::softupdates:
            return flag(fs.softupdates);
        case Setting::su_journal:
            flag(fs.su_journal);
            if (fs.su_journal.is(true) && !fs.softupdates) fs.softupdates = Flag(true, from);
            return;
        case Setting::gjournal:
            return flag(fs.gjournal);
        case Setting::trim:
            return flag(fs.trim);
        case Setting::acls:
            if (!fs.acls.is(true)) flag(fs.acls);  // two kinds, either counts
            return;
        case Setting::maxbpg:
            return number(fs.maxbpg);
        case Setting::avgfilesize:
            return number(fs.avgfilesize);
        case Setting::avgfpdir:
            return number(fs.avgfpdir);
        case Setting::minfree:
            return number(fs.minfree_percent);
        case Setting::maxcontig:
            return number(fs.maxcontig);
        case Setting::optim:
            if (const auto o = from_string<Optimization>(value))
                fs.optimization = Known<Optimization>(*o, from);
            return;
        case Setting::label:
            if (!value.empty()) fs.label = Text(std::string(value), from);
            return;
        case Setting::log:
            return number(fs.wapbl_log_bytes);
    }
}

std::string_view without_program(std::string_view line) {
    line = trim(line);
    if (line.starts_with("tunefs: ")) line.remove_prefix(8);
    return trim(line);
}

// "soft updates: (-n)   enabled": the phrase, its option in brackets, the value.
struct ListedRow {
    const Phrase* phrase;  // null for rows of no interest
    std::string_view value;
};
std::optional<ListedRow> listed_row(std::string_view line) {
    const auto text = without_program(line);
    const auto mark = text.find(": (-");
    if (mark == std::string_view::npos) return std::nullopt;
    const auto close = text.find(')', mark);
    if (close == std::string_view::npos || close != mark + 5) return std::nullopt;
    return ListedRow{phrase_of(text), trim(text.substr(close + 1))};
}

bool is_settings_header(std::string_view line) {
    return without_program(line).starts_with("current settings of ");
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (is_settings_header(line)) return true;
    if (trim(line).starts_with("tunefs: ")) return true;
    if (out.program() != "tunefs") return false;
    return at == 0 || listed_row(line).has_value();
}

// The rows below "current settings of".
std::size_t parse_settings(const Output& out, std::size_t at, Scribe& scribe) {
    const auto header = without_program(out.text(at));
    const auto named = words(header.substr(std::string_view("current settings of ").size()));
    if (named.empty()) return 0;
    Filesystem& fs = filesystem(scribe.facts, target_name(named[0]));
    std::size_t next = at + 1;
    bool log_listed = false;
    for (; next < out.lines.size(); ++next) {
        const auto text = trim(out.text(next));
        if (text.starts_with("tunefs:")) break;
        if (text.starts_with("journal log ") || text.starts_with("quotas")) {
            scribe.suggest_os(Os::netbsd, next);
            if (const auto bytes = between(text, "(", " bytes)"))
                if (const auto v = scribe.number(*bytes, next, "journal log file size"); v && *v > 0)
                    fs.wapbl_log_bytes = scribe.known(*v, next);
            if (text.starts_with("journal log file location:")) {
                log_listed = true;
                if (!text.ends_with("none")) fs.wapbl = scribe.known(true, next);
            }
            continue;
        }
        const Phrase* phrase = phrase_of(text);
        if (!phrase) {
            // NetBSD 10 lists more than is of interest here; anything else ends the listing.
            if (text.starts_with("POSIX") || text.starts_with("NFSv4") || text.starts_with("sector size"))
                continue;
            break;
        }
        auto value = trim(text.substr(phrase->text.size()));
        if (value.starts_with(':')) value = trim(value.substr(1));
        if (value.empty() && next + 1 < out.lines.size() && words(out.text(next + 1)).size() == 1) {
            apply(fs, phrase->setting, trim(out.text(next + 1)), scribe.at(next + 1));
            ++next;
            continue;
        }
        apply(fs, phrase->setting, value, scribe.at(next));
    }
    // tunefs of NetBSD lists a log only where there is one; its quota row tells the two systems apart.
    if (!log_listed && scribe.facts.os.name.is(Os::netbsd)) fs.wapbl = scribe.known(false, at);
    while (next < out.lines.size() && (contains(out.text(next), "no changes made") ||
                                       trim(out.text(next)).starts_with("tunefs: tuning ") ||
                                       contains(out.text(next), "Cannot open `/etc/fstab'")))
        ++next;
    return next - at;
}

// "optimization preference changes from time to space", "... remains unchanged as time", "soft updates set".
bool apply_change(Filesystem& fs, std::string_view text, const Provenance& from) {
    const Phrase* phrase = phrase_of(text);
    if (!phrase) return false;
    const auto rest = trim(text.substr(phrase->text.size()));
    if (rest.starts_with("changes from") || rest.starts_with("changed from")) {
        const auto to = after(rest, " to ");
        if (!to) return false;
        apply(fs, phrase->setting, trim(*to), from);
    } else if (rest.starts_with("remains unchanged as ")) {
        apply(fs, phrase->setting, trim(rest.substr(21)), from);
    } else if (rest.starts_with("set to ")) {
        apply(fs, phrase->setting, trim(rest.substr(7)), from);
    } else if (rest == "set") {
        apply(fs, phrase->setting, "set", from);
    } else if (rest.starts_with("cleared")) {
        apply(fs, phrase->setting, "cleared", from);
    } else {
        return false;
    }
    return true;
}

// What was asked for, when nothing was printed that says otherwise. -n -j -t -J -L -f -s are FreeBSD's, -g -h
// NetBSD's and OpenBSD's, -l NetBSD's; -a -A -k change nothing of interest or differ in meaning.
void apply_arguments(const Output& out, Filesystem& fs, Scribe& scribe) {
    const auto from = scribe.at_prompt();
    const auto one = [&](char letter, Setting setting) {
        if (const auto value = out.option(letter); !value.empty()) apply(fs, setting, value, from);
    };
    one('m', Setting::minfree), one('o', Setting::optim), one('e', Setting::maxbpg);
    one('j', Setting::su_journal), one('n', Setting::softupdates), one('J', Setting::gjournal),
        one('t', Setting::trim);
    one('L', Setting::label), one('f', Setting::avgfilesize), one('s', Setting::avgfpdir);
    one('g', Setting::avgfilesize), one('h', Setting::avgfpdir);
    if (const auto size = to_size(out.option('l')); size && *size > 0)
        fs.wapbl_log_bytes = Number(*size, from);
}

bool only_shows(const Output& out) {
    return out.has_argument("-p") || out.has_argument("-N");
}

// Rows of FreeBSD's listing and lines about changes, in any mix.
std::size_t parse_rows(const Output& out, std::size_t at, Scribe& scribe) {
    const std::string target = target_at_prompt(out);
    std::string device = target;
    Filesystem found;
    bool listed = false, refused = false, changed = false;
    std::size_t next = at, first_row = at;
    for (; next < out.lines.size(); ++next) {
        const auto line = out.text(next);
        if (const auto row = listed_row(line)) {
            if (!listed) first_row = next;
            listed = true;
            scribe.suggest_os(Os::freebsd, next);
            if (!row->phrase) continue;
            auto value = row->value;
            auto value_line = next;
            // Wrapped: the value alone on the next line.
            if (value.empty() && row->phrase->setting != Setting::label &&
                words(out.text(next + 1)).size() == 1)
                value = trim(out.text(next + 1)), value_line = next + 1;
            apply(found, row->phrase->setting, value, scribe.at(value_line));
            next = value_line;
            continue;
        }
        if (is_settings_header(line)) break;
        const auto text = trim(line);
        if (text.starts_with("tunefs: tuning ")) {
            device = target_name(text.substr(15));
            continue;
        }
        if (text.starts_with("tunefs: ")) {
            const auto said = without_program(text);
            if (apply_change(found, said, scribe.at(next)))
                changed = true;
            else if (!contains(said, "should optimize") && !contains(said, "space to hold") &&
                     !contains(said, "sector size") && !contains(said, "fstab") &&
                     !contains(said, "no changes made") && !contains(said, "remove .sujournal") &&
                     !contains(said, "multilabel"))
                refused = true;
            continue;
        }
        if (text.starts_with("Using inode ") || text.starts_with("Clearing journal flags")) continue;
        break;
    }
    const std::size_t used = next - at;
    const bool from_arguments =
        at == 0 && out.program() == "tunefs" && !only_shows(out) && !listed && !refused && !changed;
    if (from_arguments) apply_arguments(out, found, scribe);
    if (device.empty()) {
        if (listed || changed)
            scribe.unparsed(first_row, first_row,
                            "tunefs: neither the output nor a prompt names the file system");
        return used;
    }
    if (listed || changed || from_arguments) {
        found.device = device;
        scribe.facts.filesystems.push_back(std::move(found));
    }
    // A silent command still has its turn.
    return used == 0 && from_arguments ? 1 : used;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (is_settings_header(out.text(at))) return parse_settings(out, at, scribe);
    return parse_rows(out, at, scribe);
}

}  // namespace

extern const CommandParser tunefs_parser{
    .id = "tunefs",
    .programs = {"tunefs"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"tunefs", "-N", "{filesystem:ffs}"}, true},
             {Os::freebsd, {"tunefs", "-p", "{filesystem:ffs}"}, true}},
};

}  // namespace diskwright
