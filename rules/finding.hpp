// SPDX-License-Identifier: BSD-2-Clause
// What a rule reports: a finding, or that it could not look.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/model/setting.hpp"

namespace diskwright {

enum class Severity { info, notice, warning, error };
template <>
struct EnumNames<Severity> {
    static constexpr std::array<std::string_view, 4> names{"info", "notice", "warning", "error"};
};

struct Finding {
    std::string_view code, slug;
    Severity severity = Severity::info;
    std::string subject;
    std::string message;               // one sentence, present tense
    std::string condition;             // not empty: conditional, holds only if this is so
    std::vector<Provenance> evidence;  // at least one
    std::string cost;                  // with a figure where one is known, and its source
    std::vector<Change> changes;       // the fix; all of it belongs together
    std::string note;                  // what the commands do not say, or what to do when there are none
    double impact = 1;  // rank among findings of one severity: times slower, or 100 for data at risk
};

struct Skip {
    std::string_view code;
    std::string subject;
    std::vector<std::string>
        missing;  // commands to run, or facts to give: "raidctl -S raid0", "--for WORKLOAD"
    bool operator==(const Skip&) const = default;
};

/// Collects for one rule at a time.
class Findings {
 public:
    class Report {
     public:
        explicit Report(Finding& finding) : finding_(finding) {}
        Report& severity(Severity s) { return finding_.severity = s, *this; }
        /// At most `s`: for rules that lower their severity.
        Report& at_most(Severity s) {
            if (finding_.severity > s) finding_.severity = s;
            return *this;
        }
        Report& message(std::string text) { return finding_.message = std::move(text), *this; }
        /// Also lowers the severity to notice: what may not be so is no warning.
        Report& conditional(std::string condition) {
            finding_.condition = std::move(condition);
            return at_most(Severity::notice);
        }
        Report& evidence(const Provenance& from) {
            if (!from.empty()) finding_.evidence.push_back(from);
            return *this;
        }
        template <class T>
        Report& evidence(const Known<T>& fact) {
            return evidence(fact.from());
        }
        Report& cost(std::string text) { return finding_.cost = std::move(text), *this; }
        Report& change(Setting setting, std::string subject, SettingValue value) {
            finding_.changes.push_back({setting, std::move(subject), std::move(value)});
            return *this;
        }
        Report& note(std::string text) { return finding_.note = std::move(text), *this; }
        Report& impact(double factor) { return finding_.impact = factor, *this; }

     private:
        Finding& finding_;
    };

    void begin_rule(std::string_view code, std::string_view slug, Severity severity, double impact);
    /// Subject as the input names it, without /dev/. Fill in the rest through what is returned, before the
    /// next call.
    Report report(std::string_view subject);
    void skip(std::string_view subject, std::vector<std::string> missing);

    std::vector<Finding> found;
    std::vector<Skip> skipped;

 private:
    std::string_view code_, slug_;
    Severity severity_ = Severity::info;
    double impact_ = 1;
};

}  // namespace diskwright
