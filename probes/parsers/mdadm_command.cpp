// SPDX-License-Identifier: BSD-2-Clause
// Linux: mdadm --create and --build at a prompt, and what mdadm says while it makes or assembles a set:
//   # mdadm --create /dev/md0 --level=5 --raid-devices=3 --chunk=64 --data-offset=1025 /dev/sd[bcd]1
//   mdadm: layout defaults to left-symmetric
//   mdadm: chunk size defaults to 512K
//   mdadm: size set to 976630464K
//   mdadm: array /dev/md0 started.
//   mdadm: /dev/md0 has been started with 3 drives (out of 4) and 1 spare.
//   # mdadm --grow /dev/md0 --raid-devices=5
//   mdadm: level of /dev/md0 changed to raid6
//   mdadm: Need to backup 3072K of critical section..         a reshape has begun
// Options: mdadm(8); a chunk or data offset without a unit is KiB. Messages: md-raid-utilities/mdadm
// Create.c, Assemble.c, Grow.c.
#include <algorithm>
#include <array>

#include "probes/model/md_words.hpp"
#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct Option {
    char letter;
    std::string_view name;
    bool has_value;
};
// In create mode.
constexpr std::array<Option, 25> options{{{'C', "create", false},
                                          {'B', "build", false},
                                          {'G', "grow", false},
                                          {'\0', "raid-disks", true},
                                          {'\0', "add", false},
                                          {'\0', "backup-file", true},
                                          {'l', "level", true},
                                          {'n', "raid-devices", true},
                                          {'x', "spare-devices", true},
                                          {'c', "chunk", true},
                                          {'p', "layout", true},
                                          {'e', "metadata", true},
                                          {'b', "bitmap", true},
                                          {'N', "name", true},
                                          {'z', "size", true},
                                          {'a', "auto", true},
                                          {'k', "consistency-policy", true},
                                          {'v', "verbose", false},
                                          {'q', "quiet", false},
                                          {'f', "force", false},
                                          {'R', "run", false},
                                          {'\0', "data-offset", true},
                                          {'\0', "bitmap-chunk", true},
                                          {'\0', "homehost", true},
                                          {'\0', "write-journal", true}}};

struct Command {
    bool creates = false, grows = false;
    std::vector<std::pair<std::string_view, std::string_view>> values;  // long name, value
    std::vector<std::string_view> operands;
};

Command read_command(const Output& out) {
    Command command;
    for (std::size_t i = 1; i < out.argv.size(); ++i) {
        const std::string_view word = out.argv[i];
        if (word.size() < 2 || word[0] != '-') {
            command.operands.push_back(word);
            continue;
        }
        const bool is_long = word[1] == '-';
        const auto equals = is_long ? word.find('=') : std::string_view::npos;
        const auto name = is_long ? word.substr(2, equals == std::string_view::npos ? equals : equals - 2)
                                  : std::string_view{};
        const auto option = std::find_if(options.begin(), options.end(), [&](const Option& o) {
            return is_long ? o.name == name : o.letter == word[1];
        });
        if (option == options.end()) continue;
        command.creates = command.creates || option->name == "create" || option->name == "build";
        command.grows = command.grows || option->name == "grow";
        if (!option->has_value) continue;
        std::string_view value;
        if (is_long && equals != std::string_view::npos)
            value = word.substr(equals + 1);
        else if (!is_long && word.size() > 2)
            value = word.substr(2);
        else if (i + 1 < out.argv.size())
            value = out.argv[++i];
        command.values.emplace_back(option->name, value);
    }
    return command;
}

// "/dev/sd[bcd]1" and "/dev/sd{b,c,d}1", as the shell would; ranges like [b-d]. Nothing for other patterns.
std::vector<std::string> expand(std::string_view word) {
    const auto open = word.find_first_of("[{");
    if (open == std::string_view::npos) {
        if (word.find_first_of("*?$") != std::string_view::npos) return {};
        return {std::string(word)};
    }
    const auto close = word.find(word[open] == '[' ? ']' : '}', open);
    if (close == std::string_view::npos || word.find_first_of("[{*?$", open + 1) != std::string_view::npos)
        return {};
    const auto inside = word.substr(open + 1, close - open - 1);
    std::vector<std::string> parts;
    if (word[open] == '{') {
        for (const auto part : split(inside, ',')) parts.emplace_back(part);
    } else {
        for (std::size_t i = 0; i < inside.size() && parts.size() < 512; ++i) {
            char last = inside[i];
            if (i + 2 < inside.size() && inside[i + 1] == '-') last = inside[i + 2];
            for (int c = inside[i]; c <= last; ++c) parts.emplace_back(1, static_cast<char>(c));
            if (last != inside[i]) i += 2;
        }
    }
    for (std::string& part : parts)
        part = std::string(word.substr(0, open)) + part + std::string(word.substr(close + 1));
    return parts;
}

