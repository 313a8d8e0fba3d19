// SPDX-License-Identifier: BSD-2-Clause
// Swap areas:
//   Device          1K-blocks     Used    Avail Capacity              FreeBSD swapinfo
//   Device:       1kB-blocks      Used:                               FreeBSD swapctl -l; "1024-blocks",
//   "Bytes" Device      512-blocks     Used    Avail Capacity  Priority       NetBSD and OpenBSD swapctl -l,
//   pstat -s Filename        Type       Size     Used    Priority              Linux swapon -s, /proc/swaps:
//   KiB NAME       TYPE       SIZE USED PRIO                              Linux swapon --show
// Sources: freebsd/freebsd-src:sbin/swapon/swapon.c (swaplist), NetBSD/src:sbin/swapctl/swapctl.c,
// openbsd/src:sbin/swapctl/swapctl.c, util-linux/util-linux:sys-utils/swapon.c. Blocks of MB and GB are whole
// ones.
#include <algorithm>

#include "probes/parsers/command.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

enum class Format { none, bsd, proc, show };

struct Header {
    Format format = Format::none;
    std::uint64_t unit = 0;  // 0: sizes carry their own unit
    Os os = Os::freebsd;
};

// "1024-blocks", "1kB-blocks", "1MB-blocks", "Bytes" (-h: each size has its own unit).
Header freebsd_header(std::string_view blocks) {
    if (blocks == "Bytes") return {Format::bsd, 0, Os::freebsd};
    if (!blocks.ends_with("-blocks")) return {};
    const auto unit = to_size(blocks.substr(0, blocks.size() - 7));
    return unit && *unit > 0 ? Header{Format::bsd, *unit, Os::freebsd} : Header{};
}

Header header_of(std::string_view line) {
    const auto w = words(line);
    if (w.size() == 3 && w[0] == "Device:" && w[2] == "Used:") return freebsd_header(w[1]);
    if (w.size() < 4) return {};
    if (w[0] == "Filename" && w[1] == "Type" && w[2] == "Size") return {Format::proc, 1024, Os::linux_};
    if (w[0] == "NAME" && w[1] == "TYPE" && w[2] == "SIZE" && w[3] == "USED")
        return {Format::show, 0, Os::linux_};
    if (w[0] != "Device" || (w[2] != "Used" && w[2] != "Size")) return {};
    const bool priority = w.back() == "Priority";
    if (w[1].ends_with("-blocks")) {
        const auto unit = to_size(w[1].substr(0, w[1].size() - 7));
        if (!unit || *unit == 0) return {};
        return {Format::bsd, *unit, priority ? Os::netbsd : Os::freebsd};
    }
    if (w[1] == "Size") return {Format::bsd, 0, priority ? Os::netbsd : Os::freebsd};
    return {};
}

// "total: 2097152 1K-blocks allocated, 0 used, 2097152 available" of swapctl -s: of no device.
bool is_summary(std::string_view line) {
    return line.starts_with("total: ") && contains(line, "-blocks allocated");
}

bool starts(const Output& out, std::size_t at) {
    return header_of(out.text(at)).format != Format::none || is_summary(out.text(at));
}

std::optional<std::uint64_t> size_of(std::string_view word, const Header& header) {
    if (header.unit == 0 || !to_unsigned(word)) return to_size(word);
    const auto value = to_unsigned(word);
    return value ? multiply(*value, header.unit) : std::nullopt;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (is_summary(out.text(at))) return 1;
    const auto header = header_of(out.text(at));
    const std::size_t size_column = header.format == Format::bsd ? 1 : 2;
    std::size_t next = at + 1;
    for (; next < out.lines.size(); ++next) {
        const auto w = words(out.text(next));
        if (w.empty() ||
            !(w[0].starts_with('/') || w[0] == "Total" || w[0] == "Total:" || w[0].starts_with("zram")))
            break;
        if (w[0].starts_with("Total")) continue;
        if (w.size() <= size_column) {
            scribe.damage(next, "swap: columns of a row are missing");
            continue;
        }
        SwapArea area;
        area.device = device_name(w[0]);
        const auto size = size_of(w[size_column], header);
        if (!size) {
            scribe.unparsed(next, next, "swap: expected a size, found '" + escaped(w[size_column]) + "'");
            continue;
        }
        area.size_bytes = scribe.known(*size, next);
        if (size_column + 1 < w.size())
            if (const auto used = size_of(w[size_column + 1], header))
                area.used_bytes = scribe.known(*used, next);
        scribe.facts.swap.push_back(std::move(area));
    }
    // NetBSD's and OpenBSD's tables are alike.
    if (header.os != Os::netbsd) scribe.suggest_os(header.os, at);
    return next - at;
}

}  // namespace

extern const CommandParser swap_parser{
    .id = "swap",
    .programs = {"swapinfo", "swapctl", "pstat", "swapon"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::netbsd, {"swapctl", "-l"}},
             {Os::freebsd, {"swapinfo", "-k"}},
             {Os::openbsd, {"swapctl", "-l"}},
             {Os::dragonfly, {"swapinfo", "-k"}},
             {Os::linux_, {"<", "/proc/swaps"}}},
};

}  // namespace diskwright
