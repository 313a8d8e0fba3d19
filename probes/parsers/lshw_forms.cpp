// SPDX-License-Identifier: BSD-2-Clause
// lshw as text and as JSON: the same tree. Before B.02.19 the JSON of -class was objects with commas between
// them and no list around. Format: lyonel/lshw:src/core/print.cc, src/core/dump.cc, src/core/hw.cc.
#include <algorithm>

#include "probes/parsers/json_text.hpp"
#include "probes/parsers/lshw.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

// ---- text ----

// "  *-disk:0 UNCLAIMED" -> disk:0
std::string_view node_id(std::string_view line) {
    const auto w = words(line);
    if (w.empty() || w.size() > 3 || !w[0].starts_with("*-") || w[0].size() < 3) return {};
    for (std::size_t i = 1; i < w.size(); ++i)
        if (w[i] != "UNCLAIMED" && w[i] != "DISABLED") return {};
    return w[0].substr(2);
}

bool is_label(std::string_view text) {
    return text.starts_with("description: ") || text.starts_with("physical id: ") ||
           text.starts_with("product: ") || text.starts_with("logical name: ");
}

// "ansiversion=5 created=2017-06-27 01:36:27 state=clean": a word without "=" goes on with the value before.
void take_configuration(std::string_view text, LshwNode& node) {
    std::string* value = nullptr;
    for (const auto word : words(text)) {
        const auto equals = word.find('=');
        if (equals != std::string_view::npos && equals > 0)
            value = &(node.configuration[std::string(word.substr(0, equals))] = word.substr(equals + 1));
        else if (value)
            value->append(" ").append(word);
    }
}

bool take_text_line(std::string_view text, LshwNode& node) {
    const auto colon = text.find(": ");
    if (colon == std::string_view::npos) return text.ends_with(':');
    const auto key = text.substr(0, colon), value = trim(text.substr(colon + 2));
    if (key == "description") node.description = value;
    if (key == "product") node.product = value;
    if (key == "serial" && value != "[REMOVED]") node.serial = value;
    if (key == "version") node.version = value;
    if (key == "logical name") node.names.emplace_back(value);
    if (key == "configuration") take_configuration(value, node);
    if (key == "capabilities")
        for (const auto word : words(value)) node.capabilities.emplace_back(word);
    return true;
}

// ---- JSON ----

std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

LshwNode node_of(const Json& object, std::size_t depth) {
    LshwNode node;
    node.depth = depth;
    node.id = text_of(object, "id");
    node.description = text_of(object, "description");
    node.product = text_of(object, "product");
    node.serial = text_of(object, "serial");
    if (node.serial == "[REMOVED]") node.serial.clear();
    node.version = text_of(object, "version");
    if (const auto one = text_of(object, "logicalname"); !one.empty()) node.names.push_back(one);
    if (const auto found = object.find("logicalname"); found != object.end() && found->is_array())
        for (const Json& name : *found)
            if (name.is_string()) node.names.push_back(name.get<std::string>());
    if (const auto found = object.find("configuration"); found != object.end() && found->is_object())
        for (const auto& [key, value] : found->items())
            if (value.is_string()) node.configuration[key] = value.get<std::string>();
    if (const auto found = object.find("capabilities"); found != object.end() && found->is_object())
        for (const auto& [key, value] : found->items()) node.capabilities.push_back(key);
    // A count of bytes only where the units say so; memory speeds and others have other units.
    const auto size = object.find("size");
    if (size != object.end() && size->is_number_unsigned() && text_of(object, "units") == "bytes")
        node.size_bytes = size->get<std::uint64_t>();
    return node;
}

void walk(const Json& value, std::size_t depth, std::vector<LshwNode>& nodes) {
    if (value.is_array())
        for (const Json& item : value) walk(item, depth, nodes);
    if (!value.is_object()) return;
    nodes.push_back(node_of(value, depth));
    if (const auto children = value.find("children"); children != value.end())
        walk(*children, depth + 1, nodes);
}

bool is_key(std::string_view line, std::string_view key) {
    const auto text = trim(line);
    return text.starts_with('"') && text.substr(1).starts_with(key) &&
           trim(text.substr(key.size() + 1)).starts_with("\" :");
}

// The evidence of a node is its line "id"; nodes and these lines come in the same order.
void place(const Output& out, std::size_t at, std::size_t end, std::vector<LshwNode>& nodes) {
    std::size_t next = 0;
    for (std::size_t i = at; i < end && next < nodes.size(); ++i)
        if (is_key(out.text(i), "id")) nodes[next++].line = i;
    for (; next < nodes.size(); ++next) nodes[next].line = at;
}

}  // namespace

bool is_lshw_text(const Output& out, std::size_t at) {
    return !node_id(out.text(at)).empty() && is_label(trim(out.text(at + 1)));
}

std::size_t read_lshw_text(const Output& out, std::size_t at, std::vector<LshwNode>& nodes) {
    std::size_t i = at;
    for (; i < out.lines.size(); ++i) {
        const auto line = out.text(i), text = trim(line);
        if (const auto id = node_id(line); !id.empty()) {
            LshwNode node;
            node.id = std::string(id);
            node.line = i;
            node.depth = line.find_first_not_of(' ');
            nodes.push_back(std::move(node));
        } else if (text.empty() || !take_text_line(text, nodes.back())) {
            break;
        }
    }
    return i - at;
}

bool is_lshw_json(const Output& out, std::size_t at) {
    const auto first = trim(out.text(at));
    if (first != "[" && first != "{") return false;
    for (std::size_t i = at + 1; i < at + 4; ++i)
        if (is_key(out.text(i), "id") && is_key(out.text(i + 1), "class")) return true;
    return false;
}

std::size_t read_lshw_json(const Output& out, std::size_t at, std::vector<LshwNode>& nodes, Scribe& scribe) {
    std::size_t i = at;
    do {
        const JsonText text = json_text_at(out, i);
        if (text.lines == 0) break;
        if (const auto json = json_value(text))
            walk(*json, 0, nodes);
        else
            scribe.unparsed(i, i + text.lines - 1, "lshw -json: the JSON is broken or cut");
        i += text.lines;
    } while (is_lshw_json(out, i));
    place(out, at, i, nodes);
    return std::max<std::size_t>(i - at, 1);
}

}  // namespace diskwright
