// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include "advisor/commands/quoting.hpp"
#include "advisor/reports/layout.hpp"
#include "advisor/reports/plan_report.hpp"
#include "advisor/reports/risk_phrase.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string sizes(const Layout& l) {
    return fmt::format("block {} ({} bytes), fragment {} ({} bytes)", human_size(l.bsize), l.bsize,
                       human_size(l.fsize), l.fsize);
}

void write_head(Page& page, const Plan& plan) {
    const Layout& l = plan.layout;
    page.paragraph(0,
                   fmt::format("Plan for one file system on {} ({})", escaped(plan.subject), plan.release));
    if (l.unit)
        page.line(2, l.full_stripe
                         ? fmt::format("stripe: unit {} x {} data disks = {} ({} bytes)", human_size(*l.unit),
                                       l.data_disks, human_size(*l.full_stripe), *l.full_stripe)
                         : fmt::format("stripe unit: {}", human_size(*l.unit)));
    page.line(2, fmt::format("sector: {} bytes{}", l.physical,
                             l.physical_known ? "" : " assumed, the physical one is not known"));
    page.line(2, fmt::format("partition: {} from byte {} (sector {}){}", escaped(plan.device), l.start,
                             l.start / l.logical,
                             l.size == 0 ? ", all that is left" : fmt::format(", {} bytes", l.size)));
    page.line(2, sizes(l));
    if (l.block_components)
        page.line(2, *l.block_components == 1
                         ? "a block touches one component"
                         : fmt::format("a block touches up to {} components", *l.block_components));
}

void write_command(Page& page, const SetupCommand& command) {
    page.line(3, escaped(shell_line(command.argv)));
    if (command.input.empty()) return;
    page.line(5, page.coloured("with this input:", Colour::dim));
    for (const auto line : split_lines(command.input)) page.line(7, escaped(line));
}

void write_part(Page& page, std::string_view head, const std::string& text) {
    if (!text.empty()) page.paragraph(4, head, Colour::dim, escaped(text));
}

void write_step(Page& page, const Step& step, std::size_t number) {
    page.blank();
    page.paragraph(0, fmt::format("{}. {} ({})", number, to_string(step.kind), risk_phrase(step.risk)),
                   Colour::bold, "");
    for (const SetupCommand& command : step.commands) write_command(page, command);
    write_part(page, "why:", step.reason);
    write_part(page, "cost of not doing it:", step.cost);
    write_part(page, "only if:", step.precondition);
    write_part(page, "undo:", step.undo);
}

}  // namespace

std::string plan_text(const Plan& plan, const TextStyle& style) {
    Page page(style);
    write_head(page, plan);
    std::size_t number = 0;
    for (const Step& step : plan.steps) write_step(page, step, ++number);
    if (!plan.notes.empty()) page.blank();
    for (const std::string& note : plan.notes) page.paragraph(0, "note:", Colour::cyan, escaped(note));
    return page.take();
}

}  // namespace diskwright
