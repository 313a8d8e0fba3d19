// SPDX-License-Identifier: BSD-2-Clause
// Linux /proc/mdstat, all kernels since 2.6:
//   Personalities : [raid1] [raid6] [raid5] [raid4]
//   md127 : active raid6 sde1[4] sdc1[9](S) sdb1[8](F) ...
//         58593761280 blocks super 1.2 level 6, 512k chunk, algorithm 2 [7/6] [_UUUUUU]
//         [=>...................]  recovery =  7.7% (109702192/1423666176) finish=5790.5min speed=3781K/sec
//         bitmap: 88/88 pages [352KB], 65536KB chunk
//   unused devices: <none>
// Format: torvalds/linux drivers/md/md.c (md_seq_show, status_resync), raid10.c and raid5.c (status). The
// number in brackets is md's descriptor of the member, not its slot. Lists are read as a stream of words,
// since mail clients wrap them.
#include <algorithm>
#include <array>

#include "probes/model/md_words.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Word {
    std::string_view text;
    std::size_t line;
};

struct Member {
    std::string_view name;
    std::uint64_t number;
    bool failed = false, spare = false, journal = false, replacement = false;
};

// "sdb1[8](S)(W)"
std::optional<Member> member_of(std::string_view word) {
    const auto open = word.find('['), close = word.find(']');
    if (open == 0 || open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    const auto number = to_unsigned(word.substr(open + 1, close - open - 1));
    if (!number) return std::nullopt;
    Member out{word.substr(0, open), *number};
    auto flags = word.substr(close + 1);
    while (flags.size() >= 3 && flags[0] == '(' && flags[2] == ')') {
        out.failed |= flags[1] == 'F', out.spare |= flags[1] == 'S';
        out.journal |= flags[1] == 'J', out.replacement |= flags[1] == 'R';
        flags.remove_prefix(3);
    }
    return out;
}

// "md0 : active", "md_d0 : inactive"; the blank before the colon may be lost.
bool heads_set(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 2 || !w[0].starts_with("md")) return false;
    const bool glued = w[0].ends_with(':');
    if (!glued && (w.size() < 3 || w[1] != ":")) return false;
    const auto state = w[glued ? 1 : 2];
    return state == "active" || state == "inactive" || state == "broken";
}

bool is_personalities(std::string_view line) {
    return trim(line).starts_with("Personalities :");
}
bool is_unused(std::string_view line) {
    return trim(line).starts_with("unused devices:");
}

// Whether a line can go on with the set above it.
bool continues_set(std::string_view line) {
    const auto w = words(line);
    if (w.empty()) return false;
    if (member_of(w[0]) || w[0].starts_with('[')) return true;
    constexpr std::array<std::string_view, 17> first_words{
        "blocks",    "super",       "level",      "chunk",         "chunk,",  "chunks",
        "algorithm", "bitmap:",     "resync",     "check",         "reshape", "recovery",
        "repair",    "near-copies", "far-copies", "offset-copies", "pages"};
    if (std::find(first_words.begin(), first_words.end(), w[0]) != first_words.end()) return true;
    if (w[0].starts_with("finish=") || w[0].starts_with("speed=") || w[0].starts_with("resync=")) return true;
    if (w[0].starts_with("recovery=") || w[0].starts_with("reshape=") || w[0].starts_with("check="))
        return true;
    return w.size() > 1 && w[1] == "blocks" && w[0][0] >= '0' && w[0][0] <= '9';
}

struct Set {
    std::string_view name;
    std::size_t head = 0;  // its line
    bool active = false, read_only_until_written = false;
    std::string_view level_word;
    std::vector<std::pair<Member, std::size_t>> members;
    std::vector<Word> words;  // everything behind the members
};

