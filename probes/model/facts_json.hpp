// SPDX-License-Identifier: BSD-2-Clause
// Facts to and from the JSON of diskwright-json(5), and the schema that describes it.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "probes/model/host_facts.hpp"
#include "probes/support/result.hpp"

namespace diskwright {

/// Empty, with room for that many keys: an object that grows copies all it holds.
nlohmann::ordered_json object_for(std::size_t keys);

/// The "facts" object. Unknown values are absent. Each element with known values carries "provenance": {key:
/// {"source", "line", "kind"}} when asked for.
nlohmann::ordered_json facts_to_json(const HostFacts& facts, bool with_provenance);
nlohmann::ordered_json provenance_to_json(const Provenance& from);

/// The reverse. A value without provenance gets `source` with line 0 and "key: value" as its text. Unknown
/// keys, wrong types and unknown enumerators are errors that name the path.
Result<HostFacts> facts_from_json(const nlohmann::ordered_json& json, std::string_view source);
Result<HostFacts> facts_from_text(std::string_view json, std::string_view source);

/// The JSON Schema (draft 2020-12) of the "facts" object.
nlohmann::ordered_json facts_schema();

/// A known value as people write it: 16384, on, [rw, log].
std::string value_text(const Text& value);
std::string value_text(const Number& value);
std::string value_text(const Real& value);
std::string value_text(const Flag& value);
std::string value_text(const TextList& value);
template <class E>
std::string value_text(const Known<E>& value) {
    return std::string(to_string(*value));
}

}  // namespace diskwright
