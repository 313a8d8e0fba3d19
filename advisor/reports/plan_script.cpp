// SPDX-License-Identifier: BSD-2-Clause
// A script to read, edit and run. Whatever is not a command of the plan is a comment of printable ASCII.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/quoting.hpp"
#include "advisor/reports/plan_report.hpp"
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

std::string device_pattern(const Plan& plan) {
    // gm0 may be mounted as mirror/gm0; the part behind the last slash is in both.
    return plan.device.substr(plan.device.rfind('/') + 1);
}

void guard(std::string& out, const Plan& plan) {
    const std::string device = shell_quoted(device_pattern(plan));
    out += fmt::format(
        "# Nothing runs until this line says yes.\n"
        "destroy_everything_on_the_device=no\n\n"
        "if [ \"$destroy_everything_on_the_device\" != yes ]; then\n"
        "    echo \"$0: read the steps, then set destroy_everything_on_the_device to yes\" >&2\n"
        "    exit 77\n"
        "fi\n"
        "if [ \"$(id -u)\" -ne 0 ]; then\n"
        "    echo \"$0: needs root\" >&2\n"
        "    exit 77\n"
        "fi\n\n"
        "device={}\n"
        "refuse_if_mounted() {{\n"
        "    if mount | awk -v device=\"$device\" '\n"
        "        {{ name = $1; sub(/.*\\//, \"\", name) }}\n"
        "        name == device {{ found = 1 }}\n"
        "        END {{ exit !found }}'\n"
        "    then\n"
        "        echo \"$0: $device is mounted\" >&2\n"
        "        exit 77\n"
        "    fi\n"
        "}}\n"
        "refuse_if_mounted\n",
        device);
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
