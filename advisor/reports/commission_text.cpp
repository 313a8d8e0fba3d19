// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>

#include "advisor/commands/quoting.hpp"
#include "advisor/reports/commission.hpp"
#include "advisor/reports/finding_parts.hpp"
#include "advisor/reports/layout.hpp"
#include "advisor/reports/plan_report.hpp"
#include "advisor/reports/profile_text.hpp"
#include "advisor/reports/tuning.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

void write_section(Page& page, std::string_view name) {
    page.blank();
    page.line(0, page.coloured(name, Colour::bold));
}

void write_lines(Page& page, std::string_view text) {
    for (const auto line : split_lines(text)) page.line(line.empty() ? 0 : 2, line);
}

// What the plan makes anew has no fix of its own: one setting, one recommendation.
void write_finding(Page& page, const CommissionReport& report, const StorageGraph& graph,
                   const Finding& finding) {
    page.paragraph(2, fmt::format("{} {}", to_string(finding.severity), finding.code),
                   colour_of(finding.severity),
                   fmt::format("{}: {}", escaped(finding.subject), escaped(finding.message)));
    if (!finding.cost.empty()) page.paragraph(4, "cost:", Colour::dim, escaped(finding.cost));
    if (report.settles(finding)) {
        page.line(4, "settled by the plan below");
        return;
    }
    const auto fix = fix_of(graph, finding);
    if (!fix) return;
    for (const auto& argv : fix->commands) page.line(6, escaped(shell_line(argv)));
    for (const std::string& note : fix->notes) page.paragraph(4, "note:", Colour::dim, escaped(note));
}

void write_audit(Page& page, const CommissionReport& report) {
    write_section(page, "Audit");
    const StorageGraph graph(report.facts);
    if (report.judgement.findings.empty()) page.line(2, "nothing found");
    for (const Finding& finding : report.judgement.findings) write_finding(page, report, graph, finding);
    if (!report.judgement.skips.empty())
        page.paragraph(2, fmt::format("{} could not be checked for want of facts",
                                      counted(report.judgement.skips.size(), "rule", "rules")));
}

std::string point_text(const SearchSpace& space, const Point& point) {
    std::string text;
    for (std::size_t i = 0; i < point.size(); ++i)
        text += fmt::format("{}{} {}", i ? ", " : "", escaped(space.parameters()[i].name),
                            escaped(space.value(point, i).text));
    return text;
}

void write_repeats(Page& page, const TrialSource& trials, std::string_view head, const Repeats& repeats) {
    page.paragraph(
        2, head, Colour::dim,
        fmt::format("{}: {} {:.4g} +- {:.2g}, {}", point_text(trials.space, repeats.point),
                    escaped(trials.objective.name), repeats.median, repeats.spread,
                    trials.recorded ? "as recorded" : counted(repeats.values.size(), "run", "runs")));
}

void write_trials(Page& page, const CommissionReport& report) {
    write_section(page, "Trials");
    if (!report.trials) {
        page.paragraph(2, report.no_trials.empty() ? "none" : escaped(report.no_trials));
        return;
    }
    const auto& trials = report.tuning.trials;
    const auto valid =
        std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return t.value.has_value(); });
    page.paragraph(2, fmt::format("{}; {} of {} points measured", escaped(report.trials->description), valid,
                                  report.trials->space.size().value_or(0)));
    if (report.tuning.best && !report.verification) {
        const Trial& best = trials[*report.tuning.best];
        page.paragraph(2, "best:", Colour::dim,
                       fmt::format("{}: {} {:.4g}", point_text(report.trials->space, best.point),
                                   escaped(report.trials->objective.name), *best.value));
    }
    if (report.importance) {
        std::string text;
        for (std::size_t i = 0; i < report.importance->size(); ++i)
            text += fmt::format("{}{} {:.0f} %", i ? ", " : "",
                                escaped(report.trials->space.parameters()[i].name),
                                (*report.importance)[i] * 100);
        page.paragraph(2, "what matters:", Colour::dim, text);
    }
    if (!report.verification) return;
    const Verification& check = *report.verification;
    write_repeats(page, *report.trials, report.trials->recorded ? "best:" : "again, the best:", check.best);
    write_repeats(page, *report.trials,
                  fmt::format("{}{}:", report.trials->recorded ? "" : "again, ", check.reference_is),
                  check.reference);
    page.paragraph(
        2, check.differs ? "The difference is larger than the noise: the plan below follows the measurement."
                         : "The difference is within the noise, so there is none: the plan below follows the "
                           "arithmetic.");
}

void write_plan(Page& page, const CommissionReport& report, const TextStyle& style) {
    write_section(page, "Plan");
    if (!report.plan) {
        page.paragraph(2, escaped(report.no_plan));
        return;
    }
    TextStyle inner = style;
    if (inner.width > 2) inner.width -= 2;
    write_lines(page, plan_text(*report.plan, inner));
    const auto serious = std::count_if(report.remaining.begin(), report.remaining.end(),
                                       [](const Finding& f) { return f.severity >= Severity::warning; });
    page.blank();
    page.paragraph(2, serious == 0 ? "An audit of the planned set-up finds no warning and no error."
                                   : fmt::format("An audit of the planned set-up still finds {}.",
                                                 counted(static_cast<std::size_t>(serious),
                                                         "warning or error", "warnings or errors")));
}

}  // namespace

std::string commission_text(const CommissionReport& report, const TextStyle& style) {
    Page page(style);
    page.running(0, page.coloured(fmt::format("Commissioning {}", escaped(report.subject)), Colour::bold));
    if (report.failure)
        page.running(0, page.coloured("It failed: " + escaped(report.failure->message), Colour::red));
    if (report.interrupted)
        page.running(0, page.coloured("Interrupted: this is what was done until then.", Colour::yellow));
    write_section(page, report.profile_measured ? "Measured" : "Known of these disks, not measured here");
    if (report.profile.empty()) page.line(2, "nothing: no disk was given to measure");
    write_lines(page, render_profile_text(report.profile, ""));
    write_audit(page, report);
    write_trials(page, report);
    write_plan(page, report, style);
    for (const std::string& note : report.notes) page.paragraph(0, "note:", Colour::cyan, escaped(note));
    return page.take();
}

}  // namespace diskwright
