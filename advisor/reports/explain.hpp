// SPDX-License-Identifier: BSD-2-Clause
// What a rule means: for a terminal, as JSON, and as the manual page diskwright-rules(7).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "advisor/reports/report.hpp"
#include "probes/support/result.hpp"
#include "rules/rule.hpp"

namespace diskwright {

/// The rule of that code or slug, in any case; the error suggests the nearest one.
Result<const Rule*> rule_named(std::string_view code_or_slug);

/// Why, cost, remedy, a bad and a good example, references.
std::string explain_text(const Rule& rule, const TextStyle& style);
/// One line per rule: code, severity, slug, summary.
std::string explain_list(std::span<const Rule* const> rules, const TextStyle& style);
/// {"format_version", "rules": [...]}, whole rules.
std::string explain_json(std::span<const Rule* const> rules);
/// diskwright-rules(7).
std::string explain_mdoc(std::span<const Rule* const> rules);

}  // namespace diskwright
