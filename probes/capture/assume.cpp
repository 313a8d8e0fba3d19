// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "probes/capture/assemble.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

// The member that names an element of each list.
struct ListKey {
    std::string_view list, key;
};
constexpr std::array<ListKey, 7> lists{{{"disks", "name"},
                                        {"partitions", "name"},
                                        {"volumes", "name"},
                                        {"filesystems", "device"},
                                        {"swap", "device"},
                                        {"mounts", "point"},
                                        {"fstab", "point"}}};

Error wrong(std::string_view assumption, std::string_view why) {
    return {ErrorKind::usage, fmt::format("--assume {}: {}", escaped(assumption), why)};
}

}  // namespace

Result<bool> assume(HostFacts& facts, std::string_view assumption) {
    const auto equals = assumption.find('=');
    if (equals == std::string_view::npos) return wrong(assumption, "expected FACT=VALUE");
    const auto path = assumption.substr(0, equals), text = assumption.substr(equals + 1);
    const auto first = path.find('.'), last = path.rfind('.');
    if (first == std::string_view::npos || text.empty()) return wrong(assumption, "expected FACT=VALUE");
    const auto list = path.substr(0, first), field = path.substr(last + 1);

    // A number, true or false as such; else a string. "5" of raid levels and of sysctls is a string in the
    // facts.
    const auto json_text = parse_json(text, "--assume");
    const Json parsed = json_text ? *json_text : Json();
    const bool scalar = parsed.is_number() || parsed.is_boolean();
    const Json provenance = {{"source", "--assume"}, {"kind", "user"}, {"text", std::string(assumption)}};
    const auto build = [&](const Json& value) -> Json {
        Json element = Json::object();
        if (list == "sysctls")
            return Json{{"sysctls", {{std::string(path.substr(first + 1)), std::string(text)}}}};
        element[std::string(field)] = value;
        element["provenance"] = {{std::string(field), provenance}};
        if (list == "os") return Json{{"os", element}};
        for (const auto& l : lists)
            if (l.list == list) {
                element[std::string(l.key)] = device_name(path.substr(first + 1, last - first - 1));
                return Json{{std::string(list), Json::array({element})}};
            }
        return {};
    };
    if (list != "os" && list != "sysctls" && first == last)
        return wrong(assumption, "expected LIST.NAME.FACT=VALUE");
    Json json = build(scalar ? parsed : Json(std::string(text)));
    if (json.is_null())
        return wrong(assumption, fmt::format("there is no list of facts named '{}'", escaped(list)));
    auto stated = facts_from_json(json, "--assume");
    if (!stated && scalar) stated = facts_from_json(build(Json(std::string(text))), "--assume");
    if (!stated) return wrong(assumption, stated.error().message);
    merge(facts, std::move(*stated));
    return true;
}

}  // namespace diskwright
