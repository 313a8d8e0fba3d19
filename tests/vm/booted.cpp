// SPDX-License-Identifier: BSD-2-Clause
#include "tests/vm/booted.hpp"

#include <algorithm>

#include "tests/support/program.hpp"

namespace diskwright::test {

namespace {

// The one host of the report that the program prints of the capture.
nlohmann::ordered_json report(const SnippetResult& snippet, const std::string& look,
                              const std::string& command) {
    const auto result =
        run_program({command, "--format", "json", (snippet.folder / (look + ".tar")).string()});
    auto json = nlohmann::ordered_json::parse(result.output, nullptr, false);
    if (!json.is_discarded()) return json["hosts"][0];
    ADD_FAILURE() << snippet.name << " " << look << ": " << result.errors;
    return {{"findings", nlohmann::ordered_json::array()}, {"facts", nullptr}};
}

}  // namespace

std::vector<std::string> findings(const SnippetResult& snippet, const std::string& look) {
    std::vector<std::string> out;
    const auto host = report(snippet, look, "audit");
    for (const auto& finding : host["findings"])
        out.push_back(finding["code"].get<std::string>() + " " + finding["subject"].get<std::string>());
    std::sort(out.begin(), out.end());
    return out;
}

nlohmann::ordered_json facts(const SnippetResult& snippet, const std::string& look) {
    return report(snippet, look, "show")["facts"];
}

nlohmann::ordered_json named(const nlohmann::ordered_json& list, const std::string& name) {
    for (const auto& item : list)
        if (item.contains("name") && item["name"] == name) return item;
    return {};
}

}  // namespace diskwright::test