// Reads the set at `at`; `at` is left behind it.
Set read_set(const Output& out, std::size_t& at) {
    Set set;
    set.head = at;
    auto w = words(out.text(at));
    std::size_t i = 1;
    set.name = w[0];
    if (set.name.ends_with(':'))
        set.name.remove_suffix(1);
    else
        i = 2;
    set.active = w[i++] == "active";
    bool in_members = true;
    for (;;) {
        for (; i < w.size(); ++i) {
            const auto member = in_members ? member_of(w[i]) : std::nullopt;
            if (member)
                set.members.emplace_back(*member, at);
            else if (w[i] == "(auto-read-only)")
                set.read_only_until_written = true;
            else if (w[i].starts_with("(") && set.members.empty() && in_members)
                continue;
            else if (in_members && set.members.empty() && set.level_word.empty())
                set.level_word = w[i];
            else
                in_members = false, set.words.push_back({w[i], at});
        }
        ++at;
        if (!continues_set(out.text(at)) || heads_set(out.text(at))) return set;
        w = words(out.text(at));
        i = 0;
    }
}

// "[7/6]"
struct Slots {
    std::uint64_t columns, in_sync;
};
std::optional<Slots> slots_of(std::string_view word) {
    const auto inside = between(word, "[", "]");
    if (!inside) return std::nullopt;
    const auto parts = split(*inside, '/');
    if (parts.size() != 2) return std::nullopt;
    const auto columns = to_unsigned(parts[0]), in_sync = to_unsigned(parts[1]);
    if (!columns || !in_sync || *in_sync > *columns || *columns > 4096) return std::nullopt;
    return Slots{*columns, *in_sync};
}

bool is_slot_map(std::string_view word) {
    return word.size() > 2 && word.front() == '[' && word.back() == ']' &&
           word.find_first_not_of("U_", 1) == word.size() - 1;
}

std::optional<Activity> activity_of(std::string_view word) {
    if (word == "recovery") return Activity::rebuild;
    if (word == "resync") return Activity::resync;
    if (word == "reshape") return Activity::reshape;
    if (word == "check" || word == "repair") return Activity::check;
    return std::nullopt;
}

// "recovery = 7.7% (a/b)", "resync=PENDING", "check = 0.0%"
void read_activity(const Set& set, Volume& volume, const Scribe& scribe) {
    for (std::size_t i = 0; i < set.words.size(); ++i) {
        const auto equals = set.words[i].text.find('=');
        const auto activity = activity_of(set.words[i].text.substr(0, equals));
        if (!activity) continue;
        std::string_view value;
        if (equals != std::string_view::npos) value = set.words[i].text.substr(equals + 1);
        for (std::size_t k = i + 1; value.empty() && k < set.words.size() && k < i + 3; ++k) {
            value = set.words[k].text;
            if (value.starts_with('=')) value.remove_prefix(1);
        }
        const auto line = set.words[i].line;
        const bool waits_for_other = value == "DELAYED", waits_for_write = value == "PENDING";
        if (value.ends_with('%')) value.remove_suffix(1);
        const auto percent = to_double(value);
        if (!waits_for_other && !waits_for_write && value != "REMOTE" && !percent) continue;
        volume.activity = scribe.known(*activity, line);
        volume.activity_progress = scribe.known(waits_for_other   ? Progress::paused
                                                : waits_for_write ? Progress::pending
                                                                  : Progress::running,
                                                line);
        if (percent && *percent <= 100) volume.activity_percent = scribe.known(*percent, line);
        return;
    }
}

// Which members are being rebuilt is not printed. A member added later has a descriptor beyond the slots;
// when exactly as many of those are there as slots are not in sync, it is they.
void mark_rebuilding(const Set& set, Volume& volume, std::uint64_t columns, std::uint64_t wanted,
                     const Scribe& scribe) {
    std::vector<const Member*> late;
    for (const auto& [member, line] : set.members)
        if (!member.failed && !member.spare && !member.journal && !member.replacement &&
            member.number >= columns)
            late.push_back(&member);
    std::sort(late.begin(), late.end(),
              [](const Member* a, const Member* b) { return a->number > b->number; });
    if (wanted == 0 || late.size() < wanted) return;
    if (late.size() > wanted) late.resize(wanted);  // descriptors only grow: the newest are not in sync yet
    for (const Member* m : late)
        component(volume, m->name).state = scribe.known(ComponentState::rebuilding, set.head);
}

