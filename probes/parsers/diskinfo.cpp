// SPDX-License-Identifier: BSD-2-Clause
// diskinfo [-v] [-c] [-t] [-i] ada0 ..., FreeBSD 5 and later:
//   ada0
//           512             # sectorsize
//           1000204821504   # mediasize in bytes (931G)
//           4096            # stripesize
//           7200            # Rotation rate in RPM
//   Transfer rates:
//           outside:       102400 kbytes in   1.903863 sec =    53785 kbytes/sec
// and plain: "ada0  512  1000204886016  1953525168  4096  0  1938021  16  63".
// A stripesize is the physical sector on ada(4) alone, and only when it looks like one (freebsd/freebsd-src:
// sys/cam/ata/ata_da.c); da, nda and the GEOM classes put other things there. On a file it is the block of
// the file system. Format: freebsd/freebsd-src:usr.sbin/diskinfo/diskinfo.c.
#include <fmt/format.h>

#include <algorithm>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "512             # sectorsize": the value, and the text after the mark.
struct Field {
    std::string_view value, what;
};
std::optional<Field> field_of(std::string_view line) {
    const auto mark = line.find('#');
    if (mark == std::string_view::npos || (mark > 0 && line[mark - 1] > ' ')) return std::nullopt;
    return Field{trim(line.substr(0, mark)), trim(line.substr(mark + 1))};
}

bool is_sector_line(std::string_view line) {
    const auto field = field_of(line);
    return field && field->what == "sectorsize" && is_number(field->value);
}

bool is_name_line(std::string_view line) {
    const auto w = words(line);
    return w.size() == 1 && w[0].size() <= 64 && w[0].find_first_of("#=()<>") == std::string_view::npos &&
           !is_number(w[0]);
}

bool starts(const Output& out, std::size_t at) {
    if (is_name_line(out.text(at)) && is_sector_line(out.text(at + 1))) return true;
    if (is_sector_line(out.text(at))) return true;
    if (out.program() != "diskinfo") return false;
    const auto w = words(out.text(at));
    return (w.size() == 6 || w.size() == 9) && std::all_of(w.begin() + 1, w.end(), is_number);
}

// A file or a partition has the same fields, but no medium of its own.
bool is_disk(std::string_view name, std::string_view as_written) {
    if (volume_by_name(name).is_volume) return false;
    if (as_written.find('/') != std::string_view::npos && !as_written.starts_with("/dev/")) return false;
    return whole_device_name(name).empty() && name.find('.') == std::string_view::npos;
}

struct Probed {
    std::string name;
    bool disk = false;
    Number size, sector, stripe, stripe_offset;
    Text model, serial;
    Flag trim_support, rotational;
    Number rpm;
    Flag shingled;
};

void note_field(const Field& field, std::size_t at, Probed& probed, Scribe& scribe) {
    const auto number = [&](Number& into) {
        if (const auto value = scribe.number(field.value, at, field.what)) into = scribe.known(*value, at);
    };
    if (field.what == "sectorsize")
        number(probed.sector);
    else if (field.what.starts_with("mediasize in bytes"))
        number(probed.size);
    else if (field.what == "stripesize")
        number(probed.stripe);
    else if (field.what == "stripeoffset")
        number(probed.stripe_offset);
    else if (field.what == "Disk descr." && !field.value.empty())
        probed.model = scribe.text(field.value, at);
    else if (field.what == "Disk ident." && !field.value.empty())
        probed.serial = scribe.text(field.value, at);
    else if (field.what == "TRIM/UNMAP support") {
        if (field.value == "Yes" || field.value == "No")
            probed.trim_support = scribe.known(field.value == "Yes", at);
    } else if (field.what == "Zone Mode") {
        if (field.value.starts_with("Host") || field.value.starts_with("Drive"))
            probed.shingled = scribe.known(true, at);
    } else if (field.what == "Rotation rate in RPM") {
        const auto rpm = to_unsigned(field.value);  // or "Unknown"
        if (rpm) probed.rotational = scribe.known(*rpm != 0, at);
        if (rpm && *rpm > 1) probed.rpm = scribe.known(*rpm, at);
    }
}

