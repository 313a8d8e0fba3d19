// SPDX-License-Identifier: BSD-2-Clause
#include "probes/live/bsd_interlocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

Obstacle unchecked(std::string_view interlock, const std::vector<std::string>& command) {
    return {interlock, fmt::format("cannot be checked: {} gave no answer", fmt::join(command, " "))};
}

/// Its output, or nothing when it did not end well. A message for "there is none" may come with a status.
std::optional<std::string> answer(const std::vector<std::string>& command, CommandRunner& commands,
                                  std::string_view none = {}) {
    const auto outcome = commands.run(command, {});
    if (!outcome || outcome->timed_out || outcome->output_cut) return std::nullopt;
    if (!none.empty() && (contains(outcome->output, none) || contains(outcome->errors, none))) return "";
    if (outcome->exit_status != 0) return std::nullopt;
    return outcome->output;
}

enum class Named { one_of_them, another, unknown };
Named names_one_of(std::string_view path, const std::vector<struct stat>& devices) {
    struct stat status {};
    if (!path.starts_with('/') || stat(std::string(path).c_str(), &status) != 0) return Named::unknown;
    const bool found = std::any_of(devices.begin(), devices.end(),
                                   [&](const struct stat& device) { return same_file(status, device); });
    return found ? Named::one_of_them : Named::another;
}

Obstacle not_looked_at(std::string_view interlock, std::string_view what) {
    return {interlock, fmt::format("cannot be checked: {} cannot be looked at", escaped(what))};
}

bool is_bare_word(std::string_view name) {
    return !name.starts_with('/') && !name.starts_with('<');
}

bool all_files(const std::vector<struct stat>& devices) {
    return std::all_of(devices.begin(), devices.end(),
                       [](const struct stat& status) { return S_ISREG(status.st_mode); });
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> device_number(std::string_view text) {
    const auto comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const auto high = to_unsigned(text.substr(0, comma)), low = to_unsigned(text.substr(comma + 1));
    if (!high || !low) return std::nullopt;
    return std::pair{*high, *low};
}

/// What fstat -n says of an open device node.
struct OpenNode {
    DeviceNumber device;
    std::string_view process;
};
// "USER CMD PID FD DEV INUM MODE SZ|DV R/W" (NetBSD/src:usr.bin/fstat/fstat.c vtrans()), where MODE is octal
// and R/W may be empty. A command's name may hold blanks, so the fields are counted from the end.
std::optional<OpenNode> open_node(std::string_view line) {
    auto fields = words(line);
    if (!fields.empty() && fields.back().find_first_not_of("rw") == std::string_view::npos) fields.pop_back();
    if (fields.size() < 8) return std::nullopt;
    const auto field = [&](std::size_t from_end) { return fields[fields.size() - from_end]; };
    const auto number = device_number(field(1));
    const std::string_view mode = field(2);
    const bool character = mode.size() == 5 && mode[0] == '2', block = mode.size() == 5 && mode[0] == '6';
    if (!number || (!character && !block)) return std::nullopt;
    return OpenNode{{character, number->first, number->second}, field(6)};
}

// A node on a file system that fstat does not know is "-  -  ?(1a)  -" or "error" in place of its numbers.
bool is_unread_node(std::string_view line) {
    const auto fields = words(line);
    if (fields.size() < 8) return false;
    const auto field = [&](std::size_t from_end) { return fields[fields.size() - from_end]; };
    return field(1) == "-" && field(3) == "-" && field(4) == "-" &&
           (field(2).starts_with("?") || field(2) == "error");
}

std::string attribute(std::string_view tag, std::string_view name) {
    return std::string(between(tag, fmt::format("{}=\"", name), "\"").value_or(""));
}

std::string element(std::string_view text, std::string_view name) {
    return std::string(between(text, fmt::format("<{}>", name), fmt::format("</{}>", name)).value_or(""));
}

/// "r1w1e0", sys/geom/geom_dump.c g_conf_consumer().
struct Mode {
    std::uint64_t reads = 0, writes = 0, exclusives = 0;
    bool idle() const { return reads + writes + exclusives == 0; }
};
std::optional<Mode> mode_of(std::string_view text) {
    const auto reads = between(text, "r", "w"), writes = between(text, "w", "e"), rest = after(text, "e");
    if (!reads || !writes || !rest) return std::nullopt;
    const auto r = to_unsigned(*reads), w = to_unsigned(*writes), e = to_unsigned(*rest);
    if (!r || !w || !e) return std::nullopt;
    return Mode{*r, *w, *e};
}

struct Consumer {
    std::string class_name, geom_name, provider;
    std::optional<Mode> mode;
};

struct GeomTree {
    std::map<std::string, std::string> providers;  // name to id
    std::vector<Consumer> consumers;
};

// Elements nest as mesh > class > geom > consumer and provider; the name of a class and of a geom come before
// what they contain (g_conf_class(), g_conf_geom()).
GeomTree read_tree(std::string_view xml) {
    GeomTree tree;
    for (auto rest = after(xml, "<class id="); rest; rest = after(*rest, "<class id=")) {
        const auto in_class = rest->substr(0, rest->find("</class>"));
        const std::string class_name = element(in_class, "name");
        for (auto geom = after(in_class, "<geom id="); geom; geom = after(*geom, "<geom id=")) {
            const auto in_geom = geom->substr(0, geom->find("</geom>"));
            const std::string geom_name = element(in_geom, "name");
            for (auto at = after(in_geom, "<consumer id="); at; at = after(*at, "<consumer id=")) {
                const auto text = at->substr(0, at->find("</consumer>"));
                const auto ref = between(text, "<provider ref", ">");
                tree.consumers.push_back({class_name, geom_name,
                                          ref ? attribute(std::string("ref") + std::string(*ref), "ref") : "",
                                          mode_of(element(text, "mode"))});
            }
            for (auto at = after(in_geom, "<provider id="); at; at = after(*at, "<provider id=")) {
                const auto text = at->substr(0, at->find("</provider>"));
                if (const auto id = between(text, "\"", "\""))
                    tree.providers.emplace(element(text, "name"), std::string(*id));
            }
        }
    }
    return tree;
}

}  // namespace

