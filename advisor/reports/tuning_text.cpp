// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "advisor/reports/layout.hpp"
#include "advisor/reports/tuning.hpp"
#include "probes/support/text.hpp"
#include "tuner/landscape.hpp"

namespace diskwright {
namespace {

constexpr std::size_t bar_columns = 40;

std::string number(double value) {
    return fmt::format("{:.6g}", value);
}

std::string value_text(const SearchSpace& space, const Point& point, std::size_t parameter) {
    return escaped(space.value(point, parameter).text);
}

std::string point_text(const SearchSpace& space, const Point& point) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < point.size(); ++i)
        parts.push_back(
            fmt::format("{} {}", escaped(space.parameters()[i].name), value_text(space, point, i)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

// Rows of cells under each other, all but the last column padded.
void write_table(Page& page, const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == widths.size()) widths.push_back(0);
            widths[i] = std::max(widths[i], columns(row[i]));
        }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - columns(row[i]) + 2, ' ');
        }
        while (line.ends_with(' ')) line.pop_back();
        page.line(2, line);
    }
}

void write_headline(Page& page, const TuningReport& report) {
    if (!report.title.empty()) page.running(0, page.coloured(escaped(report.title), Colour::bold));
    const auto& trials = report.result.trials;
    const auto valid = static_cast<std::size_t>(std::count_if(
        trials.begin(), trials.end(), [](const Trial& trial) { return trial.value.has_value(); }));
    const std::string points =
        report.space.size() ? counted(*report.space.size(), "point", "points") : "more than 2^64 points";
    page.running(0, fmt::format("{}, {} is better; {}; method {}, seed {}; {}, {} without a value",
                                escaped(report.objective.name), report.objective.minimise ? "less" : "more",
                                points, report.method, report.seed,
                                counted(valid, "valid trial", "valid trials"), trials.size() - valid));
}

std::string against_default(const TuningReport& report, double best) {
    if (!report.default_point) return "There is no default to compare it with.";
    const auto value = default_value(report);
    if (!value) return "The default was not tried, or gave no value.";
    if (best == *value)
        return fmt::format("The default gave {} too: nothing better was found.", number(*value));
    const double ratio = report.objective.minimise ? *value / best : best / *value;
    if (!(*value > 0 && best > 0)) return fmt::format("The default gave {}.", number(*value));
    return fmt::format("The default gave {}: the best is {:.3g} times as good.", number(*value), ratio);
}

void write_best(Page& page, const TuningReport& report) {
    page.blank();
    if (!report.result.best) {
        page.line(0, page.coloured("No trial gave a value.", Colour::red));
        return;
    }
    const Trial& best = report.result.trials[*report.result.best];
    page.line(0, page.coloured(fmt::format("Best: {} {} (trial {})", escaped(report.objective.name),
                                           number(*best.value), *report.result.best + 1),
                               Colour::bold));
    std::vector<std::vector<std::string>> rows{{"parameter", "best"}};
    if (report.default_point) rows.front().emplace_back("default");
    for (std::size_t i = 0; i < best.point.size(); ++i) {
        rows.push_back({escaped(report.space.parameters()[i].name), value_text(report.space, best.point, i)});
        if (report.default_point) rows.back().push_back(value_text(report.space, *report.default_point, i));
    }
    write_table(page, rows);
    page.running(2, against_default(report, *best.value));
}

void write_trials(Page& page, const TuningReport& report) {
    if (report.result.trials.empty()) return;
    page.blank();
    page.line(0, page.coloured("Trials", Colour::bold));
    std::vector<std::vector<std::string>> rows{{"", escaped(report.objective.name), "seconds"}};
    for (const Parameter& parameter : report.space.parameters())
        rows.front().push_back(escaped(parameter.name));
    for (std::size_t i = 0; i < report.result.trials.size(); ++i) {
        const Trial& trial = report.result.trials[i];
        std::vector<std::string> row{
            fmt::format("{}{}", i + 1, report.result.best == i ? "*" : ""),
            trial.value ? number(*trial.value) : std::string(name_of(trial.state)),
            fmt::format("{:.3f}", std::chrono::duration<double>(trial.cost).count())};
        for (std::size_t p = 0; p < trial.point.size(); ++p)
            row.push_back(value_text(report.space, trial.point, p));
        if (!trial.note.empty()) row.push_back(escaped(trial.note));
        rows.push_back(std::move(row));
    }
    write_table(page, rows);
}

void write_importance(Page& page, const TuningReport& report) {
    if (!report.importance) return;
    page.blank();
    page.line(0, page.coloured("What matters", Colour::bold));
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < report.importance->size(); ++i) {
        const double share = (*report.importance)[i];
        rows.push_back({escaped(report.space.parameters()[i].name), fmt::format("{:3.0f} %", share * 100),
                        std::string(static_cast<std::size_t>(std::lround(share * bar_columns)), '#')});
    }
    write_table(page, rows);
}

std::string why_stopped(const TuningResult& result) {
    switch (result.stop) {
        case TuningResult::Stop::trials:
            return "The search ended with the number of trials asked for.";
        case TuningResult::Stop::exhausted:
            return "Nothing is left to try.";
        case TuningResult::Stop::fruitless:
            return "The search ended because nothing but trials without a value came any more.";
        case TuningResult::Stop::cancelled:
            return "The search was stopped before its end.";
        case TuningResult::Stop::failed:
            return "The search failed before its end: " + escaped(result.failure->message);
    }
    return {};
}

// How many values lie so near to the best that the noise decides between them.
std::size_t within_noise(const TuningReport& report, double best) {
    return static_cast<std::size_t>(
        std::count_if(report.result.trials.begin(), report.result.trials.end(), [&](const Trial& trial) {
            return trial.value && std::abs(*trial.value - best) <= *report.noise * std::abs(best);
        }));
}

void write_uncertainty(Page& page, const TuningReport& report) {
    page.blank();
    page.line(0, page.coloured("What remains uncertain", Colour::bold));
    page.running(2, why_stopped(report.result));
    if (const auto& view = report.outlook) {
        page.running(2, fmt::format("{} not tried; by the model {} a chance of 1 in 4 or more to be better, "
                                    "the likeliest ({:.0f} %): {}.",
                                    counted(view->untried, "point was", "points were"),
                                    counted(view->promising, "of them has", "of them have"),
                                    view->chance * 100, point_text(report.space, view->best_guess)));
    }
    if (!report.result.best) return;
    const double best = *report.result.trials[*report.result.best].value;
    if (!report.noise)
        page.running(2,
                     "Each point was measured once: how far its value varies from run to run is not known.");
    else if (*report.noise > 0)
        page.running(2, fmt::format("{} within the noise of the best, itself included.",
                                    counted(within_noise(report, best), "trial lies", "trials lie")));
}

}  // namespace

std::string render_tuning_text(const TuningReport& report, const TextStyle& style) {
    Page page(style);
    write_headline(page, report);
    write_best(page, report);
    if (!style.quiet) {
        write_trials(page, report);
        write_importance(page, report);
        write_uncertainty(page, report);
    }
    return page.take();
}

}  // namespace diskwright
