// SPDX-License-Identifier: BSD-2-Clause
// What NetBSD's gpt prints beside its table (NetBSD/src:sbin/gpt/{show,add,header}.c):
//   gpt show -i 1 wd0    Details for index 1: / Start: 2048 (1M) / Size: ... / Type: ffs (GUID) / Label: root
//   gpt add wd1          /dev/rwd1: Partition 1 added: TYPE START SIZE
//                        Partition 1 added, use: / dkctl wd1 addwedge <wedgename> START SIZE <type>   (7 and
//                        earlier)
//   gpt header wd0       Media Size: 5368709120 (5G) / Sector Size: 512 / - First Data Sector: 34 (34B)
#include <fmt/format.h>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_added(std::string_view line) {
    return contains(line, "Partition ") && (contains(line, " added: ") || contains(line, " added, use:"));
}

bool is_details(std::string_view line) {
    const auto text = trim(line);
    return text.starts_with("Details for index ") && text.ends_with(':');
}

bool is_media(const Output& out, std::size_t at) {
    return trim(out.text(at)).starts_with("Media Size: ") &&
           trim(out.text(at + 1)).starts_with("Sector Size: ");
}

bool detail_starts(const Output& out, std::size_t at) {
    return is_details(out.text(at)) || is_media(out, at) ||
           (is_added(out.text(at)) && (out.program() == "gpt" || contains(out.text(at), "/dev/") ||
                                       contains(out.text(at + 1), "addwedge")));
}

std::optional<std::uint64_t> value_of(std::string_view line, std::string_view key) {
    auto text = trim(line);
    if (text.starts_with("- ")) text.remove_prefix(2);
    if (!text.starts_with(key)) return std::nullopt;
    const auto number = leading_unsigned(trim(text.substr(key.size())));
    return number ? std::optional(number->value) : std::nullopt;
}

std::size_t parse_added(const Output& out, std::size_t at, Scribe& scribe) {
    const auto line = out.text(at);
    const auto index = leading_unsigned(*after(line, "Partition "));
    std::string device = gpt_device(out);
    if (const auto path = trim(line.substr(0, line.find(": Partition"))); path.starts_with("/dev/"))
        device = table_device(path);
    auto w = words(line);
    std::size_t used = 1;
    std::string_view type, start, size;
    if (contains(line, " added: ") && w.size() >= 4) {
        type = w[w.size() - 3], start = w[w.size() - 2], size = w.back();
    } else {
        // dkctl wd1 addwedge <wedgename> 40 100 <type>
        w = words(out.text(at + 1));
        if (w.size() == 7 && w[0] == "dkctl" && w[2] == "addwedge") {
            device = table_device(w[1]), start = w[4], size = w[5];
            used = 2;
        }
    }
    if (!index || start.empty()) {
        scribe.unparsed(at, at, "gpt add: the extent of the new partition is not shown");
        return used;
    }
    Partition& p = listed_partition(scribe, fmt::format("{}#{}", device, index->value), device, Scheme::gpt,
                                    at + used - 1);
    p.index = scribe.known(index->value, at);
    if (!type.empty()) p.type = scribe.text(type, at);
    set_extent(scribe, p, start, size, 512, at + used - 1);
    if (const auto label = out.option('l'); out.program() == "gpt" && !label.empty())
        p.label = Text(std::string(label), scribe.at_prompt());
    return used;
}

std::size_t parse_details(const Output& out, std::size_t at, Scribe& scribe) {
    const auto index = leading_unsigned(*after(out.text(at), "Details for index "));
    const std::string device = gpt_device(out);
    if (!index) {
        scribe.unparsed(at, at, "gpt show: no index");
        return 1;
    }
    Partition& p =
        listed_partition(scribe, fmt::format("{}#{}", device, index->value), device, Scheme::gpt, at);
    p.index = scribe.known(index->value, at);
    std::size_t i = at + 1;
    for (; i < out.lines.size() && !trim(out.text(i)).empty(); ++i) {
        const auto text = trim(out.text(i));
        if (const auto start = value_of(text, "Start:"))
            set_extent(scribe, p, fmt::format("{}", *start),
                       fmt::format("{}", value_of(out.text(i + 1), "Size:").value_or(0)), 512, i);
        else if (text.starts_with("Label:") && text.size() > 7)
            p.label = scribe.text(trim(text.substr(6)), i);
        else if (text.starts_with("Type:") && text.size() > 6)
            p.type = scribe.text(words(text.substr(5))[0], i);
        else if (!is_number(text.substr(0, 1)) && text.find(':') == std::string_view::npos && text != "None")
            break;
    }
    if (p.size_bytes.is(0)) p.size_bytes.reset();
    return i - at;
}

std::size_t parse_media(const Output& out, std::size_t at, Scribe& scribe) {
    const std::string device = gpt_device(out);
    const auto size = value_of(out.text(at), "Media Size:"),
               sector = value_of(out.text(at + 1), "Sector Size:");
    set_device_size(scribe, device, size, sector, at);
    scribe.suggest_os(Os::netbsd, at);
    std::size_t i = at + 2, last = at + 1;
    for (; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        const bool ours = text.starts_with("- ") || text.starts_with("Number of Sectors") ||
                          text.starts_with("Header Information");
        if (!ours && !text.empty()) break;
        if (ours) last = i;
        if (!sector) continue;
        if (const auto first = value_of(text, "First Data Sector:"))
            if (const auto bytes = multiply(*first, *sector))
                table(scribe.facts, device, Scheme::gpt).first_usable_bytes = scribe.known(*bytes, i);
        if (const auto end = value_of(text, "Last Data Sector:"))
            if (const auto bytes = add(*end, 1) ? multiply(*end + 1, *sector) : std::nullopt)
                table(scribe.facts, device, Scheme::gpt).last_usable_bytes = scribe.known(*bytes, i);
    }
    for (PartitionTable& t : scribe.facts.tables) {
        t.scheme = scribe.known(Scheme::gpt, last);
        if (size) t.total_bytes = scribe.known(*size, at);
        if (sector) t.sector_bytes = scribe.known(*sector, at + 1);
    }
    if (!size || !sector) scribe.unparsed(at, at + 1, "gpt header: media or sector size is no number");
    return last - at + 1;
}

std::size_t detail_parse(const Output& out, std::size_t at, Scribe& scribe) {
    if (is_details(out.text(at))) return parse_details(out, at, scribe);
    if (is_media(out, at)) return parse_media(out, at, scribe);
    return parse_added(out, at, scribe);
}

}  // namespace

extern const CommandParser gpt_parser{
    .id = "gpt",
    .programs = {"gpt"},
    .starts = detail_starts,
    .parse = detail_parse,
    .live = {{Os::netbsd, {"gpt", "-r", "header", "{disk}"}, true}},
};

}  // namespace diskwright
