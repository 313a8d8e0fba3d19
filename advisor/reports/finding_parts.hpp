// SPDX-License-Identifier: BSD-2-Clause
// What every form of a report prepares of a finding in the same way.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "probes/model/setting.hpp"
#include "probes/model/storage_graph.hpp"
#include "rules/finding.hpp"

namespace diskwright {

/// Each line once, in the order the rule gave: several facts often come from one line.
std::vector<Provenance> distinct_evidence(const Finding& finding);

struct Fix {
    Risk risk = Risk::none;
    std::vector<std::vector<std::string>> commands;
    std::vector<std::string> notes;  // the rule's own first
};
/// Nothing when the rule has neither a change nor a word of advice.
std::optional<Fix> fix_of(const StorageGraph& host, const Finding& finding);

/// An element of "findings" in diskwright-json(5).
nlohmann::ordered_json finding_to_json(const StorageGraph& host, const Finding& finding);

}  // namespace diskwright