// "2 near-copies", "2 far-copies", "2 offset-copies": as mdadm writes them
void read_raid10_layout(const Set& set, Volume& volume, const Scribe& scribe) {
    std::string layout;
    for (std::size_t i = 1; i < set.words.size(); ++i) {
        const auto word = set.words[i].text;
        if (!word.ends_with("-copies") || !to_unsigned(set.words[i - 1].text)) continue;
        if (!layout.empty()) layout += ", ";
        layout += std::string(word.substr(0, word.find('-'))) + "=" + std::string(set.words[i - 1].text);
        volume.layout = scribe.known(layout, set.words[i].line);
    }
}

struct Figures {
    std::optional<Slots> slots;
    std::size_t slots_line = 0;
    std::string_view slot_map;
    bool bitmap = false;
};

Figures read_figures(const Set& set, Volume& volume, Scribe& scribe) {
    Figures out;
    const auto& w = set.words;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const auto word = w[i].text;
        const auto next = i + 1 < w.size() ? w[i + 1].text : std::string_view{};
        if (next == "blocks" && set.active) {
            if (const auto bytes = scribe.scaled(word, KiB, w[i].line, "blocks"))
                volume.size_bytes = scribe.known(*bytes, w[i].line);
        } else if (word == "super" && !next.empty()) {
            volume.metadata = scribe.text(next, w[i].line);
        } else if (next == "chunk," || next == "chunks" || (next == "chunk" && !out.bitmap)) {
            if (const auto bytes = md_chunk_bytes(word); bytes && *bytes > 0)
                volume.stripe_unit_bytes = scribe.known(*bytes, w[i].line);
        } else if (word == "algorithm") {
            const auto number = to_unsigned(next);
            if (const auto name = number ? md_layout_name(*number) : std::nullopt)
                volume.layout = scribe.text(*name, w[i].line);
        } else if (word == "bitmap:") {
            out.bitmap = true;
            volume.parity_map = scribe.known(true, w[i].line);
        } else if (const auto slots = slots_of(word); slots && !out.slots) {
            out.slots = slots;
            out.slots_line = w[i].line;
        } else if (is_slot_map(word)) {
            out.slot_map = word;
        }
    }
    return out;
}

void add_members(const Set& set, Volume& volume, Scribe& scribe) {
    std::uint64_t spares = 0;
    for (const auto& [member, line] : set.members) {
        Component& c = component(volume, member.name);
        // An assembled set that does not run shows all its members as (S).
        if (member.failed)
            c.state = scribe.known(ComponentState::failed, line);
        else if (member.journal)
            c.role = scribe.text("journal", line);
        else if (!set.active)
            continue;
        else if (member.spare)
            ++spares, c.state = scribe.known(ComponentState::spare, line);
        else if (member.replacement)
            c.role = scribe.text("replacement", line);
        else
            c.state = scribe.known(ComponentState::optimal, line);
    }
    if (set.active) volume.spares = scribe.known(spares, set.head);
}

// Slots without any member.
void add_missing(const Set& set, Volume& volume, const Figures& figures, Scribe& scribe) {
    const auto filled =
        static_cast<std::uint64_t>(std::count_if(set.members.begin(), set.members.end(), [](const auto& m) {
            return !m.first.spare && !m.first.journal && !m.first.replacement;
        }));
    const auto columns = figures.slots->columns;
    if (filled >= columns) return;
    std::vector<std::uint64_t> holes;
    for (std::size_t i = 1; i + 1 < figures.slot_map.size(); ++i)
        if (figures.slot_map[i] == '_') holes.push_back(i - 1);
    for (std::uint64_t i = 0; i < columns - filled; ++i) {
        Component missing;
        missing.state = scribe.known(ComponentState::missing, figures.slots_line);
        if (holes.size() == columns - filled) missing.slot = scribe.known(holes[i], figures.slots_line);
        volume.components.push_back(std::move(missing));
    }
}

