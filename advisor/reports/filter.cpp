// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/reports/explain.hpp"
#include "probes/model/storage_graph.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

Result<Ignore> parse_ignore(std::string_view text) {
    const auto colon = text.find(':');
    const auto rule = rule_named(text.substr(0, colon));
    if (!rule) return rule.error();
    if (colon == std::string_view::npos) return Ignore{std::string((*rule)->info.code), {}};
    const std::string_view subject = text.substr(colon + 1);
    if (subject.empty())
        return Error{ErrorKind::usage, fmt::format("'{}': no subject after the colon", escaped(text))};
    return Ignore{std::string((*rule)->info.code), std::string(subject)};
}

Result<Severity> parse_severity(std::string_view text) {
    if (const auto severity = from_string<Severity>(text)) return *severity;
    const auto meant = nearest(text, EnumNames<Severity>::names);
    return Error{ErrorKind::usage,
                 fmt::format("'{}' is no severity; {}", escaped(text),
                             meant ? fmt::format("did you mean '{}'?", *meant)
                                   : std::string("they are info, notice, warning and error"))};
}

Judgement filtered(Judgement judgement, const FindingFilter& filter) {
    const auto ignored = [&](std::string_view code, const std::string& subject) {
        return std::any_of(filter.ignore.begin(), filter.ignore.end(), [&](const Ignore& ignore) {
            return ignore.code == code && (ignore.subject.empty() || ignore.subject == subject ||
                                           same_device(ignore.subject, subject));
        });
    };
    std::erase_if(judgement.findings, [&](const Finding& f) {
        return f.severity < filter.min_severity || ignored(f.code, f.subject);
    });
    std::erase_if(judgement.skips, [&](const Skip& s) { return ignored(s.code, s.subject); });
    return judgement;
}

}  // namespace diskwright
