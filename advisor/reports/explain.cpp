// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/reports/layout.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned reading_width = 79;  // running text, also when the output is no terminal

// One line per element, so that an example reads like a listing.
std::vector<std::string> example_lines(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return {std::string(text)};
    std::vector<std::string> lines{"{"};
    for (auto at = json.begin(); at != json.end(); ++at) {
        const std::string_view comma = std::next(at) == json.end() ? "" : ",";
        if (!at->is_array() || at->empty()) {
            lines.push_back(fmt::format("  \"{}\": {}{}", at.key(), at->dump(), comma));
            continue;
        }
        lines.push_back(fmt::format("  \"{}\": [", at.key()));
        for (std::size_t i = 0; i < at->size(); ++i)
            lines.push_back(fmt::format("    {}{}", (*at)[i].dump(), i + 1 < at->size() ? "," : ""));
        lines.push_back(fmt::format("  ]{}", comma));
    }
    lines.emplace_back("}");
    return lines;
}

void section(Page& page, std::string_view title, std::string_view text) {
    page.blank();
    page.line(0, page.coloured(title, Colour::bold));
    for (const std::string_view paragraph : split_lines(text))
        if (!trim(paragraph).empty()) page.running(4, paragraph);
}

void example(Page& page, std::string_view title, std::string_view json) {
    page.blank();
    page.line(0, page.coloured(title, Colour::bold));
    for (const std::string& line : example_lines(json)) page.line(4, line);
}

Json rule_json(const RuleInfo& info) {
    Json object = Json::object();
    object["code"] = info.code;
    object["slug"] = info.slug;
    object["severity"] = to_string(info.severity);
    object["impact"] = info.impact;
    object["summary"] = info.summary;
    object["why"] = info.why;
    object["cost"] = info.cost;
    object["remedy"] = info.remedy;
    object["bad"] = Json::parse(info.bad, nullptr, false);
    object["good"] = Json::parse(info.good, nullptr, false);
    object["references"] = info.references;
    return object;
}

// ---- mdoc(7)

// A request line begins with '.' or '\''; the escape character is '\'.
std::string mdoc_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
            out += fmt::format("\\&{}", c);
        else
            out += c;
    }
    return out;
}

// New sentence, new line. A dot after one letter or in "e.g." ends none.
std::string sentences(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i] == '\n' ? ' ' : text[i];
        const bool ends = c == ' ' && i >= 3 && (text[i - 1] == '.' || text[i - 1] == '?') &&
                          i + 1 < text.size() && text[i + 1] >= 'A' && text[i + 1] <= 'Z' &&
                          text[i - 2] != '.' && text[i - 3] != '.';
        if (ends)
            out += '\n';
        else if (c != ' ' || (!out.empty() && out.back() != '\n' && out.back() != ' '))
            out += c;
    }
    return out;
}

// Lines that mandoc -Tlint takes. One that ends in a full stop would end a sentence.
std::string folded(std::string_view text) {
    constexpr std::size_t width = 80;
    std::string out;
    for (const auto line : split(text, '\n')) {
        std::size_t length = 0;
        for (const auto word : split(line, ' ')) {
            const bool after_stop =
                !out.empty() && (out.back() == '.' || out.back() == '?' || out.back() == '!');
            if (length > 0 && length + 1 + word.size() > width && !after_stop)
                out += '\n', length = 0;
            else if (length > 0)
                out += ' ', ++length;
            out += word;
            length += word.size();
        }
        out += '\n';
    }
    return out;
}

std::string mdoc_text(std::string_view text) {
    return mdoc_escaped(folded(sentences(trim(text))));
}

std::string mdoc_example(std::string_view title, std::string_view json) {
    std::string out = fmt::format(".Pp\n{}:\n.Bd -literal -compact\n", title);
    for (const std::string& line : example_lines(json)) out += mdoc_escaped(line) + "\n";
    return out + ".Ed\n";
}

std::string_view family_title(std::string_view code) {
    struct Family {
        std::string_view prefix, title;
    };
    static constexpr std::array families{
        Family{"ALIGN", "ALIGNMENT"},
        Family{"CACHE", "WRITE CACHES"},
        Family{"CRYPT", "ENCRYPTION"},
        Family{"DISK", "DISKS"},
        Family{"FFS", "FFS FILE SYSTEMS"},
        Family{"HOST", "THE HOST AND ITS INPUT"},
        Family{"IO", "MEASURED I/O"},
        Family{"JRNL", "JOURNALS"},
        Family{"MOUNT", "MOUNTS"},
        Family{"RAID", "RAID SETS"},
        Family{"ZFS", "ZFS"},
    };
    for (const Family& family : families)
        if (code.starts_with(family.prefix)) return family.title;
    return "OTHER RULES";
}

