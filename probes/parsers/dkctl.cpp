// SPDX-License-Identifier: BSD-2-Clause
// dkctl wd0 listwedges and dkctl wd0 getcache of NetBSD, scsictl sd0 getcache (same words):
//   /dev/rwd0: 2 wedges:
//   dk0: root, 1936911725 blocks at 2048, type: ffs
//   /dev/rwd0d: read cache enabled
//   /dev/rwd0d: write-back cache enabled
//   sd0: write-back cache not enabled
// A write cache that is off has no line of its own in dkctl's list (NetBSD/src:sbin/dkctl/dkctl.c,
// sbin/scsictl).
#include <fmt/format.h>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "/dev/rwd0: 2 wedges:", "wd0: no wedges configured".
std::string_view wedge_disk(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 3 || !w[0].ends_with(':')) return {};
    const bool list = w.size() == 3 && is_number(w[1]) && (w[2] == "wedges:" || w[2] == "wedge:");
    const bool none = w.size() == 4 && w[1] == "no" && w[2] == "wedges" && w[3] == "configured";
    return list || none ? w[0].substr(0, w[0].size() - 1) : std::string_view{};
}

bool wedges_start(const Output& out, std::size_t at) {
    return !wedge_disk(out.text(at)).empty();
}

std::size_t wedges_parse(const Output& out, std::size_t at, Scribe& scribe) {
    const std::string device = table_device(wedge_disk(out.text(at)));
    const auto promised = to_unsigned(words(out.text(at))[1]).value_or(0);
    scribe.suggest_os(Os::netbsd, at);
    std::size_t i = at + 1;
    std::uint64_t seen = 0;
    for (; i < out.lines.size(); ++i) {
        const auto line = trim(out.text(i));
        const auto colon = line.find(": ");
        const auto extent = line.rfind(" blocks at ");
        if (!line.starts_with("dk") || colon == std::string_view::npos || extent == std::string_view::npos ||
            extent < colon)
            break;
        const auto size_from = line.rfind(", ", extent);
        const auto tail = line.substr(extent + 11);
        const auto start = tail.substr(0, tail.find(','));
        if (size_from == std::string_view::npos || size_from < colon) break;
        Partition& p = listed_partition(scribe, line.substr(0, colon), device, Scheme::gpt, i);
        // A wedge may come from a disklabel too; only its place is certain.
        p.scheme.reset();
        set_extent(scribe, p, start, line.substr(size_from + 2, extent - size_from - 2), 512, i);
        const auto label =
            size_from >= colon + 2 ? line.substr(colon + 2, size_from - colon - 2) : std::string_view{};
        if (!label.empty()) p.label = scribe.text(label, i);
        if (const auto type = after(tail, "type: "); type && !type->empty())
            p.type = scribe.text(trim(*type), i);
        ++seen;
    }
    if (seen < promised && !out.filtered)
        scribe.unparsed(at, i - 1,
                        fmt::format("dkctl listwedges: {} wedges announced, {} understood", promised, seen));
    return i - at;
}

// "wd0: read cache enabled", "/dev/rwd0d: No caches enabled", "sd0: write-back cache not enabled".
struct CacheLine {
    std::string_view device, rest;
};
std::optional<CacheLine> cache_line(std::string_view line) {
    const auto w = words(line);
    if (w.size() < 4 || w.size() > 8 || !w[0].ends_with(':')) return std::nullopt;
    const auto rest = trim(trim(line).substr(w[0].size()));
    if (!icontains(rest, "cache") && !icontains(rest, "caching parameters")) return std::nullopt;
    return CacheLine{w[0].substr(0, w[0].size() - 1), rest};
}

bool is_cache_state(std::string_view rest) {
    return rest.ends_with(" enabled") &&
           (rest.starts_with("read cache") || rest.starts_with("write-back cache") ||
            rest.starts_with("write-through cache") || iequals(rest, "no caches enabled"));
}

bool cache_starts(const Output& out, std::size_t at) {
    const auto line = cache_line(out.text(at));
    return line && is_cache_state(line->rest);
}

std::size_t cache_parse(const Output& out, std::size_t at, Scribe& scribe) {
    const auto first = cache_line(out.text(at));
    const std::string device = table_device(first->device);
    std::size_t i = at;
    std::optional<std::size_t> state_line;
    std::optional<Switch> state;
    bool whole = false;
    for (; i < out.lines.size(); ++i) {
        const auto line = cache_line(out.text(i));
        if (!line || line->device != first->device) break;
        // The last line of the list, or the only one.
        whole = whole || line->rest.ends_with("savable") || iequals(line->rest, "no caches enabled");
        if (!is_cache_state(line->rest)) continue;
        if (line->rest == "write-back cache enabled") state = Switch::on, state_line = i;
        // Written through, or not at all cached: what was written is on the medium.
        else if (line->rest.starts_with("write-"))
            state = Switch::off, state_line = i;
    }
    if (!state && whole && !out.filtered) state = Switch::off, state_line = at;
    scribe.suggest_os(Os::netbsd, at);
    if (state)
        disk(scribe.facts, device).write_cache = scribe.known(*state, *state_line);
    else
        scribe.unparsed(at, i - 1, "no line tells the state of the write cache");
    return i - at;
}

}  // namespace

extern const CommandParser dkctl_listwedges_parser{
    .id = "dkctl-listwedges",
    .programs = {"dkctl"},
    .starts = wedges_start,
    .parse = wedges_parse,
    .live = {{Os::netbsd, {"dkctl", "{disk}", "listwedges"}, true},
             {Os::netbsd, {"dkctl", "{volume:raidframe}", "listwedges"}, true}},
};

extern const CommandParser getcache_parser{
    .id = "getcache",
    .programs = {"dkctl", "scsictl"},
    .starts = cache_starts,
    .parse = cache_parse,
    .live = {{Os::netbsd, {"dkctl", "{disk}", "getcache"}, true}},
};

}  // namespace diskwright
