// SPDX-License-Identifier: BSD-2-Clause
// What audit and show have to say, and its forms: JSON, one JSON line per host, text.
#pragma once

#include <array>
#include <optional>
#include <span>
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
    std::vector<std::string> not_looked_at =
        {};  // commands and devices that could not be asked, or did not answer
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

/// The same in pieces, so that of many hosts only the text need be kept.
struct JsonHost {
    std::string text;  // as it stands in "hosts"
};
JsonHost render_json_host(const HostReport& host, ReportKind kind);
/// `head`: the report; its hosts are not looked at.
std::string render_json(const Report& head, std::span<const JsonHost> hosts);
std::string render_jsonl(const HostReport& host, ReportKind kind);
std::string render_text(const HostReport& host, ReportKind kind, const TextStyle& style);

/// How it went with the hosts, counted as they come.
struct HostTally {
    std::size_t hosts = 0, failed = 0, clean = 0;
    std::array<std::size_t, EnumNames<Severity>::names.size()> worst{};  // hosts by their worst finding
    std::optional<ErrorKind> first_error;

    void add(const HostReport& host);
    void add(const HostTally& other);  // of hosts that come later
};
HostTally tally_of(std::span<const HostReport> hosts);
/// What follows the hosts of a text report, or nothing.
std::string render_totals(const HostTally& tally, ReportKind kind, const TextStyle& style);

}  // namespace diskwright
