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

bool names_one_of(std::string_view path, const std::vector<struct stat>& devices) {
    struct stat status {};
    return path.starts_with('/') && stat(std::string(path).c_str(), &status) == 0 &&
           std::any_of(devices.begin(), devices.end(),
                       [&](const struct stat& device) { return same_file(status, device); });
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

std::optional<Obstacle> used_as_swap(const std::vector<std::string>& list,
                                     const std::vector<struct stat>& devices, CommandRunner& commands) {
    const auto output = answer(list, commands, "no swap devices configured");
    if (!output) return unchecked("swap", list);
    for (const auto line : split_lines(*output)) {
        const auto fields = words(line);
        if (!fields.empty() && names_one_of(fields[0], devices))
            return Obstacle{"swap", "in use as " + escaped(fields[0])};
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
    // Unit, type, size, file, separated by blanks and tabs; a file's name may hold blanks.
    for (const auto line : split_lines(*output)) {
        const auto slash = line.find('/');
        if (slash != std::string_view::npos && contains(line, "vnode") &&
            names_one_of(trim(line.substr(slash)), {file}))
            return Obstacle{"loop", "it backs " + escaped(trim(line.substr(0, slash)))};
    }
    return std::nullopt;
}

std::optional<Obstacle> geom_user(std::string_view confxml, std::string_view provider) {
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
            if (consumer.mode->reads > 1 || consumer.mode->writes > 1 || consumer.mode->exclusives > 0)
                return Obstacle{"open elsewhere", "another open of /dev/" + escaped(provider)};
        } else if (consumer.class_name == "PART") {
            return Obstacle{"overlap", "it is divided into partitions; name one of them"};
        } else if (!consumer.mode->idle()) {
            const bool swap = consumer.class_name == "SWAP", mount = consumer.class_name == "VFS";
            return Obstacle{swap ? "swap" : mount ? "mounted" : "component", "in use by " + user};
        }
    }
    return std::nullopt;
}

}  // namespace diskwright
