// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/cli/word_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "probes/support/nearest.hpp"

namespace diskwright {

CLI::Validator one_of(std::vector<std::string> words) {
    const std::string list = fmt::format("{}", fmt::join(words, ", "));
    return {[=](const std::string& text) {
                if (std::find(words.begin(), words.end(), text) != words.end()) return std::string{};
                const std::vector<std::string_view> views(words.begin(), words.end());
                const auto meant = nearest(text, views);
                return fmt::format("'{}' is none of {}{}", text, list,
                                   meant ? fmt::format("; did you mean '{}'?", *meant) : "");
            },
            list};
}

std::string meant_option(const CLI::App& command, const std::vector<std::string>& words) {
    std::vector<std::string> names;
    for (const CLI::App* app = &command; app; app = app->get_parent())
        for (const CLI::Option* option : app->get_options())
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    for (const std::string& word : words) {
        if (word == "--") break;
        const std::string name = word.substr(0, word.find('='));
        if (!name.starts_with("--") || std::find(names.begin(), names.end(), name) != names.end()) continue;
        const auto meant = nearest(name, views);
        return meant ? fmt::format("; did you mean '{}'?", *meant) : std::string{};
    }
    return {};
}

}  // namespace diskwright
