// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/schema.hpp"

#include <algorithm>
#include <set>

namespace diskwright::test {
namespace {

using Json = nlohmann::ordered_json;

bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
}

struct Validator {
    const Json& root;
    std::vector<std::string> violations;

    void fail(const std::string& path, const std::string& what) { violations.push_back(path + ": " + what); }

    void known_keywords(const Json& schema, const std::string& path) {
        static const std::set<std::string> known{
            "$schema", "$defs",    "$ref",     "title",      "description",
            "type",    "enum",     "required", "properties", "additionalProperties",
            "items",   "minItems", "minimum",  "minLength"};
        for (const auto& [keyword, value] : schema.items())
            if (!known.contains(keyword)) fail(path, "schema keyword " + keyword);
    }

    void object(const Json& schema, const Json& value, const std::string& path) {
        if (schema.contains("required"))
            for (const auto& name : schema["required"])
                if (!value.contains(name.get<std::string>())) fail(path, "lacks " + name.get<std::string>());
        const Json none = Json::object();
        const Json& properties = schema.contains("properties") ? schema["properties"] : none;
        for (const auto& [key, member] : value.items()) {
            if (properties.contains(key))
                check(properties[key], member, path + "." + key);
            else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
                check(schema["additionalProperties"], member, path + "." + key);
            else if (schema.contains("additionalProperties") && schema["additionalProperties"] == false)
                fail(path, "unknown key " + key);
        }
    }

    void check(const Json& schema, const Json& value, const std::string& path) {
        known_keywords(schema, path);
        if (schema.contains("$ref")) {
            const std::string reference = schema["$ref"].get<std::string>();
            const std::string prefix = "#/$defs/";
            if (!reference.starts_with(prefix) || !root["$defs"].contains(reference.substr(prefix.size())))
                return fail(path, "dangling " + reference);
            return check(root["$defs"][reference.substr(prefix.size())], value, path);
        }
        if (schema.contains("type") && !has_type(value, schema["type"].get<std::string>()))
            return fail(path, "is no " + schema["type"].get<std::string>());
        if (schema.contains("enum") &&
            std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
            fail(path, value.dump() + " is none of " + schema["enum"].dump());
        if (schema.contains("minimum") && value.get<double>() < schema["minimum"].get<double>())
            fail(path, "below the minimum");
        if (schema.contains("minLength") &&
            value.get_ref<const std::string&>().size() < schema["minLength"].get<std::size_t>())
            fail(path, "too short");
        if (schema.contains("minItems") && value.size() < schema["minItems"].get<std::size_t>())
            fail(path, "too few items");
        if (value.is_object()) object(schema, value, path);
        if (value.is_array() && schema.contains("items"))
            for (std::size_t i = 0; i < value.size(); ++i)
                check(schema["items"], value[i], path + "[" + std::to_string(i) + "]");
    }
};

}  // namespace

std::vector<std::string> schema_violations(const Json& schema, const Json& document) {
    Validator validator{schema, {}};
    validator.check(schema, document, "$");
    return std::move(validator.violations);
}

}  // namespace diskwright::test
