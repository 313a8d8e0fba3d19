// SPDX-License-Identifier: BSD-2-Clause
// gpart list [ada0] and geom disk list, FreeBSD 8 and later: blocks of "key: value".
//   Geom name: ada0                        Geom name: ada0
//   state: OK                              Providers:
//   last: 1953525127                       1. Name: ada0
//   first: 40                                 Mediasize: 1000204886016 (932G)
//   scheme: GPT                               Sectorsize: 512
//   Providers:                                Stripesize: 4096
//   1. Name: ada0p1                           descr: WDC WD1003FBYX-01Y7B1
//      Mediasize: 524288 (512K)               rotationrate: 7200
//      offset: 20480
// The order of keys differs between releases, so it is read by key
// (freebsd/freebsd-src:lib/geom/part/geom_part.c, sbin/geom/core/geom.c, sys/geom/geom_disk.c).
#include <fmt/format.h>

#include "probes/parsers/gpart_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::string_view block_begins = "Geom name: ";
constexpr std::size_t longest_head = 14;  // lines between "Geom name" and the first provider of gpart list

struct Pair {
    std::string_view key, value;
};
// "1. Name: ada0p1" has key "Name".
std::optional<Pair> pair_of(std::string_view line) {
    line = trim(line);
    if (const auto number = leading_unsigned(line); number && number->rest.starts_with(". Name:"))
        line = number->rest.substr(2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 16) return std::nullopt;
    return Pair{line.substr(0, colon), trim(line.substr(colon + 1))};
}

enum class Kind { none, partitions, disks };

Kind kind_of(const Output& out, std::size_t at) {
    if (!trim(out.text(at)).starts_with(block_begins)) return Kind::none;
    for (std::size_t i = at + 1; i < out.lines.size() && i <= at + longest_head; ++i) {
        const auto pair = pair_of(out.text(i));
        if (!pair || pair->key == "Geom name") return Kind::none;
        if (pair->key == "scheme" || pair->key == "fwheads") {
            // geom disk list has fwheads too, but after the description.
            return Kind::partitions;
        }
        if (pair->key == "descr" || pair->key == "rotationrate") return Kind::disks;
    }
    return Kind::none;
}

bool starts(const Output& out, std::size_t at) {
    return kind_of(out, at) != Kind::none;
}

struct Provider {
    std::string name;
    std::size_t line = 0;
    Number size, sector, stripe, stripe_offset, offset, index;
    Text type, label, description, serial;
    std::optional<std::uint64_t> rpm;
    std::size_t rpm_line = 0;
    TextList attributes;
    bool consumer = false;
};

struct Geom {
    std::string name;
    std::optional<Scheme> scheme;
    std::size_t line = 0, scheme_line = 0;
    std::optional<std::uint64_t> first, last;
    bool corrupt = false;
    std::vector<Provider> providers;
};

Number leading_number(std::string_view value, std::size_t line, std::string_view key, Scribe& scribe) {
    const auto number = scribe.number(value.substr(0, value.find(' ')), line, key);
    return number ? scribe.known(*number, line) : Number{};
}

void note_provider(Provider& p, const Pair& pair, std::size_t line, Scribe& scribe) {
    const auto number = [&] { return leading_number(pair.value, line, pair.key, scribe); };
    if (pair.key == "Mediasize")
        p.size = number();
    else if (pair.key == "Sectorsize")
        p.sector = number();
    else if (pair.key == "Stripesize")
        p.stripe = number();
    else if (pair.key == "Stripeoffset")
        p.stripe_offset = number();
    else if (pair.key == "offset")
        p.offset = number();
    else if (pair.key == "index")
        p.index = number();
    else if (pair.key == "type" && !pair.value.empty())
        p.type = scribe.text(pair.value, line);
    else if (pair.key == "label" && !pair.value.empty() && pair.value != "(null)")
        p.label = scribe.text(pair.value, line);
    else if (pair.key == "descr" && !pair.value.empty())
        p.description = scribe.text(pair.value, line);
    else if (pair.key == "ident" && !pair.value.empty() && pair.value != "(null)")
        p.serial = scribe.text(pair.value, line);
    else if (pair.key == "attrib" && !pair.value.empty()) {
        const auto list = split(pair.value, ',');
        p.attributes = scribe.known(std::vector<std::string>(list.begin(), list.end()), line);
    } else if (pair.key == "rotationrate") {
        p.rpm = to_unsigned(pair.value);  // or "unknown"
        p.rpm_line = line;
    }
}

