// SPDX-License-Identifier: BSD-2-Clause
// lsblk -P and lsblk -J: the same tree as pairs and as JSON. Key names of -P have "_" for "-" since 2.37.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "probes/parsers/lsblk.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t deepest = 24;          // layers of a tree; more is no host of ours
constexpr std::size_t longest_json = 20000;  // lines

std::string column_name(std::string_view key) {
    std::string out;
    for (const char c : key)
        out += c == '_' ? '-' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return out;
}

std::string json_text(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
    if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
    if (value.is_array() && !value.empty()) return json_text(value.front());
    return {};
}

// JSON keeps no lines, so a value's evidence is the line that first names the device.
std::map<std::string, std::size_t, std::less<>> lines_of_names(const Output& out, std::size_t from,
                                                               std::size_t to) {
    constexpr std::string_view key = "\"name\"";
    std::map<std::string, std::size_t, std::less<>> lines;
    for (std::size_t i = from; i <= to; ++i)
        for (auto rest = after(out.text(i), key); rest; rest = after(*rest, key))
            if (const auto name = between(*rest, "\"", "\"")) lines.emplace(*name, i);
    return lines;
}

void walk(const nlohmann::json& list, std::size_t depth, std::vector<BlockNode>& nodes) {
    if (!list.is_array() || depth > deepest) return;
    for (const auto& item : list) {
        if (!item.is_object()) continue;
        BlockNode node;
        node.depth = depth;
        for (const auto& [key, value] : item.items()) {
            const std::string column = column_name(key);
            if (column == "CHILDREN") continue;
            auto text = json_text(value);
            if (column == "NAME")
                node.name = text;
            else if (!text.empty())
                node.values.emplace(column, std::move(text));
        }
        if (node.name.empty()) continue;
        nodes.push_back(std::move(node));
        if (const auto children = item.find("children"); children != item.end())
            walk(*children, depth + 1, nodes);
    }
}

}  // namespace

bool is_lsblk_pairs(std::string_view line) {
    line = trim(line);
    return (line.starts_with("NAME=\"") || line.starts_with("KNAME=\"")) &&
           line.find("\" ") != std::string_view::npos;
}

std::size_t read_lsblk_pairs(const Output& out, std::size_t at, std::vector<BlockNode>& nodes,
                             Scribe& scribe) {
    std::size_t i = at;
    std::map<std::string, std::size_t, std::less<>> depth_of;
    for (; i < out.lines.size() && is_lsblk_pairs(out.text(i)); ++i) {
        BlockNode node;
        node.line = i;
        auto rest = trim(out.text(i));
        while (!rest.empty()) {
            const auto equals = rest.find("=\"");
            const auto close = equals == std::string_view::npos ? equals : rest.find('"', equals + 2);
            if (close == std::string_view::npos) {
                scribe.unparsed(i, i, "lsblk -P: a value without its closing quote");
                break;
            }
            const std::string key = column_name(trim(rest.substr(0, equals)));
            // The model of a SCSI drive is padded with blanks.
            const auto value = trim(rest.substr(equals + 2, close - equals - 2));
            if (key == "NAME")
                node.name = std::string(value);
            else if (!value.empty())
                node.values.emplace(key, value);
            rest = trim(rest.substr(close + 1));
        }
        if (node.name.empty()) node.name = std::string(node.value("KNAME"));
        if (node.name.empty()) continue;
        const auto parent = depth_of.find(node.value("PKNAME"));
        if (!node.value("PKNAME").empty())
            node.depth = parent == depth_of.end() ? 1 : parent->second + 1;
        else if (node.value("TYPE") == "part")
            node.depth = 1;
        depth_of.emplace(node.value("KNAME").empty() ? node.name : std::string(node.value("KNAME")),
                         node.depth);
        nodes.push_back(std::move(node));
    }
    return i - at;
}

bool is_lsblk_json(const Output& out, std::size_t at) {
    const auto line = trim(out.text(at));
    return line.starts_with("{") && (contains(line, "\"blockdevices\"") ||
                                     (line == "{" && contains(out.text(at + 1), "\"blockdevices\"")));
}

std::size_t read_lsblk_json(const Output& out, std::size_t at, std::vector<BlockNode>& nodes,
                            Scribe& scribe) {
    std::string text;
    long open = 0;
    bool quoted = false;
    std::size_t i = at;
    for (; i < out.lines.size() && i < at + longest_json; ++i) {
        const auto line = out.text(i);
        for (std::size_t c = 0; c < line.size(); ++c) {
            if (quoted && line[c] == '\\')
                ++c;
            else if (line[c] == '"')
                quoted = !quoted;
            else if (!quoted && line[c] == '{')
                ++open;
            else if (!quoted && line[c] == '}')
                --open;
        }
        text += line;
        text += '\n';
        if (open <= 0) break;
    }
    const std::size_t last = std::min(i, out.lines.size() - 1);
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("blockdevices")) {
        scribe.unparsed(at, last, "lsblk -J: the JSON is broken or cut");
        return last - at + 1;
    }
    walk(json["blockdevices"], 0, nodes);
    const auto lines = lines_of_names(out, at, last);
    for (BlockNode& node : nodes) {
        const auto found = lines.find(node.name);
        node.line = found == lines.end() ? at : found->second;
    }
    return last - at + 1;
}

}  // namespace diskwright
