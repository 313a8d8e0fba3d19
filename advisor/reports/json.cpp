// SPDX-License-Identifier: BSD-2-Clause
// diskwright-json(5). Every string passes escaped(): a report may end up on a terminal unseen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "advisor/reports/exit_status.hpp"
#include "advisor/reports/finding_parts.hpp"
#include "advisor/reports/report.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json text_list(const std::vector<std::string>& texts) {
    Json list = Json::array();
    for (const std::string& text : texts) list.push_back(escaped(text));
    return list;
}

void put_text(Json& object, const char* key, std::string_view text) {
    if (!text.empty()) object[key] = escaped(text);
}

void put_place(Json& object, const Provenance& from) {
    put_text(object, "source", from.source());
    if (from.line()) object["line"] = from.line();
}

Json evidence_json(const Provenance& from) {
    Json object = provenance_to_json(from);
    put_text(object, "text", from.text());
    return object;
}

Json fix_json(const Fix& fix) {
    Json object = Json::object();
    object["risk"] = to_string(fix.risk);
    object["commands"] = Json::array();
    for (const auto& argv : fix.commands) object["commands"].push_back(text_list(argv));
    put_text(object, "note", fmt::format("{}", fmt::join(fix.notes, "; ")));
    return object;
}

Json skip_json(const Skip& skip) {
    Json object = Json::object();
    object["code"] = skip.code;
    put_text(object, "subject", skip.subject);
    object["missing"] = text_list(skip.missing);
    return object;
}

Json conflict_json(const Conflict& conflict) {
    Json object = Json::object();
    object["what"] = escaped(conflict.what);
    put_text(object, "subject", conflict.subject);
    object["superseded"] = conflict.superseded;
    object["values"] = Json::array();
    for (const Conflict::Value& value : conflict.values) {
        Json entry = Json::object();
        entry["value"] = escaped(value.value);
        put_place(entry, value.from);
        object["values"].push_back(std::move(entry));
    }
    return object;
}

Json unparsed_json(const Unparsed& lines) {
    Json object = Json::object();
    put_text(object, "source", lines.source);
    if (lines.first_line) object["first_line"] = lines.first_line;
    if (lines.last_line) object["last_line"] = lines.last_line;
    object["reason"] = escaped(lines.reason);
    return object;
}

template <class List, class Make>
Json list_json(const List& list, Make make) {
    Json array = Json::array();
    for (const auto& element : list) array.push_back(make(element));
    return array;
}

Json host_json(const HostReport& host, ReportKind kind) {
    Json object = object_for(8);
    object["input"] = escaped(host.input);
    if (host.error) {
        object["error"] =
            Json{{"status", exit_status(host.error->kind)}, {"message", escaped(host.error->message)}};
    }
    object["facts"] = facts_to_json(host.facts, true);
    if (kind == ReportKind::audit) {
        const StorageGraph graph(host.facts);
        object["findings"] =
            list_json(host.judgement.findings, [&](const Finding& f) { return finding_to_json(graph, f); });
        object["skips"] = list_json(host.judgement.skips, skip_json);
    }
    object["conflicts"] = list_json(host.facts.conflicts, conflict_json);
    object["unparsed"] = list_json(host.facts.unparsed, unparsed_json);
    return object;
}

// The strings are valid UTF-8 after escaped(); replacing instead of throwing is for rule texts that are not
// ours.
std::string dumped(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Json finding_to_json(const StorageGraph& host, const Finding& finding) {
    Json object = Json::object();
    object["code"] = finding.code;
    object["slug"] = finding.slug;
    object["severity"] = to_string(finding.severity);
    object["subject"] = escaped(finding.subject);
    object["message"] = escaped(finding.message);
    object["certainty"] = finding.condition.empty() ? "certain" : "conditional";
    put_text(object, "condition", finding.condition);
    object["evidence"] = Json::array();
    for (const Provenance& from : distinct_evidence(finding))
        object["evidence"].push_back(evidence_json(from));
    put_text(object, "cost", finding.cost);
    if (const auto fix = fix_of(host, finding)) object["fix"] = fix_json(*fix);
    return object;
}

JsonHost render_json_host(const HostReport& host, ReportKind kind) {
    // A line end in the text is one of the layout: those of strings are escaped.
    std::string text;
    for (const char c : dumped(host_json(host, kind), 2)) {
        text += c;
        if (c == '\n') text += "    ";
    }
    text.resize(text.find_last_not_of(" \n") + 1);
    return {std::move(text)};
}

std::string render_json(const Report& head, std::span<const JsonHost> hosts) {
    Json object = Json::object();
    object["format_version"] = 1;
    object["tool"] = Json{{"name", escaped(head.tool)}, {"version", escaped(head.version)}};
    object["argv"] = text_list(head.argv);
    object["exit_status"] = head.exit_status;
    if (hosts.empty()) {
        object["hosts"] = Json::array();
        return dumped(object, 2);
    }
    std::string text = dumped(object, 2);
    text.resize(text.rfind("\n}"));
    text += ",\n  \"hosts\": [";
    for (const JsonHost& host : hosts) {
        text += &host == hosts.data() ? "\n    " : ",\n    ";
        text += host.text;
    }
    return text + "\n  ]\n}\n";
}

std::string render_json(const Report& report, ReportKind kind) {
    std::vector<JsonHost> hosts;
    for (const HostReport& host : report.hosts) hosts.push_back(render_json_host(host, kind));
    return render_json(report, hosts);
}

std::string render_jsonl(const HostReport& host, ReportKind kind) {
    return dumped(host_json(host, kind), -1);
}

std::string render_jsonl(const Report& report, ReportKind kind) {
    std::string out;
    for (const HostReport& host : report.hosts) out += render_jsonl(host, kind);
    return out;
}

}  // namespace diskwright
