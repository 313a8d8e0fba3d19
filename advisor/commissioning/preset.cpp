// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/preset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/commissioning/preset_files.hpp"
#include "probes/model/json_object.hpp"
#include "probes/support/nearest.hpp"

namespace diskwright {

std::vector<std::string_view> preset_names() {
    std::vector<std::string_view> names;
    for (const EmbeddedFile& file : preset_files()) names.push_back(file.name);
    return names;
}

Result<Preset> bundled_preset(std::string_view name) {
    const auto files = preset_files();
    const auto file =
        std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& f) { return f.name == name; });
    if (file != files.end()) {
        auto preset = preset_from_text(file->text, file->name);
        if (preset) preset->name = name;
        return preset;
    }
    const auto names = preset_names();
    const auto near = nearest(name, names);
    return Error{ErrorKind::usage,
                 fmt::format("there is no preset '{}'{}; there are {}", name,
                             near ? fmt::format("; did you mean '{}'?", *near) : "", fmt::join(names, ", "))};
}

Result<Preset> preset_from_text(std::string_view text, std::string_view source) {
    const auto json = parse_json(text, source);
    if (!json) return json.error();
    Preset preset;
    preset.name = source;
    JsonObject top(*json, source);
    const auto* configuration = top.any("configuration");
    auto machine = configuration_from_json(configuration ? *configuration : *json, source);
    if (!machine) return machine.error();
    preset.machine = std::move(*machine);
    if (!configuration) return preset;
    preset.title = top.text("title").value_or("");
    preset.source = top.text("source").value_or("");
    preset.workload = top.text("for").value_or("");
    preset.repeats_to = top.number("repeats_to").value_or(0);
    if (const auto* landscape = top.any("landscape")) preset.landscape = landscape->dump();
    if (const auto* profile = top.any("profile")) {
        auto read = profile_from_json(*profile, fmt::format("{}: profile", source));
        if (!read) return read.error();
        preset.profile = std::move(*read);
    }
    top.reject_unknown_keys();
    if (top.error()) return *top.error();
    return preset;
}

}  // namespace diskwright
