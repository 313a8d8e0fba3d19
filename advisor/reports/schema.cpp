// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/reports/schema.hpp"

#include <nlohmann/json.hpp>

#include "probes/model/facts_json.hpp"
#include "probes/model/setting.hpp"
#include "rules/finding.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

Json text() {
    return {{"type", "string"}, {"minLength", 1}};
}
Json any_text() {
    return {{"type", "string"}};
}
Json count(unsigned minimum) {
    return {{"type", "integer"}, {"minimum", minimum}};
}
Json list_of(Json items) {
    return {{"type", "array"}, {"items", std::move(items)}};
}

template <class E>
Json one_of() {
    Json names = Json::array();
    for (const auto name : EnumNames<E>::names) names.push_back(std::string(name));
    return {{"enum", std::move(names)}};
}

/// Closed: whatever is not named is an error. Names that end in '?' may be absent.
Json object_of(std::initializer_list<std::pair<std::string, Json>> members) {
    Json properties = Json::object(), required = Json::array();
    for (const auto& [name, schema] : members) {
        const bool optional = name.back() == '?';
        const std::string key = optional ? name.substr(0, name.size() - 1) : name;
        properties[key] = schema;
        if (!optional) required.push_back(key);
    }
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

Json kinds() {
    return {{"enum", {"output", "prose", "user", "table", "inferred", "device"}}};
}

Json finding_schema() {
    const Json evidence =
        object_of({{"source?", text()}, {"line?", count(1)}, {"kind", kinds()}, {"text?", text()}});
    const Json fix =
        object_of({{"risk", one_of<Risk>()},
                   {"commands", list_of({{"type", "array"}, {"items", any_text()}, {"minItems", 1}})},
                   {"note?", text()}});
    return object_of({{"code", text()},
                      {"slug", text()},
                      {"severity", one_of<Severity>()},
                      {"subject", any_text()},
                      {"message", text()},
                      {"certainty", {{"enum", {"certain", "conditional"}}}},
                      {"condition?", text()},
                      {"evidence", list_of(evidence)},
                      {"cost?", text()},
                      {"fix?", fix}});
}

Json host_schema() {
    const Json skip = object_of({{"code", text()}, {"subject?", text()}, {"missing", list_of(any_text())}});
    const Json value = object_of({{"value", any_text()}, {"source?", text()}, {"line?", count(1)}});
    const Json conflict = object_of({{"what", any_text()},
                                     {"subject?", text()},
                                     {"superseded", {{"type", "boolean"}}},
                                     {"values", list_of(value)}});
    const Json unparsed = object_of(
        {{"source?", text()}, {"first_line?", count(1)}, {"last_line?", count(1)}, {"reason", any_text()}});
    return object_of({{"input", any_text()},
                      {"error?", object_of({{"status", count(64)}, {"message", any_text()}})},
                      {"facts", facts_schema()},
                      {"findings?", list_of(finding_schema())},
                      {"skips?", list_of(skip)},
                      {"conflicts", list_of(conflict)},
                      {"unparsed", list_of(unparsed)}});
}

}  // namespace

Json report_schema() {
    Json schema = {
        {"$schema", "https://json-schema.org/draft/2020-12/schema"},
        {"title", "diskwright audit and show, format version 1"},
        {"description", "One report; a line of --format jsonl is $defs/host alone. See diskwright-json(5)."}};
    schema.update(object_of({{"format_version", {{"enum", {1}}}},
                             {"tool", object_of({{"name", text()}, {"version", any_text()}})},
                             {"argv", list_of(any_text())},
                             {"exit_status", count(0)},
                             {"hosts", list_of({{"$ref", "#/$defs/host"}})}}));
    schema["$defs"] = {{"host", host_schema()}};
    return schema;
}

}  // namespace diskwright
