// SPDX-License-Identifier: BSD-2-Clause
// The size of memory on Linux: /proc/meminfo and free(1).
//   MemTotal:       32780664 kB
//                  total        used        free      shared  buff/cache   available
//   Mem:        32780664     2218432    18206536      123456    12355696    30100000
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_meminfo(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 2 && w[0] == "MemTotal:";
}

bool is_free_header(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 3 && w[0] == "total" && w[1] == "used" && w[2] == "free";
}

bool starts(const Output& out, std::size_t at) {
    return is_meminfo(out.text(at)) ||
           (is_free_header(out.text(at)) && trim(out.text(at + 1)).starts_with("Mem:"));
}

// free counts KiB unless an option or the number itself says otherwise. Without the command, a number too
// small for KiB may be MiB, so it tells nothing.
std::optional<std::uint64_t> free_total(const Output& out, std::string_view word) {
    const auto plain = to_unsigned(word);
    if (!plain) return to_size(word);
    const auto asked = [&](std::string_view option) {
        return out.program() == "free" && out.has_argument(option);
    };
    if (asked("-b")) return plain;
    if (asked("-m") || asked("--mebi")) return multiply(*plain, MiB);
    if (asked("-g") || asked("--gibi")) return multiply(*plain, GiB);
    if (out.program() != "free" && *plain < 256 * KiB) return std::nullopt;
    return multiply(*plain, KiB);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    scribe.suggest_os(Os::linux_, at);
    if (is_meminfo(out.text(at))) {
        const auto w = words(out.text(at));
        if (const auto bytes = scribe.scaled(w[1], KiB, at, "MemTotal"))
            scribe.facts.os.ram_bytes = scribe.known(*bytes, at);
        // The rest of the file is of no interest.
        std::size_t next = at + 1;
        for (; next < out.lines.size(); ++next) {
            const auto row = words(out.text(next));
            if (row.size() < 2 || row.size() > 3 || !row[0].ends_with(':') || !to_unsigned(row[1])) break;
        }
        return next - at;
    }
    const auto w = words(out.text(at + 1));
    if (w.size() < 2) {
        scribe.damage(at + 1, "free: the total is missing");
        return 2;
    }
    if (const auto bytes = free_total(out, w[1]))
        scribe.facts.os.ram_bytes = scribe.known(*bytes, at + 1);
    else
        scribe.unparsed(at + 1, at + 1, "free: the unit of '" + escaped(w[1]) + "' is not known");
    std::size_t next = at + 2;
    while (next < out.lines.size() &&
           (trim(out.text(next)).starts_with("Swap:") || trim(out.text(next)).starts_with("-/+ buffers")))
        ++next;
    return next - at;
}

}  // namespace

extern const CommandParser memory_parser{
    .id = "memory",
    .programs = {"free"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"<", "/proc/meminfo"}}},
};

}  // namespace diskwright
