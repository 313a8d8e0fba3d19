// SPDX-License-Identifier: BSD-2-Clause
// Paths into the JSON facts, as the case files write them:
//   collection, then .key, .length, [index], [key=value,key=value] (a value may offer alternatives:
//   [name=gm0|mirror/gm0]), [key] for a map whose keys hold dots. A selector that picks several elements
//   leads to all of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace diskwright::test {

/// Everything the path leads to; empty when it leads nowhere.
std::vector<nlohmann::ordered_json> resolve(const nlohmann::ordered_json& facts, std::string_view path);
/// Equal, where /dev/ before a name does not count and numbers may differ by rounding.
bool same_value(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);
/// name is one of "a|b"; "*" takes any.
bool one_of(std::string_view name, std::string_view alternatives);

}  // namespace diskwright::test
