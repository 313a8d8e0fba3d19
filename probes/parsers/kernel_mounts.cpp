// SPDX-License-Identifier: BSD-2-Clause
// Mounts in the form of fstab lines: /proc/mounts, /proc/self/mounts and mtab of Linux, mount -p of FreeBSD:
// (and of NetBSD, where procfs is mounted with -o linux)
//   /dev/md3 /srv ext4 rw,relatime,stripe=512 0 0
//   /dev/ada0p2             /                   ufs     rw,noatime      1 1
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/parsers/fs_table.hpp"
#include "probes/parsers/mounts_write.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool names_proc(const Output& out) {
    return std::any_of(out.argv.begin(), out.argv.end(), [](const std::string& word) {
        return contains(word, "/proc/") || word.ends_with("mtab");
    });
}

bool is_mount_p(const Output& out) {
    return out.program() == "mount" && out.has_argument("-p");
}

bool is_row(const Output& out, std::size_t at) {
    const auto line = read_table_line(out.text(at));
    if (!line || line->type == "swap") return false;
    if (names_proc(out) || is_mount_p(out)) return true;
    for (const auto& word : out.argv)
        if (contains(word, "fstab")) return false;
    const auto has = [&](std::string_view option) {
        return std::find(line->options.begin(), line->options.end(), option) != line->options.end();
    };
    // What the kernel adds and nobody types; with dump and pass 0 always present.
    return (has("rw") || has("ro")) && (has("relatime") || has("seclabel") || has("attr2")) &&
           line->dump == 0 && line->pass == 0;
}

bool starts(const Output& out, std::size_t at) {
    return is_row(out, at) || (names_proc(out) && trim(out.text(at)).starts_with("/dev/"));
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t next = at;
    bool bsd = false;
    for (; next < out.lines.size(); ++next) {
        if (!is_row(out, next)) {
            if (!names_proc(out) || !trim(out.text(next)).starts_with("/dev/")) break;
            scribe.damage(next, "mounts: a row is cut off");
            continue;
        }
        auto line = *read_table_line(out.text(next));
        bsd = bsd || line.type == "ffs" || line.type == "kernfs" || line.type == "ptyfs";
        write_mount(scribe, next, line.device, line.point, line.type, std::move(line.options));
    }
    // NetBSD has this file, too.
    if (!bsd || is_mount_p(out))
        scribe.suggest_os(is_mount_p(out) ? Os::freebsd : Os::linux_, at);
    else
        scribe.suggest_os(Os::netbsd, at);
    return next - at;
}

}  // namespace

extern const CommandParser kernel_mounts_parser{
    .id = "kernel-mounts",
    .programs = {"mount"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"<", "/proc/mounts"}}},
};

}  // namespace diskwright