void write_set(const Set& set, Scribe& scribe) {
    // A container of external metadata (Intel, DDF) only holds the members of other sets and never runs
    // itself.
    for (std::size_t i = 0; i + 1 < set.words.size(); ++i)
        if (set.words[i].text == "super" && set.words[i + 1].text.starts_with("external:") &&
            set.words[i + 1].text.find('/') == std::string_view::npos)
            return;
    Volume& volume = diskwright::volume(scribe.facts, set.name);
    volume.kind = scribe.known(VolumeKind::md, set.head);
    const auto level = md_level(set.level_word);
    if (level) volume.level = scribe.known(*level, set.head);
    if (set.read_only_until_written) volume.auto_read_only = scribe.known(true, set.head);
    const Figures figures = read_figures(set, volume, scribe);
    read_raid10_layout(set, volume, scribe);
    read_activity(set, volume, scribe);
    add_members(set, volume, scribe);
    if (!set.active) {
        volume.state = scribe.known(VolumeState::inactive, set.head);
        return;
    }
    if (set.words.empty()) {
        scribe.unparsed(set.head, set.head,
                        "mdstat: the line with the blocks of " + escaped(set.name) + " is missing");
        return;
    }
    if (!level) return;
    // Format 0.90 is the one that prints no "super".
    if (!volume.metadata && volume.size_bytes) volume.metadata = scribe.text("0.90", set.words.front().line);
    if (!md_is_redundant(*level)) {
        volume.columns = scribe.known<std::uint64_t>(set.members.size(), set.head);
        volume.components_complete = scribe.known(true, set.head);
        return;
    }
    const bool has_journal =
        std::any_of(set.members.begin(), set.members.end(), [](const auto& m) { return m.first.journal; });
    if (!figures.bitmap && figures.slots && !scribe.output().filtered && !has_journal)
        volume.parity_map = scribe.known(false, set.head);
    if (!figures.slots) {
        scribe.damage(set.words.back().line,
                      "the [slots/working] figures of " + escaped(set.name) + " are missing");
        return;
    }
    const auto columns = figures.slots->columns, absent = columns - figures.slots->in_sync;
    const bool rebuilding =
        volume.activity.is(Activity::rebuild) && volume.activity_progress.is(Progress::running);
    volume.columns = scribe.known(columns, figures.slots_line);
    volume.state = scribe.known(md_state(*level, columns, absent, rebuilding), figures.slots_line);
    volume.components_complete = scribe.known(true, figures.slots_line);
    const auto failed = static_cast<std::uint64_t>(
        std::count_if(set.members.begin(), set.members.end(), [](const auto& m) { return m.first.failed; }));
    const auto before = volume.components.size();
    add_missing(set, volume, figures, scribe);
    const auto unnamed = volume.components.size() - before;
    if (volume.activity.is(Activity::rebuild) && absent > unnamed + failed)
        mark_rebuilding(set, volume, columns, absent - unnamed - failed, scribe);
}

bool starts(const Output& out, std::size_t at) {
    const auto line = trim(out.text(at));
    return is_personalities(line) || (line.starts_with("md") && heads_set(line));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    scribe.suggest_os(Os::linux_, at);
    std::size_t end = at;  // behind the last line that was mdstat's
    while (at < out.lines.size()) {
        const auto line = out.text(at);
        if (heads_set(line)) {
            write_set(read_set(out, at), scribe);
            end = at;
        } else if (is_unused(line)) {
            return at + 1 - first;
        } else if (is_personalities(line)) {
            if (at != first) break;
            end = ++at;
        } else if (trim(line).empty()) {
            ++at;
        } else {
            break;
        }
    }
    return end - first;
}

}  // namespace

extern const CommandParser mdstat_parser{
    .id = "mdstat",
    .programs = {},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"<", "/proc/mdstat"}}},
};

}  // namespace diskwright