void write_disk(const Provider& p, Scribe& scribe) {
    if (volume_by_name(p.name).is_volume || table_device(p.name) != p.name) return;
    Disk& d = disk(scribe.facts, p.name);
    if (p.size) d.size_bytes = p.size;
    if (p.sector) d.logical_sector_bytes = p.sector;
    if (p.stripe) d.reported_stripe_bytes = p.stripe;
    // Of ada(4) alone the stripe is what IDENTIFY or the quirk table says of the medium.
    if (p.name.starts_with("ada") && (p.stripe.is(4096) || p.stripe.is(8192))) {
        d.physical_sector_bytes = p.stripe;
        if (p.stripe_offset) d.physical_offset_bytes = p.stripe_offset;
    }
    if (p.description) d.model = p.description;
    if (p.serial) d.serial = p.serial;
    if (p.rpm) {
        d.rotational = scribe.known(*p.rpm != 0, p.rpm_line);
        if (*p.rpm > 1) d.rpm = scribe.known(*p.rpm, p.rpm_line);
    }
}

void write_partitions(const Geom& geom, Scribe& scribe) {
    if (!geom.scheme) return;
    PartitionTable& t = table(scribe.facts, geom.name, *geom.scheme);
    t.scheme = scribe.known(*geom.scheme, geom.scheme_line);
    if (geom.corrupt) t.corrupt = scribe.known(true, geom.line);
    std::uint64_t rows = 0;
    Number sector;
    for (const Provider& p : geom.providers) {
        if (p.sector) sector = p.sector;
        if (p.consumer) continue;
        ++rows;
        Partition& part = listed_partition(scribe, p.name, geom.name, *geom.scheme, p.line);
        part.index = p.index, part.start_bytes = p.offset, part.size_bytes = p.size;
        part.type = p.type, part.label = p.label, part.attributes = p.attributes;
    }
    t.entries_shown = scribe.known(rows, geom.line);
    if (!sector) return;
    t.sector_bytes = sector;
    if (const auto first = geom.first ? multiply(*geom.first, *sector) : std::nullopt)
        t.first_usable_bytes = scribe.known(*first, geom.line);
    const auto end = geom.last ? add(*geom.last, 1) : std::nullopt;
    if (const auto last = end ? multiply(*end, *sector) : std::nullopt)
        t.last_usable_bytes = scribe.known(*last, geom.line);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const Kind kind = kind_of(out, at);
    Geom geom;
    geom.line = at;
    geom.name = device_name(trim(*after(out.text(at), block_begins)));
    bool consumers = false;
    std::size_t i = at + 1, last = at;
    for (; i < out.lines.size(); ++i) {
        const auto line = trim(out.text(i));
        if (line.empty()) break;
        if (line == "Consumers:" || line == "Providers:") {
            consumers = line == "Consumers:";
            last = i;
            continue;
        }
        const auto pair = pair_of(line);
        if (!pair || pair->key == "Geom name") break;
        last = i;
        if (pair->key == "Name") {
            Provider p;
            p.name = device_name(pair->value);
            p.line = i;
            p.consumer = consumers;
            geom.providers.push_back(std::move(p));
        } else if (!geom.providers.empty()) {
            note_provider(geom.providers.back(), *pair, i, scribe);
        } else if (pair->key == "scheme") {
            geom.scheme = gpart_scheme(pair->value);
            geom.scheme_line = i;
            if (!geom.scheme)
                scribe.unparsed(i, i, fmt::format("gpart list: unknown scheme '{}'", escaped(pair->value)));
        } else if (pair->key == "first") {
            geom.first = scribe.number(pair->value, i, "first");
        } else if (pair->key == "last") {
            geom.last = scribe.number(pair->value, i, "last");
        } else if (pair->key == "state") {
            geom.corrupt = pair->value == "CORRUPT";
        }
    }
    scribe.suggest_os(Os::freebsd, at);
    if (geom.providers.empty())
        scribe.unparsed(at, last, fmt::format("geom {}: no providers listed", geom.name));
    if (kind == Kind::partitions) write_partitions(geom, scribe);
    for (const Provider& p : geom.providers)
        if (kind == Kind::disks || p.consumer) write_disk(p, scribe);
    return last - at + 1;
}

}  // namespace

extern const CommandParser gpart_list_parser{
    .id = "gpart-list",
    .programs = {"gpart", "geom"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"geom", "disk", "list"}}},
};

}  // namespace diskwright
