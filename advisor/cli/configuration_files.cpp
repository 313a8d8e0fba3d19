// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/configuration_files.hpp"

#include <fmt/format.h>

#include "probes/capture/document.hpp"
#include "probes/model/json_object.hpp"

namespace diskwright {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{32} << 20;

}  // namespace

Result<std::vector<nlohmann::ordered_json>> configurations_in(const std::string& path, bool lines) {
    LoadLimits limits;
    limits.bytes = limits.document_bytes = max_file_bytes;
    const auto text = load_file(path, limits);
    if (!text) return text.error();
    std::vector<nlohmann::ordered_json> out;
    if (!lines) {
        auto json = parse_json(*text, path);
        if (!json) return json.error();
        out.push_back(std::move(*json));
        return out;
    }
    std::size_t line = 0;
    for (std::string_view rest = *text; !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string_view one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        ++line;
        if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        auto json = parse_json(one, fmt::format("{}:{}", path, line));
        if (!json) return json.error();
        out.push_back(std::move(*json));
        if (out.size() > most_configurations)
            return Error{ErrorKind::usage, fmt::format("more than {} configurations", most_configurations)};
    }
    if (out.empty()) return Error{ErrorKind::bad_data, path + ": no configuration"};
    return out;
}

}  // namespace diskwright
