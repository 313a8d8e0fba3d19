// SPDX-License-Identifier: BSD-2-Clause
// findmnt of util-linux, as a tree or a list, also with -D or chosen columns where these four are among them:
//   TARGET    SOURCE     FSTYPE  OPTIONS
//   /         /dev/md1   ext4    rw,relatime,stripe=256
//   |-/proc   proc       proc    rw,nosuid,nodev,noexec,relatime
//   └─/srv    /dev/md3   xfs     rw,relatime,sunit=1024,swidth=2048
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/parsers/mounts_write.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::array<std::string_view, 12> columns{"TARGET", "SOURCE", "FSTYPE",      "OPTIONS",
                                                   "SIZE",   "USED",   "AVAIL",       "USE%",
                                                   "LABEL",  "UUID",   "VFS-OPTIONS", "FS-OPTIONS"};

bool is_header(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 3) return false;
    const auto has = [&](std::string_view name) { return std::find(w.begin(), w.end(), name) != w.end(); };
    return has("TARGET") && has("SOURCE") && has("FSTYPE") && std::all_of(w.begin(), w.end(), [](auto word) {
               return std::find(columns.begin(), columns.end(), word) != columns.end();
           });
}

bool starts(const Output& out, std::size_t at) {
    return is_header(out.text(at));
}

// The branches of the tree, in ASCII or as box drawings.
std::string_view without_branch(std::string_view target) {
    const auto slash = target.find('/');
    return slash == std::string_view::npos ? std::string_view{} : target.substr(slash);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const auto header = words(out.text(at));
    const auto column = [&](std::string_view name) {
        return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    };
    std::size_t next = at + 1;
    for (; next < out.lines.size(); ++next) {
        auto w = words(out.text(next));
        if (w.empty()) break;
        // "| `-/x": branches apart from their target by blanks.
        while (w.size() > header.size() && w[0].find('/') == std::string_view::npos) w.erase(w.begin());
        if (w.size() < header.size() || w[0].find('/') == std::string_view::npos) {
            if (w[0].find('/') == std::string_view::npos) break;
            scribe.damage(next, "findmnt: columns of a row are missing");
            continue;
        }
        const auto target = column("TARGET"), source = column("SOURCE"), type = column("FSTYPE"),
                   options = column("OPTIONS");
        const auto point = target == 0 ? without_branch(w[0]) : w[target];
        if (point.empty() || !is_file_system_type(w[type])) break;
        auto device = w[source];
        if (const auto bracket = device.find('['); bracket != std::string_view::npos)
            device = device.substr(0, bracket);
        write_mount(scribe, next, device, point, w[type],
                    options < w.size() ? option_list(w[options]) : std::vector<std::string>{});
        if (options >= header.size() && scribe.facts.mounts.size() < most_mounts)
            mount(scribe.facts, point).options.reset();
        scribe.suggest_os(Os::linux_, next);
    }
    return next - at;
}

}  // namespace

extern const CommandParser findmnt_parser{
    .id = "findmnt",
    .programs = {"findmnt"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