std::optional<Obstacle> open_by_process(const std::string& path, CommandRunner& commands) {
    const std::vector<std::string> command{"fstat", path.starts_with('-') ? "./" + path : path};
    const auto output = answer(command, commands);
    const auto lines = split_lines(output ? std::string_view(*output) : "");
    // Columns USER CMD PID FD; a command's name may hold blanks, so the column is found by the heading.
    const auto column = lines.empty() ? std::string_view::npos : lines.front().find("PID");
    if (column == std::string_view::npos) return unchecked("open elsewhere", command);
    const std::string own = std::to_string(getpid());
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
        if (trim(*line).empty()) continue;
        // The number is right-aligned to the heading.
        const auto end = std::min(column + 3, line->size());
        const auto begin = line->substr(0, end).find_last_of(' ') + 1;
        const auto process = line->substr(begin, end - begin);
        if (process != own)
            return Obstacle{"open elsewhere", fmt::format("by process {}", escaped(trim(process)))};
    }
    return std::nullopt;
}

std::optional<Obstacle> device_open_by_process(const std::vector<DeviceNumber>& devices,
                                               CommandRunner& commands) {
    const std::vector<std::string> command{"fstat", "-n"};
    const auto output = answer(command, commands);
    const auto lines = split_lines(output ? std::string_view(*output) : "");
    if (lines.empty() || !contains(lines.front(), "SZ|DV")) return unchecked("open elsewhere", command);
    const std::string own = std::to_string(getpid());
    bool own_seen = false;
    for (const auto line : lines) {
        const auto node = open_node(line);
        const bool same = node && std::find(devices.begin(), devices.end(), node->device) != devices.end();
        if (same && node->process != own)
            return Obstacle{"open elsewhere", fmt::format("by process {}", escaped(node->process))};
        own_seen = own_seen || same;
        if (is_unread_node(line))
            return Obstacle{"open elsewhere",
                            "cannot be checked: fstat cannot read \"" + escaped(trim(line)) + "\""};
    }
    // Who does not see this process does not see the others either.
    if (!own_seen) return unchecked("open elsewhere", command);
    return std::nullopt;
}

