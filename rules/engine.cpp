// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <tuple>

#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {

namespace {

// A command to look with is typed as it stands: a name that a shell would take apart stays out of it.
std::string typed_safely(std::string_view command) {
    constexpr std::string_view shell = ";|&$`<>()\\\"";
    std::string out;
    for (const auto word : words(command)) {
        const bool takes_apart = word.find_first_of(shell) != std::string_view::npos ||
                                 std::any_of(word.begin(), word.end(), [](char c) {
                                     return static_cast<unsigned char>(c) < ' ' || c == 127;
                                 });
        out += (out.empty() ? "" : " ") + (takes_apart ? std::string("NAME") : std::string(word));
    }
    return out;
}

}  // namespace

void Findings::begin_rule(std::string_view code, std::string_view slug, Severity severity, double impact) {
    code_ = code, slug_ = slug, severity_ = severity, impact_ = impact;
}

Findings::Report Findings::report(std::string_view subject) {
    Finding& finding = found.emplace_back();
    finding.code = code_, finding.slug = slug_, finding.severity = severity_, finding.impact = impact_;
    finding.subject = device_name(subject);
    return Report(finding);
}

void Findings::skip(std::string_view subject, std::vector<std::string> missing) {
    for (std::string& item : missing) item = typed_safely(item);
    Skip skip{code_, device_name(subject), std::move(missing)};
    if (std::find(skipped.begin(), skipped.end(), skip) == skipped.end()) skipped.push_back(std::move(skip));
}

const Rule* find_rule(std::string_view code_or_slug) {
    for (const Rule* rule : rule_set())
        if (iequals(rule->info.code, code_or_slug) || iequals(rule->info.slug, code_or_slug)) return rule;
    return nullptr;
}

Judgement judge(const HostFacts& facts, const Thresholds& thresholds, std::string_view workload) {
    const StorageGraph graph(facts);
    const RuleContext context{facts, graph, thresholds, workload};
    Findings findings;
    for (const Rule* rule : rule_set()) {
        findings.begin_rule(rule->info.code, rule->info.slug, rule->info.severity, rule->info.impact);
        const std::size_t before = findings.found.size();
        rule->check(context, findings);
        // What the rule knows of the cost in general, where it has nothing to add for the case at hand.
        for (std::size_t i = before; i < findings.found.size(); ++i)
            if (findings.found[i].cost.empty()) findings.found[i].cost = rule->info.cost;
    }
    Judgement out{std::move(findings.found), std::move(findings.skipped)};
    std::stable_sort(out.findings.begin(), out.findings.end(), [](const Finding& a, const Finding& b) {
        return std::make_tuple(-static_cast<int>(a.severity), -a.impact, a.code,
                               std::string_view(a.subject)) <
               std::make_tuple(-static_cast<int>(b.severity), -b.impact, b.code, std::string_view(b.subject));
    });
    return out;
}

}  // namespace diskwright
