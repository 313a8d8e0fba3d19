// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <array>

#include "probes/capture/assemble.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

struct NamedSystem {
    std::string_view word;
    Os os;
};
constexpr std::array<NamedSystem, 4> systems{{{"netbsd", Os::netbsd},
                                              {"freebsd", Os::freebsd},
                                              {"openbsd", Os::openbsd},
                                              {"dragonfly", Os::dragonfly}}};
constexpr std::array<std::string_view, 8> suffixes{"-release", "-rc",    "-stable",     "-current",
                                                   "-beta",    "-alpha", "-prerelease", "_release"};

std::string_view without_punctuation(std::string_view word) {
    constexpr std::string_view marks = ".,;:!?()[]\"'`";
    while (!word.empty() && marks.find(word.front()) != std::string_view::npos) word.remove_prefix(1);
    while (!word.empty() && marks.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
    return word;
}

// "9.1", "6.0.3": digits around single points.
bool is_version(std::string_view text) {
    const auto parts = split(text, '.');
    return parts.size() >= 2 && parts.size() <= 3 &&
           std::all_of(parts.begin(), parts.end(),
                       [](std::string_view p) { return p.size() <= 2 && to_unsigned(p).has_value(); });
}

bool has_suffix(std::string_view word) {
    const auto end = word.find_first_of("-_");
    if (end == std::string_view::npos || !is_version(word.substr(0, end))) return false;
    const std::string rest = lowercase(word.substr(end));
    return std::any_of(suffixes.begin(), suffixes.end(),
                       [&](std::string_view s) { return rest.starts_with(s); });
}

std::optional<Os> system_named(std::string_view word) {
    for (const auto& s : systems)
        if (iequals(word, s.word)) return s.os;
    return std::nullopt;
}

}  // namespace

std::optional<ProseRelease> release_in_prose(const std::vector<std::vector<TextLine>>& paragraphs_above,
                                             const std::string& source) {
    for (auto paragraph = paragraphs_above.rbegin(); paragraph != paragraphs_above.rend(); ++paragraph) {
        std::vector<ProseRelease> found;
        std::optional<Os> system_before;
        for (const TextLine& line : *paragraph)
            for (const auto raw : words(line.text)) {
                auto word = without_punctuation(raw);
                // "NetBSD-6.0", "FreeBSD/amd64"
                std::optional<Os> glued;
                for (const auto& s : systems)
                    if (word.size() > s.word.size() && iequals(word.substr(0, s.word.size()), s.word) &&
                        (word[s.word.size()] == '-' || word[s.word.size()] == '/')) {
                        glued = s.os;
                        word.remove_prefix(s.word.size() + 1);
                        break;
                    }
                // "NetBSD/i386 1.6.2": the port stands between.
                if (glued && !is_version(word) && !has_suffix(word)) {
                    system_before = glued;
                    continue;
                }
                if (const auto named = system_named(word)) {
                    system_before = named;
                    continue;
                }
                const auto os = glued ? glued : system_before;
                if (has_suffix(word) || (os && is_version(word))) {
                    const bool known = std::any_of(found.begin(), found.end(),
                                                   [&](const ProseRelease& r) { return r.release == word; });
                    if (!known)
                        found.push_back(
                            {std::string(word), os,
                             Provenance(source, line.number, line.text, Provenance::Kind::prose)});
                }
                system_before.reset();
            }
        if (found.size() == 1) return found.front();
        if (!found.empty()) return std::nullopt;  // the nearest paragraph that names one names several
    }
    return std::nullopt;
}

}  // namespace diskwright
