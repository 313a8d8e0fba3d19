// SPDX-License-Identifier: BSD-2-Clause
// A script to read, edit and run. Whatever is not a command of the plan is a comment of printable ASCII.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "advisor/commands/quoting.hpp"
#include "advisor/reports/plan_report.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t comment_width = 100;

std::string ascii(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f)
            out += c;
        else
            out += fmt::format("\\x{:02x}", byte);
    }
    return out;
}

void comment(std::string& out, std::string_view head, std::string_view text) {
    if (text.empty()) return;
    const std::string plain = ascii(text);
    std::string line = fmt::format("# {}", head);
    for (const auto word : words(plain)) {
        if (line.size() + 1 + word.size() > comment_width) {
            out += line + "\n";
            line = "#   ";
        }
        line += fmt::format("{}{}", line.back() == ' ' ? "" : " ", word);
    }
    out += line + "\n";
}

// The text of a here-document must not hold its own end.
std::string end_mark(const std::string& input) {
    std::string mark = "END";
    const auto lines = split_lines(input);
    while (std::find(lines.begin(), lines.end(), mark) != lines.end()) mark += "_";
    return mark;
}

void command(std::string& out, const SetupCommand& c) {
    out += shell_line(c.argv);
    if (c.input.empty()) {
        out += "\n";
        return;
    }
    const std::string mark = end_mark(c.input);
    out += fmt::format(" <<'{0}'\n{1}{0}\n", mark, c.input);
}

// The last part of a device's name: gm0 may be mounted as mirror/gm0.
std::string last_part(std::string_view name) {
    return std::string(name.substr(name.rfind('/') + 1));
}

// Prints one line for each swap device, its name first.
std::string_view swap_listing(Os os) {
    return os == Os::linux_ ? "cat /proc/swaps" : os == Os::freebsd ? "swapinfo" : "swapctl -l";
}

// What nothing may be mounted from or swapped to, with all its partitions: the device of the file system,
// what it lies on, and the disks of a set that is made anew.
std::vector<std::string> devices_written(const Plan& plan) {
    std::set<std::string> names{last_part(plan.device), last_part(plan.subject)};
    const StorageGraph graph(plan.planned);
    const bool makes_set = std::any_of(plan.steps.begin(), plan.steps.end(),
                                       [](const Step& s) { return s.kind == StepKind::raid_set; });
    if (const Volume* set = makes_set ? graph.volume(plan.subject) : nullptr)
        for (const Component* c : data_components(*set)) {
            names.insert(last_part(c->name));
            for (const std::string& disk : graph.disks_under(c->name)) names.insert(last_part(disk));
        }
    // With a name that must not stand in a command there are no commands to guard.
    std::erase_if(names, [](const std::string& name) { return !safe_name(name); });
    return {names.begin(), names.end()};
}

constexpr std::string_view guard_text = R"sh(# Nothing runs until this line says yes.
destroy_everything_on_the_device=no

if [ "$destroy_everything_on_the_device" != yes ]; then
    echo "$0: read the steps, then set destroy_everything_on_the_device to yes" >&2
    exit 77
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "$0: needs root" >&2
    exit 77
fi

# What is written to: nothing may be mounted from it or from a partition of it, nor swapped to.
devices=@devices@
used=$({ mount; @swap@; } | awk -v devices="$devices" '
    BEGIN { count = split(devices, wanted, " ") }
    {
        name = $1
        sub(/.*[/]/, "", name)
        for (i = 1; i <= count; i++) {
            rest = substr(name, length(wanted[i]) + 1)
            partition = wanted[i] ~ /[0-9]$/ ? "^(p[0-9]+|s[0-9]+[a-p]?|[a-p])?$" : "^[0-9]*$"
            if (index(name, wanted[i]) == 1 && rest ~ partition) print name
        }
    }')
if [ -n "$used" ]; then
    echo "$0: in use: $used" >&2
    exit 77
fi
)sh";

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
    const auto at = text.find(mark);
    return at == std::string::npos ? text : text.replace(at, mark.size(), by);
}

void guard(std::string& out, const Plan& plan) {
    std::string devices;
    for (const std::string& name : devices_written(plan)) devices += (devices.empty() ? "" : " ") + name;
    out += replaced(replaced(std::string(guard_text), "@devices@", shell_quoted(devices)), "@swap@",
                    swap_listing(plan.os));
}

}  // namespace

std::string plan_script(const Plan& plan) {
    std::string out = "#!/bin/sh\n";
    comment(out, "",
            fmt::format("Plan for one file system on {} ({}).", escaped(plan.subject), plan.release));
    comment(out, "", "Every step destroys what lies where it writes. Read it all before you run it as root.");
    out += "\nPATH=/sbin:/usr/sbin:/bin:/usr/bin\nLC_ALL=C\nexport PATH LC_ALL\numask 077\nset -eu\n\n";
    guard(out, plan);
    std::size_t number = 0;
    for (const Step& step : plan.steps) {
        out += "\n";
        comment(out, fmt::format("{}. {}:", ++number, to_string(step.kind)), step.reason);
        comment(out, "cost of not doing it:", step.cost);
        comment(out, "only if:", step.precondition);
        comment(out, "undo:", step.undo);
        // The script refuses to run while something is mounted: that stays for its reader to do.
        for (const SetupCommand& c : step.commands)
            step.kind == StepKind::unmount ? comment(out, "do it yourself:", shell_line(c.argv))
                                           : command(out, c);
    }
    if (!plan.notes.empty()) out += "\n";
    for (const std::string& note : plan.notes) comment(out, "note:", note);
    return out;
}

}  // namespace diskwright
