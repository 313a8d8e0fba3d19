// SPDX-License-Identifier: BSD-2-Clause
// As much of JSON Schema as the published schema uses: type, enum, required, properties,
// additionalProperties, items, minItems, minimum, minLength, $ref to #/$defs/NAME. A keyword it does not know
// is an error.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace diskwright::test {

/// Every violation, with its path; empty when the document is valid.
std::vector<std::string> schema_violations(const nlohmann::ordered_json& schema,
                                           const nlohmann::ordered_json& document);

}  // namespace diskwright::test
