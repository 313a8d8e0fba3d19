// SPDX-License-Identifier: BSD-2-Clause
// A rule is one file with one Rule, one row in rule_set.cpp, and one table in tests/rules.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/model/storage_graph.hpp"
#include "rules/finding.hpp"
#include "rules/thresholds.hpp"

namespace diskwright {

/// All a rule may look at.
struct RuleContext {
    const HostFacts& host;
    const StorageGraph& graph;
    const Thresholds& thresholds;
    std::string_view workload;  // of --for: mail, database, build, ...; empty when not stated
};

/// The same text explains the rule, generates diskwright-rules(7) and is tested.
struct RuleInfo {
    std::string_view code;  // for ever
    std::string_view slug;  // names the fault; the file's name with '-' for '_'
    Severity severity;
    double impact;  // default rank among rules of one severity: times slower; 100 and up: data at risk
    std::string_view summary;  // one line, present tense
    std::string_view why;      // the mechanism, when it matters and when it does not
    std::string_view cost;     // with figures and their source where one is known
    std::string_view remedy;   // what to do, per system where they differ
    std::string_view bad,
        good;  // facts as JSON (diskwright-json(5), the "facts" object): bad fires, good is silent
    std::string_view references;  // man pages, sources
};

struct Rule {
    RuleInfo info;
    void (*check)(const RuleContext&, Findings&);
};

/// All rules, sorted by code.
std::span<const Rule* const> rule_set();
/// Null when there is no such rule; code in any case, or the slug.
const Rule* find_rule(std::string_view code_or_slug);

struct Judgement {
    std::vector<Finding> findings;  // worst first: severity, impact, code, subject
    std::vector<Skip> skips;        // by code, then subject
};
Judgement judge(const HostFacts& facts, const Thresholds& thresholds = {}, std::string_view workload = {});

}  // namespace diskwright