// "ls", "left-symmetric", "f2", "near=2"
std::string layout_name(std::string_view value) {
    if (value == "la") return "left-asymmetric";
    if (value == "ra") return "right-asymmetric";
    if (value == "ls") return "left-symmetric";
    if (value == "rs") return "right-symmetric";
    if (value.size() == 2 && value[1] >= '0' && value[1] <= '9') {
        if (value[0] == 'n') return "near=" + std::string(value.substr(1));
        if (value[0] == 'f') return "far=" + std::string(value.substr(1));
        if (value[0] == 'o') return "offset=" + std::string(value.substr(1));
    }
    return std::string(value);
}

void add_members(const Command& command, Volume& volume, const Scribe& scribe) {
    const Provenance from = scribe.at_prompt();
    std::uint64_t slot = 0;
    std::vector<Component> members;
    for (std::size_t i = 1; i < command.operands.size(); ++i) {
        const auto names = expand(command.operands[i]);
        if (names.empty()) return;  // a pattern that only that machine can expand
        for (const std::string& name : names) {
            if (members.size() >= 512) return;
            Component c;
            if (name != "missing") c.name = device_name(name);
            const bool extra = volume.columns && slot >= *volume.columns;
            c.state = Known<ComponentState>(name == "missing" ? ComponentState::missing
                                            : extra           ? ComponentState::spare
                                                              : ComponentState::optimal,
                                            from);
            if (!extra) c.slot = Number(slot, from);
            ++slot;
            members.push_back(std::move(c));
        }
    }
    volume.components = std::move(members);
}

void write_command(const Command& command, Scribe& scribe) {
    const Provenance from = scribe.at_prompt();
    Volume& volume = diskwright::volume(scribe.facts, md_device_name(command.operands[0]));
    volume.kind = Known<VolumeKind>(VolumeKind::md, from);
    std::optional<std::uint64_t> data_offset;
    for (const auto& [name, value] : command.values) {
        const auto number = to_unsigned(value);
        if (name == "level") {
            if (const auto level = md_level(value)) volume.level = Known<RaidLevel>(*level, from);
        } else if (name == "raid-devices" && number) {
            volume.columns = Number(*number, from);
        } else if (name == "spare-devices" && number) {
            volume.spares = Number(*number, from);
        } else if (name == "chunk") {
            if (const auto bytes = md_chunk_bytes(value); bytes && *bytes > 0)
                volume.stripe_unit_bytes = Number(*bytes, from);
        } else if (name == "layout") {
            volume.layout = Text(layout_name(value), from);
        } else if (name == "metadata") {
            volume.metadata = Text(value.starts_with("0") ? "0.90" : std::string(value), from);
        } else if (name == "bitmap") {
            volume.parity_map = Flag(value != "none", from);
        } else if (name == "name") {
            volume.set_name = Text(std::string(value), from);
        } else if (name == "data-offset") {
            data_offset = md_chunk_bytes(value);
        }
    }
    add_members(command, volume, scribe);
    if (data_offset)
        for (Component& c : volume.components) c.data_offset_bytes = Number(*data_offset, from);
}

bool is_message(std::string_view line) {
    return trim(line).starts_with("mdadm: ");
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view before) {
    const auto rest = after(text, before);
    const auto number = rest ? leading_unsigned(*rest) : std::nullopt;
    return number ? std::optional(number->value) : std::nullopt;
}

