// SPDX-License-Identifier: BSD-2-Clause
// What audit and show have to say, and its forms: JSON, one JSON line per host, text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/model/host_facts.hpp"
#include "probes/support/result.hpp"
#include "rules/rule.hpp"

namespace diskwright {

struct HostReport {
    std::string input;    // as named on the command line, or by --host=NAME
    HostFacts facts;      // empty when the input failed
    Judgement judgement;  // already filtered; empty for show
    std::optional<Error> error;
};

struct Report {
    std::string tool = "diskwright";
    std::string version;
    std::vector<std::string> argv;  // the command line as given
    std::vector<HostReport> hosts;  // in the order of the inputs
    int exit_status = 0;
};

enum class ReportKind { audit, show };

/// For people. width 0: no wrapping (output is no terminal).
struct TextStyle {
    bool colour = false;
    unsigned width = 0;
    bool quiet = false;  // one line per finding, nothing else
};

/// diskwright-json(5). Deterministic: depends on the report alone. Ends with a line end.
std::string render_json(const Report& report, ReportKind kind);
/// One line per host, each the same host object as in "hosts".
std::string render_jsonl(const Report& report, ReportKind kind);
std::string render_text(const Report& report, ReportKind kind, const TextStyle& style);

}  // namespace diskwright
