// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/json_text.hpp"

#include "probes/model/json_object.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// sysstat nests seven deep, lshw as deep as the buses of a machine.
constexpr int deepest = 48;
constexpr std::size_t longest = 200'000;  // lines

}  // namespace

JsonText json_text_at(const Output& out, std::size_t at) {
    JsonText json;
    int depth = 0;
    bool quoted = false;
    for (; at < out.lines.size() && json.lines < longest; ++at) {
        const auto line = out.text(at);
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            if (quoted) {
                if (c == '\\')
                    ++i;
                else if (c == '"')
                    quoted = false;
                continue;
            }
            if (c == '"') quoted = true;
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            if (depth > deepest) return json;
        }
        json.text.append(line).push_back('\n');
        ++json.lines;
        if (depth <= 0) {
            json.complete = depth == 0;
            return json;
        }
    }
    return json;
}

std::optional<nlohmann::ordered_json> json_value(const JsonText& text) {
    if (!text.complete) return std::nullopt;
    auto whole = trim(text.text);
    if (whole.ends_with(',')) whole.remove_suffix(1);
    auto json = parse_json(whole, "output");
    return json.ok() ? std::optional(std::move(json.value())) : std::nullopt;
}

}  // namespace diskwright