// What a message adds to the set being made (`created`, if any) or names itself.
void read_message(std::string_view text, std::size_t line, Volume* created, Scribe& scribe) {
    if (const auto rest = after(text, "chunk size defaults to "); rest && created) {
        if (const auto bytes = md_chunk_bytes(trim(*rest)))
            created->stripe_unit_bytes = scribe.known(*bytes, line);
    } else if (const auto layout = after(text, "layout defaults to "); layout && created) {
        created->layout = scribe.text(layout_name(trim(*layout)), line);
    } else if (const auto kib = number_after(text, "size set to "); kib && created) {
        if (const auto bytes = multiply(*kib, KiB))
            for (Component& c : created->components) c.used_bytes = scribe.known(*bytes, line);
    } else if (contains(text, "enabling write-intent bitmap") && created) {
        created->parity_map = scribe.known(true, line);
    } else if (contains(text, " has been started with ")) {
        const auto w = words(text);
        if (w.size() < 2 || !w[1].starts_with("/dev/")) return;
        Volume& volume = diskwright::volume(scribe.facts, md_device_name(w[1]));
        volume.kind = scribe.known(VolumeKind::md, line);
        if (const auto all = number_after(text, "(out of ")) {
            volume.columns = scribe.known(*all, line);
            volume.state = scribe.known(VolumeState::degraded, line);
        }
        if (const auto spares = number_after(text, " and ")) volume.spares = scribe.known(*spares, line);
    } else if (contains(text, "assembled from ") && contains(text, "not enough to start")) {
        const auto w = words(text);
        if (w.size() < 2 || !w[1].starts_with("/dev/")) return;
        Volume& volume = diskwright::volume(scribe.facts, md_device_name(w[1]));
        volume.kind = scribe.known(VolumeKind::md, line);
        volume.state = scribe.known(VolumeState::inactive, line);
    }
}

// What --grow is told of the set comes true only when mdadm goes on to the reshape.
void read_growth(const Output& out, std::string_view text, std::size_t line, Scribe& scribe) {
    if (const auto rest = after(text, "level of "); rest && contains(*rest, " changed to ")) {
        const auto w = words(*rest);
        const auto level = md_level(w.back());
        if (!level || !w[0].starts_with("/dev/")) return;
        Volume& volume = diskwright::volume(scribe.facts, md_device_name(w[0]));
        volume.kind = scribe.known(VolumeKind::md, line);
        volume.level = scribe.known(*level, line);
        return;
    }
    if (contains(text, "annot ") || contains(text, "ailed to ")) {
        for (Volume& volume : scribe.facts.volumes)
            if (volume.activity.is(Activity::reshape))
                volume.activity.reset(), volume.activity_progress.reset(), volume.columns.reset();
        return;
    }
    const Command command = contains(text, "Need to backup ") ? read_command(out) : Command{};
    const auto device = std::find_if(command.operands.begin(), command.operands.end(),
                                     [](std::string_view w) { return w.starts_with("/dev/md"); });
    if (!command.grows || device == command.operands.end()) return;
    Volume& volume = diskwright::volume(scribe.facts, md_device_name(*device));
    volume.kind = scribe.known(VolumeKind::md, line);
    volume.activity = scribe.known(Activity::reshape, line);
    volume.activity_progress = scribe.known(Progress::running, line);
    for (const auto& [name, value] : command.values)
        if (const auto number = to_unsigned(value); number && name.starts_with("raid-d"))
            volume.columns = Number(*number, scribe.at_prompt());
}

bool makes_set(const Output& out) {
    if (out.program() != "mdadm") return false;
    const Command command = read_command(out);
    return command.creates && command.operands.size() > 1 && command.operands[0].starts_with("/dev/");
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (is_message(line)) return true;
    return at == 0 && trim(line).empty() && makes_set(out);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::size_t first = at;
    bool created = false;
    if (at == 0 && makes_set(out)) {
        write_command(read_command(out), scribe);
        created = true;
    }
    if (out.lines.empty()) return 1;
    scribe.suggest_os(Os::linux_, at);
    std::size_t end = at;
    for (; at < out.lines.size(); ++at) {
        const auto line = out.text(at);
        if (is_message(line))
            read_message(trim(line), at, created ? &scribe.facts.volumes.front() : nullptr, scribe),
                read_growth(out, trim(line), at, scribe);
        // Lines of a warning go on indented; a question is answered in place.
        else if (!trim(line).empty() && line[0] != ' ' && line[0] != '\t' &&
                 !line.starts_with("Continue creating"))
            break;
        else if (trim(line).starts_with("/dev/"))
            break;
        end = at + 1;
    }
    return std::max<std::size_t>(end - first, created ? 1 : 0);
}

}  // namespace

extern const CommandParser mdadm_command_parser{
    .id = "mdadm-command",
    .programs = {"mdadm"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
