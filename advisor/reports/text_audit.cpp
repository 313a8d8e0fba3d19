// SPDX-License-Identifier: BSD-2-Clause
// The audit report for people: findings, what was not checked, what was not read, what to do next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "advisor/commands/quoting.hpp"
#include "advisor/reports/finding_parts.hpp"
#include "advisor/reports/risk_phrase.hpp"
#include "advisor/reports/text.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t unparsed_shown = 10, rules_shown = 6;

std::string severities(const HostReport& host) {
    const Judgement& judgement = host.judgement;
    constexpr std::array<std::string_view, 4> plural{"infos", "notices", "warnings", "errors"};
    std::array<std::size_t, 4> counts{};
    for (const Finding& f : judgement.findings) ++counts.at(static_cast<std::size_t>(f.severity));
    std::vector<std::string> parts;
    for (std::size_t s = counts.size(); s-- > 0;)
        if (counts.at(s) != 0)
            parts.push_back(counted(counts.at(s), EnumNames<Severity>::names.at(s), plural.at(s)));
    if (!parts.empty()) return fmt::format("{}", fmt::join(parts, ", "));
    // Silence about what was not looked at is no good news.
    const std::size_t unread = host.facts.unparsed.size();
    return unread == 0
               ? "no findings"
               : fmt::format("no findings in what was read, {} not read", counted(unread, "place", "places"));
}

void write_evidence(Page& page, const Finding& finding) {
    const auto evidence = distinct_evidence(finding);
    std::size_t widest = 0;
    for (const Provenance& from : evidence) widest = std::max(widest, columns(place(from)));
    for (const Provenance& from : evidence) {
        const std::string where = place(from);
        std::string text = escaped(trim(from.text()));
        std::replace(text.begin(), text.end(), '\t', ' ');
        const std::string padding(text.empty() ? 0 : widest - columns(where) + 2, ' ');
        page.line(4, page.coloured(where, Colour::dim) + padding + text);
    }
}

// Costs and notes that a report has already given for a rule; the next subject of it refers to them.
using Said = std::set<std::pair<std::string_view, std::string>>;

constexpr std::size_t worth_a_reference = 120;  // a shorter text is read faster than looked up

void write_text(Page& page, std::string_view head, std::string_view code, const std::string& text,
                Said& said) {
    const bool again = !said.emplace(code, text).second && text.size() > worth_a_reference;
    page.paragraph(2, head, Colour::dim, again ? fmt::format("as for {} above", code) : escaped(text));
}

void write_fix(Page& page, const StorageGraph& host, const Finding& finding, Said& said) {
    const auto fix = fix_of(host, finding);
    if (!fix) return;
    if (!fix->commands.empty()) {
        page.line(2, fmt::format("fix ({}):", risk_phrase(fix->risk)));
        for (const auto& argv : fix->commands) page.line(6, escaped(shell_line(argv)));
    }
    for (const std::string& note : fix->notes) write_text(page, "note:", finding.code, note, said);
}

void write_finding(Page& page, const StorageGraph& host, const Finding& finding, Said& said) {
    page.blank();
    page.paragraph(0, fmt::format("{} {}", to_string(finding.severity), finding.code),
                   colour_of(finding.severity),
                   fmt::format("{}: {}", escaped(finding.subject), escaped(finding.message)));
    if (!finding.condition.empty()) page.paragraph(2, "only if:", Colour::dim, escaped(finding.condition));
    write_evidence(page, finding);
    if (!finding.cost.empty()) write_text(page, "cost:", finding.code, finding.cost, said);
    write_fix(page, host, finding, said);
}

bool is_option(const std::string& missing) {
    return missing.starts_with('-');
}

// "run `raidctl -S raid0`, give `--for WORKLOAD`": any of them may be enough, so no word says both or either.
std::string request(const std::vector<std::string>& missing) {
    std::string out;
    for (const std::string& item : missing)
        out += fmt::format("{}{} `{}`", out.empty() ? "" : ", ", is_option(item) ? "give" : "run",
                           escaped(item));
    return out;
}

void write_skips(Page& page, const std::vector<Skip>& skips) {
    if (skips.empty()) return;
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::string>> waiting;
    for (const Skip& skip : skips) {
        std::string what = request(skip.missing);
        auto& rules = waiting[what];
        if (rules.empty()) order.push_back(std::move(what));
        rules.push_back(skip.subject.empty() ? std::string(skip.code)
                                             : fmt::format("{} {}", skip.code, escaped(skip.subject)));
    }
    page.blank();
    page.line(0, page.coloured("Not checked, for want of facts:", Colour::bold));
    for (const std::string& what : order) {
        const auto& rules = waiting[what];
        const std::size_t shown = std::min(rules.size(), rules_shown);
        std::string list = fmt::format(
            "{}", fmt::join(rules.begin(), rules.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
        if (shown < rules.size()) list += fmt::format(" and {} more", rules.size() - shown);
        page.paragraph(2,
                       fmt::format("{}{} and audit again: {}", what, contains(what, ", ") ? "," : "", list));
    }
}

void write_next(Page& page, const HostReport& host, const StorageGraph& graph) {
    const auto& findings = host.judgement.findings;
    const bool commands = std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
        const auto fix = fix_of(graph, f);
        return fix && !fix->commands.empty();
    });
    std::vector<std::string> steps;
    if (!findings.empty())
        steps.push_back(fmt::format("`diskwright explain {}` says why it matters and when it does not",
                                    findings.front().code));
    if (commands)
        steps.emplace_back(
            "read each command before you run it as root, one finding at a time, then audit again");
    if (!host.facts.os.name) steps.emplace_back("name the system with --os NAME-RELEASE");
    const bool commands_wanted =
        std::any_of(host.judgement.skips.begin(), host.judgement.skips.end(), [](const Skip& s) {
            return std::any_of(s.missing.begin(), s.missing.end(),
                               [](const std::string& m) { return !is_option(m); });
        });
    if (commands_wanted)
        steps.emplace_back(
            "append the output of the commands above to the input, with the commands as typed");
    if (!host.facts.unparsed.empty())
        steps.emplace_back("`diskwright show` lists what was understood and from which line");
    if (steps.empty()) return;
    page.blank();
    page.line(0, page.coloured("Next:", Colour::bold));
    for (const std::string& step : steps) page.paragraph(2, step);
}

}  // namespace

void write_audit(Page& page, const HostReport& host) {
    page.paragraph(0, fmt::format("{}: {}{}", host_headline(host), severities(host), not_looked_at(host)));
    const StorageGraph graph(host.facts);
    Said said;
    for (const Finding& finding : host.judgement.findings) write_finding(page, graph, finding, said);
    write_skips(page, host.judgement.skips);
    write_unparsed(page, host.facts, unparsed_shown);
    write_next(page, host, graph);
}

void write_audit_quiet(Page& page, const HostReport& host) {
    for (const Finding& f : host.judgement.findings) {
        const std::string condition =
            f.condition.empty() ? "" : fmt::format(" (only if: {})", escaped(f.condition));
        page.line(0, fmt::format("{}: {} {}: {}{}", escaped(host.input),
                                 page.coloured(fmt::format("{} {}", to_string(f.severity), f.code),
                                               colour_of(f.severity)),
                                 escaped(f.subject), escaped(f.message), condition));
    }
}

}  // namespace diskwright
