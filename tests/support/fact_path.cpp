// SPDX-License-Identifier: BSD-2-Clause
#include "tests/support/fact_path.hpp"

#include <cmath>

#include "probes/support/text.hpp"

namespace diskwright::test {
namespace {

using Json = nlohmann::ordered_json;

std::string_view without_dev(std::string_view name) {
    return name.starts_with("/dev/") ? name.substr(5) : name;
}

std::string plain(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

bool selected(const Json& element, std::string_view selector) {
    for (const auto part : split(selector, ',')) {
        const auto equals = part.find('=');
        const auto at =
            element.is_object() ? element.find(std::string(part.substr(0, equals))) : element.end();
        if (!element.is_object() || at == element.end() || !one_of(plain(*at), part.substr(equals + 1)))
            return false;
    }
    return true;
}

}  // namespace

bool one_of(std::string_view name, std::string_view alternatives) {
    for (const auto a : split(alternatives, '|'))
        if (a == "*" || without_dev(a) == without_dev(name)) return true;
    return false;
}

bool same_value(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) {
        const double x = a.get<double>(), y = b.get<double>();
        return std::abs(x - y) <= 1e-9 * std::max(1.0, std::abs(y));
    }
    if (a.is_string() && b.is_string())
        return without_dev(a.get_ref<const std::string&>()) == without_dev(b.get_ref<const std::string&>());
    return a == b;
}

std::vector<Json> resolve(const Json& facts, std::string_view path) {
    std::vector<Json> nodes{facts};
    bool by_selector = false;
    while (!path.empty()) {
        std::vector<Json> next;
        if (path.front() == '.') {
            path.remove_prefix(1);
            continue;
        }
        if (path.front() == '[') {
            const auto end = path.find(']');
            if (end == std::string_view::npos) return {};
            const auto text = path.substr(1, end - 1);
            path.remove_prefix(end + 1);
            const bool selector = contains(text, "=");
            const auto index = to_unsigned(text);
            for (const Json& node : nodes) {
                if (selector && node.is_array()) {
                    for (const Json& element : node)
                        if (selected(element, text)) next.push_back(element);
                } else if (!selector && index && node.is_array()) {
                    if (*index < node.size()) next.push_back(node[*index]);
                } else if (!selector && node.is_object() && node.contains(std::string(text))) {
                    next.push_back(node[std::string(text)]);
                }
            }
            by_selector = selector;
        } else {
            const auto end = path.find_first_of(".[");
            const auto key = path.substr(0, end);
            path.remove_prefix(key.size());
            if (key == "length" && by_selector) {
                next.emplace_back(nodes.size());
            } else if (key == "length") {
                for (const Json& node : nodes)
                    if (node.is_array()) next.emplace_back(node.size());
            } else {
                for (const Json& node : nodes)
                    if (node.is_object() && node.contains(std::string(key)))
                        next.push_back(node[std::string(key)]);
            }
            by_selector = false;
        }
        nodes = std::move(next);
    }
    return nodes;
}

}  // namespace diskwright::test