void write(const Probed& probed, std::size_t at, Scribe& scribe) {
    if (!probed.disk) {
        if (volume_by_name(probed.name).is_volume)
            set_device_size(scribe, probed.name, probed.size ? std::optional(*probed.size) : std::nullopt,
                            probed.sector ? std::optional(*probed.sector) : std::nullopt, at);
        // Of gstripe it is the unit (freebsd/freebsd-src:sys/geom/stripe/g_stripe.c).
        if (volume_by_name(probed.name).kind == VolumeKind::gstripe && probed.stripe && *probed.stripe > 0)
            volume(scribe.facts, probed.name).stripe_unit_bytes = probed.stripe;
        return;
    }
    Disk& d = disk(scribe.facts, probed.name);
    d.size_bytes = probed.size, d.logical_sector_bytes = probed.sector,
    d.reported_stripe_bytes = probed.stripe;
    d.model = probed.model, d.serial = probed.serial, d.trim = probed.trim_support;
    d.rotational = probed.rotational, d.rpm = probed.rpm, d.shingled = probed.shingled;
    if (probed.name.starts_with("ada") && (probed.stripe.is(4096) || probed.stripe.is(8192))) {
        d.physical_sector_bytes = probed.stripe;
        d.physical_offset_bytes = probed.stripe_offset;
    }
}

// "outside:       102400 kbytes in   1.903863 sec =    53785 kbytes/sec"
bool take_rate(std::string_view line, std::size_t at, const std::string& device, Scribe& scribe) {
    const auto w = words(line);
    if (w.size() < 8 || !contains(line, "kbytes/sec")) return false;
    const auto equals = std::find(w.begin(), w.end(), "=");
    if (equals == w.end() || equals + 1 == w.end()) return true;
    // Of a disk the outside is what it can do at best; the other zones are its own business.
    if (w[0] != "outside:") return true;
    const auto rate = scribe.real(*(equals + 1), at, "transfer rate");
    if (!rate) return true;
    Throughput t;
    t.device = device;
    t.direction = scribe.text("read", at);
    t.bytes_per_s = scribe.known(*rate * 1024, at);
    t.tool = scribe.text("diskinfo -t", at);
    scribe.facts.throughputs.push_back(std::move(t));
    return true;
}

bool is_filler(std::string_view text) {
    return text.starts_with("Seek times:") || text.starts_with("Transfer rates:") ||
           text.starts_with("I/O command overhead:") || text.starts_with("Asynchronous random reads:") ||
           text.starts_with("time to read") || text.starts_with("calculated command") ||
           (contains(text, " iter in ") && contains(text, " msec")) ||
           (contains(text, " ops in ") && contains(text, " IOPS"));
}

std::size_t parse_row(const Output& out, std::size_t at, Scribe& scribe) {
    const auto w = words(out.text(at));
    Probed probed;
    probed.name = device_name(w[0]);
    probed.disk = is_disk(probed.name, w[0]);
    const auto known = [&](std::size_t n, std::string_view what) {
        const auto value = scribe.number(w[n], at, what);
        return value ? scribe.known(*value, at) : Number{};
    };
    probed.sector = known(1, "sectorsize"), probed.size = known(2, "mediasize");
    probed.stripe = known(4, "stripesize"), probed.stripe_offset = known(5, "stripeoffset");
    write(probed, at, scribe);
    return 1;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    scribe.suggest_os(Os::freebsd, at);
    const bool named = !is_sector_line(out.text(at));
    if (named && !is_sector_line(out.text(at + 1))) return parse_row(out, at, scribe);
    const auto as_written = named                         ? words(out.text(at))[0]
                            : out.program() == "diskinfo" ? out.operand(0)
                                                          : std::string_view{};
    Probed probed;
    probed.name = device_name(as_written);
    probed.disk = !as_written.empty() && is_disk(probed.name, as_written);
    std::size_t i = named ? at + 1 : at, last = at;
    for (; i < out.lines.size(); ++i) {
        const auto line = trim(out.text(i));
        if (line.empty()) {
            const auto next = next_filled(out, i, 1);
            if (!next || !(is_filler(trim(out.text(*next))))) break;
            continue;
        }
        if (i > at + 1 && is_name_line(line) && is_sector_line(out.text(i + 1))) break;
        if (const auto field = field_of(line))
            note_field(*field, i, probed, scribe);
        else if (!take_rate(line, i, probed.name, scribe) && !is_filler(line))
            break;
        last = i;
    }
    if (!probed.size && !out.filtered)
        scribe.unparsed(at, last, fmt::format("diskinfo: no mediasize of '{}'", escaped(probed.name)));
    if (!probed.name.empty()) write(probed, at, scribe);
    return last - at + 1;
}

}  // namespace

extern const CommandParser diskinfo_parser{
    .id = "diskinfo",
    .programs = {"diskinfo"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"diskinfo", "-v", "{disk}"}, true}},
};

}  // namespace diskwright
