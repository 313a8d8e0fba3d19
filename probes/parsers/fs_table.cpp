// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/fs_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// fstab(5): a blank in a name is written \040, a tab \011, a backslash \134.
std::string decoded(std::string_view field) {
    std::string out;
    for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] == '\\' && i + 3 < field.size() && field[i + 1] >= '0' && field[i + 1] <= '3') {
            int value = 0;
            bool octal = true;
            for (std::size_t k = 1; k <= 3; ++k) {
                const char c = field[i + k];
                octal = octal && c >= '0' && c <= '7';
                value = value * 8 + (c - '0');
            }
            if (octal) {
                out += static_cast<char>(value);
                i += 3;
                continue;
            }
        }
        out += field[i];
    }
    return out;
}

}  // namespace

bool is_file_system_type(std::string_view word) {
    constexpr std::array<std::string_view, 66> types{
        "ffs",     "ufs",       "lfs",      "ext2",   "ext3",    "ext4",    "ext2fs",   "xfs",
        "btrfs",   "jfs",       "reiserfs", "f2fs",   "zfs",     "hammer",  "hammer2",  "swap",
        "sw",      "msdos",     "msdosfs",  "vfat",   "ntfs",    "ntfs3",   "fuseblk",  "exfat",
        "cd9660",  "iso9660",   "udf",      "nfs",    "nfs4",    "smbfs",   "cifs",     "procfs",
        "proc",    "linprocfs", "linsysfs", "kernfs", "ptyfs",   "devfs",   "devtmpfs", "devpts",
        "tmpfs",   "mfs",       "sysfs",    "fdesc",  "fdescfs", "nullfs",  "null",     "unionfs",
        "union",   "overlay",   "puffs",    "autofs", "cgroup",  "cgroup2", "debugfs",  "securityfs",
        "mqueue",  "hugetlbfs", "configfs", "pstore", "bind",    "none",    "auto",     "bpf",
        "tracefs", "squashfs"};
    if (word.starts_with("fuse.")) return true;
    return std::find(types.begin(), types.end(), word) != types.end();
}

bool names_format(std::string_view type) {
    constexpr std::array<std::string_view, 8> exact{"ext2",  "ext3", "ext4",     "xfs",
                                                    "btrfs", "jfs",  "reiserfs", "f2fs"};
    return std::find(exact.begin(), exact.end(), type) != exact.end();
}

std::vector<std::string> option_list(std::string_view text) {
    std::vector<std::string> out;
    for (const auto part : split(text, ',')) {
        const auto option = trim(part);
        if (!option.empty()) out.emplace_back(option);
    }
    return out;
}

std::optional<TableLine> read_table_line(std::string_view line) {
    auto w = words(line);
    for (std::size_t i = 0; i < w.size(); ++i)
        if (w[i].starts_with('#')) {
            w.resize(i);
            break;
        }
    if (w.size() < 3 || w.size() > 6) return std::nullopt;
    TableLine out;
    out.device = decoded(w[0]), out.point = decoded(w[1]), out.type = w[2];
    if (!is_file_system_type(w[2])) return std::nullopt;
    const bool swap = w[2] == "swap" || w[2] == "sw";
    if (!out.point.starts_with('/') && !(swap && (out.point == "none" || out.point == "swap")))
        return std::nullopt;
    std::size_t next = 3;
    if (next < w.size() && !to_unsigned(w[next])) out.options = option_list(w[next++]);
    for (auto* field : {&out.dump, &out.pass})
        if (next < w.size()) {
            *field = to_unsigned(w[next++]);
            if (!*field) return std::nullopt;
        }
    if (next != w.size()) return std::nullopt;
    return out;
}

void add_filesystem(Filesystem fs, std::string_view device, std::string_view tool, std::size_t at,
                    Scribe& scribe) {
    if (device.empty()) {
        scribe.unparsed(at, at, fmt::format("{}: neither the output nor a prompt names the device", tool));
        return;
    }
    fs.device = device_name(device);
    scribe.facts.filesystems.push_back(std::move(fs));
}

}  // namespace diskwright
