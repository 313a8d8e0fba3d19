// SPDX-License-Identifier: BSD-2-Clause
// --min-severity and --ignore, as pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/support/result.hpp"
#include "rules/rule.hpp"

namespace diskwright {

struct Ignore {
    std::string code;     // of a known rule
    std::string subject;  // empty: whatever the subject
    bool operator==(const Ignore&) const = default;
};

struct FindingFilter {
    Severity min_severity = Severity::info;
    std::vector<Ignore> ignore;
};

/// "CODE" or "CODE:SUBJECT", code or slug in any case. An unknown code is an error that suggests the nearest
/// one.
Result<Ignore> parse_ignore(std::string_view text);
/// "info", "notice", "warning", "error".
Result<Severity> parse_severity(std::string_view text);

/// Without what the filter takes out; --ignore also silences skips of that code and subject. Order is kept.
Judgement filtered(Judgement judgement, const FindingFilter& filter);

}  // namespace diskwright