bool same_unit(const DeviceNumber& raw, const DeviceNumber& block, const std::vector<DriverMajors>& drivers) {
    return raw.character && !block.character && raw.minor == block.minor &&
           std::any_of(drivers.begin(), drivers.end(), [&](const DriverMajors& driver) {
               return driver.character >= 0 && driver.block >= 0 &&
                      static_cast<std::uint64_t>(driver.character) == raw.major &&
                      static_cast<std::uint64_t>(driver.block) == block.major;
           });
}

std::optional<Obstacle> used_as_swap(const std::vector<std::string>& list,
                                     const std::vector<struct stat>& devices, CommandRunner& commands) {
    const auto output = answer(list, commands, "no swap devices configured");
    if (!output) return unchecked("swap", list);
    for (const auto line : split_lines(*output)) {
        const auto fields = words(line);
        if (fields.empty() || fields[0] == "Device" || fields[0] == "Total") continue;
        switch (names_one_of(fields[0], devices)) {
            case Named::one_of_them:
                return Obstacle{"swap", "in use as " + escaped(fields[0])};
            case Named::unknown:
                // A bare word is the kernel's own name for a device; a file is "<NFSfile>" at worst.
                if (is_bare_word(fields[0]) && all_files(devices)) break;
                return not_looked_at("swap", fields[0]);
            case Named::another:
                break;
        }
    }
    return std::nullopt;
}

std::optional<Obstacle> behind_vnd(const std::vector<std::string>& list, const struct stat& file,
                                   CommandRunner& commands) {
    const auto output = answer(list, commands);
    if (!output) return unchecked("loop", list);
    for (const auto line : split_lines(*output)) {
        const auto inode = after(line, "inode ");
        const auto number = inode ? leading_unsigned(*inode) : std::nullopt;
        if (inode && (!number || number->value == file.st_ino))
            return Obstacle{"loop", "it may back " + escaped(trim(line))};
    }
    return std::nullopt;
}

std::optional<Obstacle> behind_md(const struct stat& file, CommandRunner& commands) {
    const std::vector<std::string> command{"mdconfig", "-l", "-v"};
    const auto output = answer(command, commands);
    if (!output) return unchecked("loop", command);
    // Unit, type, size, file and, in later releases, a label, with a tab before each
    // (freebsd/freebsd-src:sbin/mdconfig/mdconfig.c md_list()); a file's name may hold blanks.
    for (const auto line : split_lines(*output)) {
        const auto fields = split(line, '\t');
        if (fields.size() < 2 || trim(fields[1]) != "vnode") continue;
        if (fields.size() < 4) return not_looked_at("loop", line);
        switch (names_one_of(fields[3], {file})) {
            case Named::one_of_them:
                return Obstacle{"loop", "it backs " + escaped(fields[0])};
            case Named::unknown:
                return not_looked_at("loop", fmt::format("{}, the file of {}", fields[3], fields[0]));
            case Named::another:
                break;
        }
    }
    return std::nullopt;
}

std::optional<Obstacle> geom_user(std::string_view confxml, std::string_view provider, unsigned own_opens) {
    const GeomTree tree = read_tree(confxml);
    const auto id = tree.providers.find(std::string(provider));
    if (id == tree.providers.end())
        return Obstacle{"component",
                        fmt::format("cannot be checked: GEOM shows no provider {}", escaped(provider))};
    for (const Consumer& consumer : tree.consumers) {
        if (consumer.provider != id->second) continue;
        const std::string user = escaped(consumer.class_name + " " + consumer.geom_name);
        if (!consumer.mode) return Obstacle{"component", "cannot be checked: the mode of " + user};
        if (consumer.class_name == "DEV") {
            if (consumer.mode->reads > own_opens || consumer.mode->writes > own_opens ||
                consumer.mode->exclusives > 0)
                return Obstacle{"open elsewhere", "another open of /dev/" + escaped(provider)};
        } else if (consumer.class_name == "PART") {
            return Obstacle{"overlap", "it is divided into partitions; name one of them"};
        } else if (consumer.class_name != "LABEL" || !consumer.mode->idle()) {
            const bool swap = consumer.class_name == "SWAP", mount = consumer.class_name == "VFS";
            return Obstacle{swap ? "swap" : mount ? "mounted" : "component", "in use by " + user};
        }
    }
    return std::nullopt;
}

}  // namespace diskwright
