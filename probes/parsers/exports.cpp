// SPDX-License-Identifier: BSD-2-Clause
// exports(5) of the BSDs and of Linux, and what showmount -e and exportfs -v print:
//   /home -maproot=root -network 192.168.1.0 -mask 255.255.255.0
//   /srv 192.168.1.0/24(rw,sync,no_subtree_check)
// Which file system a directory lies on is for whoever knows the mounts.
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t longest_path = 4096, most_exports = 10000;

bool at_prompt(const Output& out) {
    return out.program() == "showmount" || out.program() == "exportfs" ||
           std::any_of(out.argv.begin(), out.argv.end(),
                       [](const std::string& word) { return word.ends_with("/exports"); });
}

bool is_bsd_option(std::string_view word) {
    constexpr std::array<std::string_view, 10> options{"-alldirs", "-ro",     "-network",    "-mask",
                                                       "-maproot", "-mapall", "-noresvport", "-sec",
                                                       "-webnfs",  "-quiet"};
    const auto name = word.substr(0, word.find('='));
    return std::find(options.begin(), options.end(), name) != options.end();
}

// host(options) of Linux, with at least one option that nothing else has.
bool is_client(std::string_view word) {
    if (!word.ends_with(')')) return false;
    const auto list = between(word, "(", ")");
    if (!list) return false;
    for (const auto option : split(*list, ','))
        if (option == "rw" || option == "ro" || option == "sync" || option == "async" ||
            option.starts_with("no_"))
            return true;
    return false;
}

bool is_entry(const Output& out, std::size_t at) {
    const auto w = words(out.text(at));
    if (w.empty() || !w[0].starts_with('/')) return false;
    if (at_prompt(out)) return true;
    return std::any_of(w.begin() + 1, w.end(),
                       [](auto word) { return is_bsd_option(word) || is_client(word); });
}

bool starts(const Output& out, std::size_t at) {
    return is_entry(out, at);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at;
    for (; next < out.lines.size(); ++next) {
        const auto text = trim(out.text(next));
        if (!is_entry(out, next)) {
            if ((text.starts_with('#') || text.empty()) && next + 1 < out.lines.size() &&
                is_entry(out, next + 1))
                continue;
            break;
        }
        const auto w = words(text);
        std::size_t paths = 0;
        while (paths < w.size() && w[paths].starts_with('/')) ++paths;
        const auto clients = paths < w.size()
                                 ? text.substr(static_cast<std::size_t>(w[paths].data() - text.data()))
                                 : std::string_view{};
        for (std::size_t i = 0; i < paths; ++i) {
            if (w[i].size() > longest_path || scribe.facts.exports.size() >= most_exports) {
                scribe.unparsed(
                    next, next,
                    "exports: a path longer than any system allows, or more of them than one host has");
                continue;
            }
            exported(scribe.facts, w[i]).clients = scribe.text(clients, next);
        }
    }
    return next - at;
}

}  // namespace

extern const CommandParser exports_parser{
    .id = "exports",
    .programs = {"showmount", "exportfs"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"<", "/etc/exports"}},
             {Os::freebsd, {"<", "/etc/exports"}},
             {Os::openbsd, {"<", "/etc/exports"}},
             {Os::dragonfly, {"<", "/etc/exports"}},
             {Os::linux_, {"<", "/etc/exports"}}},
};

}  // namespace diskwright
