// SPDX-License-Identifier: BSD-2-Clause
// gpart backup ada0, or the file that was made so ("cat table.ada0"), FreeBSD 9 and later:
//   GPT 128
//   1   freebsd-boot        40       128 boot0
//   2    freebsd-ufs       168  16777216 root  [bootme]
// Index, type, start, size in sectors, label, attributes (freebsd/freebsd-src:lib/geom/part/geom_part.c).
#include <fmt/format.h>

#include "probes/parsers/gpart_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t sector = 512;

bool is_row(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 4 && is_number(w[0]) && !is_number(w[1]) && is_number(w[2]) && is_number(w[3]);
}

bool starts(const Output& out, std::size_t at) {
    const auto w = words(out.text(at));
    if (w.size() != 2 || !gpart_scheme(w[0]) || !is_number(w[1])) return false;
    return is_row(out.text(at + 1)) || (out.program() == "gpart" && out.has_argument("backup"));
}

// "gpart backup ada0" names the provider; of a file's name the part that looks like one: table.ada0,
// ada0.bak.
std::string provider(const Output& out) {
    if (out.program() == "gpart") return device_name(out.operand(1));
    auto file = out.operand(0);
    file.remove_prefix(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
    std::size_t from = 0;
    while (from < file.size()) {
        const auto to = std::min(file.find_first_of("._-", from), file.size());
        const auto part = file.substr(from, to - from);
        if (part.size() >= 3 && part.size() <= 16 && part[0] >= 'a' && part[0] <= 'z' &&
            part.find_first_of("0123456789") != std::string_view::npos)
            return std::string(part);
        from = to + 1;
    }
    return std::string(unnamed_disk);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const Scheme scheme = *gpart_scheme(words(out.text(at))[0]);
    const std::string device = provider(out);
    scribe.suggest_os(Os::freebsd, at);
    PartitionTable& t = table(scribe.facts, device, scheme);
    t.scheme = scribe.known(scheme, at);
    std::size_t i = at + 1;
    std::uint64_t rows = 0;
    for (; i < out.lines.size() && is_row(out.text(i)); ++i, ++rows) {
        const auto w = words(out.text(i));
        const auto index = scribe.number(w[0], i, "index");
        if (!index) continue;
        Partition& p = listed_partition(scribe, gpart_provider(device, scheme, *index), device, scheme, i);
        p.index = scribe.known(*index, i);
        p.type = scribe.text(w[1], i);
        set_extent(scribe, p, w[2], w[3], sector, i);
        for (std::size_t n = 4; n < w.size(); ++n) {
            if (w[n].size() > 2 && w[n].front() == '[' && w[n].back() == ']') {
                const auto list = split(w[n].substr(1, w[n].size() - 2), ',');
                p.attributes = scribe.known(std::vector<std::string>(list.begin(), list.end()), i);
            } else if (!p.label) {
                p.label = scribe.text(w[n], i);
            }
        }
    }
    if (rows == 0)
        scribe.unparsed(at, at, "gpart backup: a table without rows");
    else if (!out.filtered)
        t.entries_shown = scribe.known(rows, i - 1);
    return i - at;
}

}  // namespace

extern const CommandParser gpart_backup_parser{
    .id = "gpart-backup",
    .programs = {"gpart", "cat"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
