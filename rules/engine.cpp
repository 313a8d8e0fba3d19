// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <set>
#include <tuple>

#include "probes/support/safe_name.hpp"
#include "probes/support/text.hpp"
#include "rules/rule.hpp"

namespace diskwright {

namespace {

// A command to look with is typed as it stands: what a shell would take apart stays out of it. Words in place
// of a command may have an apostrophe, a path may not.
std::string typed_safely(std::string_view command) {
    constexpr std::string_view shell = ";|&$`<>()\\\"*?[]{}~#!";
    std::string out;
    for (const auto word : words(command)) {
        const bool takes_apart = word.find_first_of(shell) != std::string_view::npos ||
                                 (contains(word, "'") && contains(word, "/")) ||
                                 std::any_of(word.begin(), word.end(), [](char c) {
                                     return static_cast<unsigned char>(c) < ' ' || c == 127;
                                 });
        out += (out.empty() ? "" : " ") + (takes_apart ? std::string("NAME") : std::string(word));
    }
    return out;
}

// The names among the facts that are no names for a shell, or for the command that is given them: "-rf".
std::set<std::string> unsafe_names(const HostFacts& facts) {
    std::set<std::string> out;
    const auto add = [&](const std::string& name) {
        for (const std::string& form : {name, device_name(name)})
            if (!form.empty() && !safe_name(form)) out.insert(form);
    };
    for (const Disk& d : facts.disks) add(d.name);
    for (const PartitionTable& t : facts.tables) add(t.parent);
    for (const Partition& p : facts.partitions) add(p.name), add(p.parent);
    for (const Filesystem& f : facts.filesystems) add(f.device);
    for (const Mount& m : facts.mounts) add(m.point), add(m.device.value_or(""));
    for (const SwapArea& s : facts.swap) add(s.device);
    for (const IoTrace& t : facts.io_traces) add(t.device);
    for (const Volume& v : facts.volumes) {
        add(v.name);
        for (const Component& c : v.components) add(c.name);
    }
    return out;
}

// NAME in the place of the name, where it stands as one.
std::string without_name(std::string text, std::string_view name) {
    constexpr std::string_view before = " /.", behind = " .";
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const auto end = at + name.size();
        if (at > 0 && before.find(text[at - 1]) == std::string_view::npos) continue;
        if (end < text.size() && behind.find(text[end]) == std::string_view::npos) continue;
        text.replace(at, name.size(), "NAME");
    }
    return text;
}

void make_safe_to_type(std::vector<Skip>& skips, const HostFacts& facts) {
    const auto names = unsafe_names(facts);
    for (Skip& skip : skips)
        for (std::string& item : skip.missing) {
            for (const std::string& name : names) item = without_name(std::move(item), name);
            item = typed_safely(item);
        }
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
    make_safe_to_type(findings.skipped, facts);
    Judgement out{std::move(findings.found), std::move(findings.skipped)};
    std::stable_sort(out.findings.begin(), out.findings.end(), [](const Finding& a, const Finding& b) {
        return std::make_tuple(-static_cast<int>(a.severity), -a.impact, a.code,
                               std::string_view(a.subject)) <
               std::make_tuple(-static_cast<int>(b.severity), -b.impact, b.code, std::string_view(b.subject));
    });
    return out;
}

}  // namespace diskwright