std::string mdoc_rule(const RuleInfo& info) {
    std::string out = fmt::format(".Ss {} {}\n", info.code, info.slug);
    out += fmt::format("Severity: {}.\n.Pp\n", to_string(info.severity));
    out += mdoc_text(info.summary) + ".Pp\n" + mdoc_text(info.why);
    out += ".Pp\nCost:\n" + mdoc_text(info.cost);
    out += ".Pp\nRemedy:\n" + mdoc_text(info.remedy);
    out += mdoc_example("Reported", info.bad) + mdoc_example("Not reported", info.good);
    out += ".Pp\nReferences:\n" + mdoc_text(info.references);
    return out;
}

constexpr std::string_view mdoc_head = R"(.\" Generated by: diskwright explain --format mdoc
.\" SPDX-License-Identifier: BSD-2-Clause
.Dd November 30, 2026
.Dt DISKWRIGHT-RULES 7
.Os
.Sh NAME
.Nm diskwright-rules
.Nd faults of a storage set-up that diskwright reports
.Sh DESCRIPTION
.Xr diskwright-audit 8
judges what it has read of a host by the rules on this page.
A code is for ever and never used for another fault.
The severity is the usual one; a rule lowers it where the fault costs little, and a finding that holds only under a condition
names the condition and is a notice.
.Pp
A rule that lacks a fact reports nothing and says which command would tell it.
.Pp
Each rule shows a host as
.Xr diskwright-json 5
describes it, once with the fault and once without; the tests run both.
)";

constexpr std::string_view mdoc_tail = R"(.Sh SEE ALSO
.Xr diskwright-json 5 ,
.Xr diskwright 8 ,
.Xr diskwright-audit 8 ,
.Xr diskwright-explain 8
)";

}  // namespace

Result<const Rule*> rule_named(std::string_view code_or_slug) {
    if (const Rule* rule = find_rule(code_or_slug)) return rule;
    std::vector<std::string_view> names;
    for (const Rule* rule : rule_set()) names.push_back(rule->info.code);
    for (const Rule* rule : rule_set()) names.push_back(rule->info.slug);
    const auto meant = nearest(code_or_slug, names);
    return Error{
        ErrorKind::usage,
        meant ? fmt::format("there is no rule '{}'; did you mean '{}'?", escaped(code_or_slug), *meant)
              : fmt::format("there is no rule '{}'; `diskwright explain` lists them", escaped(code_or_slug))};
}

std::string explain_text(const Rule& rule, const TextStyle& style) {
    TextStyle reading = style;
    if (reading.width == 0 || reading.width > reading_width) reading.width = reading_width;
    Page page(reading);
    const RuleInfo& info = rule.info;
    page.paragraph(0, fmt::format("{} {}", info.code, info.slug), colour_of(info.severity),
                   fmt::format("({})", to_string(info.severity)));
    page.paragraph(0, info.summary);
    section(page, "Why", info.why);
    section(page, "Cost", info.cost);
    section(page, "Remedy", info.remedy);
    example(page, "Reported", info.bad);
    example(page, "Not reported", info.good);
    section(page, "References", info.references);
    return page.take();
}

std::string explain_list(std::span<const Rule* const> rules, const TextStyle& style) {
    Page page(style);
    std::size_t widest = 0;
    for (const Rule* rule : rules) widest = std::max(widest, rule->info.slug.size());
    for (const Rule* rule : rules) {
        const RuleInfo& info = rule->info;
        const std::string severity =
            page.coloured(fmt::format("{:<7}", to_string(info.severity)), colour_of(info.severity));
        page.line(0,
                  fmt::format("{:<8} {} {:<{}}  {}", info.code, severity, info.slug, widest, info.summary));
    }
    return page.take();
}

std::string explain_json(std::span<const Rule* const> rules) {
    Json object = Json::object();
    object["format_version"] = 1;
    object["rules"] = Json::array();
    for (const Rule* rule : rules) object["rules"].push_back(rule_json(rule->info));
    return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string explain_mdoc(std::span<const Rule* const> rules) {
    std::string out(mdoc_head);
    std::string_view family;
    for (const Rule* rule : rules) {
        const std::string_view title = family_title(rule->info.code);
        if (title != family) out += fmt::format(".Sh {}\n", title);
        family = title;
        out += mdoc_rule(rule->info);
    }
    return out + std::string(mdoc_tail);
}

}  // namespace diskwright
