// SPDX-License-Identifier: BSD-2-Clause
// camcontrol identify ada0 of FreeBSD and DragonFly:
//   device model          ST3200820AS
//   sector size           logical 512, physical 512, offset 0
//   LBA48 supported       390721968 sectors
//   media RPM             7200
//   write cache                    yes      yes
//   Native Command Queuing (NCQ)   yes      32 tags
// The lines are known by their first words, so that a grep of some of them is understood too.
// Format: freebsd/freebsd-src:sbin/camcontrol/camcontrol.c.
#include <fmt/format.h>

#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::string_view features[] = {"read ahead",
                                         "write cache",
                                         "flush cache",
                                         "overlap",
                                         "Tagged Command Queuing",
                                         "SMART",
                                         "microcode",
                                         "security",
                                         "power management",
                                         "advanced power",
                                         "automatic acoustic",
                                         "media status",
                                         "power-up in",
                                         "write-read-verify",
                                         "unload",
                                         "free-fall",
                                         "general purpose",
                                         "Streaming",
                                         "Host Protected",
                                         "encrypts all",
                                         "Sanitize",
                                         "Accessible Max",
                                         "DSM -",
                                         "HPA -",
                                         "NCQ ",
                                         "Zoned"};

// Lines of the upper part: a key, then at least two blanks or the width of 22.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
    line = trim(line);
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] > ' ') return std::nullopt;
    return trim(line.substr(key.size()));
}

constexpr std::string_view keys[] = {"protocol",
                                     "device model",
                                     "firmware revision",
                                     "serial number",
                                     "WWN",
                                     "cylinders",
                                     "heads",
                                     "sectors/track",
                                     "sector size",
                                     "LBA supported",
                                     "LBA48 supported",
                                     "PIO supported",
                                     "DMA supported",
                                     "media RPM",
                                     "overlap",
                                     "additional product id",
                                     "media serial number",
                                     "CFA supported",
                                     "LBA",
                                     "device CFA"};

bool is_pass_line(std::string_view text) {
    return text.starts_with("pass") && (contains(text, " device") || contains(text, "MB/s transfers"));
}

bool is_table_head(std::string_view text) {
    return text.starts_with("Feature ") && contains(text, "Support") && contains(text, "Enabled");
}

bool is_ours(std::string_view line) {
    const auto text = trim(line);
    if (is_pass_line(text) || is_table_head(text) || text.starts_with("Native Command Queuing") ||
        text.starts_with("data set management") || text.starts_with("Data Set Management"))
        return true;
    for (const auto key : keys)
        if (value_of(text, key)) return true;
    for (const auto key : features)
        if (text.starts_with(key)) return true;
    return false;
}

bool starts(const Output& out, std::size_t at) {
    const auto line = out.text(at);
    if (out.program() == "camcontrol" && out.has_argument("identify")) return is_ours(line);
    const auto text = trim(line);
    if (const auto size = value_of(text, "sector size"))
        return size->starts_with("logical ") && contains(*size, "physical ");
    // Without the prompt: the first line that no other tool prints.
    return (value_of(text, "protocol") && contains(text, "ATA")) ||
           (value_of(text, "device model") &&
            (value_of(out.text(at + 1), "firmware revision") || value_of(out.text(at + 1), "sector size")));
}

struct Identity {
    std::optional<std::uint64_t> sectors, logical;
    std::size_t sectors_line = 0;
};

// "logical 512, physical 4096, offset 0"
void take_sector_size(std::string_view value, std::size_t at, Disk& d, Identity& identity, Scribe& scribe) {
    const auto number = [&](std::string_view key) {
        const auto rest = after(value, key);
        const auto found = rest ? leading_unsigned(trim(*rest)) : std::nullopt;
        return found ? std::optional(found->value) : std::nullopt;
    };
    const auto logical = number("logical"), physical = number("physical"), offset = number("offset");
    if (!logical || !physical) {
        scribe.unparsed(at, at, "camcontrol identify: sector size without logical and physical");
        return;
    }
    identity.logical = logical;
    d.logical_sector_bytes = scribe.known(*logical, at);
    d.physical_sector_bytes = scribe.known(*physical, at);
    // How far sector 0 is into its physical sector (freebsd/freebsd-src:sys/cam/ata/ata_all.c).
    if (offset && (*offset == 0 || *offset < *physical))
        d.physical_offset_bytes = scribe.known(*offset == 0 ? 0 : *physical - *offset, at);
}

// "write cache                    yes      no": supported, enabled.
struct Feature {
    std::string_view support, enabled, value;
};
std::optional<Feature> feature_of(std::string_view line, std::string_view key) {
    const auto text = trim(line);
    if (!text.starts_with(key)) return std::nullopt;
    const auto w = words(text.substr(key.size()));
    for (std::size_t i = 0; i < w.size(); ++i)
        if (w[i] == "yes" || w[i] == "no")
            return Feature{w[i], i + 1 < w.size() ? w[i + 1] : "", i + 2 < w.size() ? w[i + 2] : ""};
    return std::nullopt;
}

void take_feature(std::string_view line, std::size_t at, Disk& d, Scribe& scribe) {
    if (const auto cache = feature_of(line, "write cache")) {
        if (cache->support == "no")
            d.write_cache = scribe.known(Switch::off, at);
        else if (cache->enabled == "yes")
            d.write_cache = scribe.known(Switch::on, at);
        else if (cache->enabled == "no")
            d.write_cache = scribe.known(Switch::off, at);
    } else if (const auto ncq = feature_of(line, "Native Command Queuing")) {
        const auto tags = to_unsigned(is_number(ncq->enabled) ? ncq->enabled : ncq->value);
        if (tags) d.queue_depth = scribe.known(*tags, at);
    } else if (icontains(line.substr(0, 32), "data set management")) {
        const auto trim_support = feature_of(line, trim(line).substr(0, 19));
        if (trim_support) d.trim = scribe.known(trim_support->support == "yes", at);
    }
}

void take_field(std::string_view line, std::size_t at, Disk& d, Identity& identity, Scribe& scribe) {
    if (const auto model = value_of(line, "device model"))
        d.model = scribe.text(*model, at);
    else if (const auto firmware = value_of(line, "firmware revision"))
        d.firmware = scribe.text(*firmware, at);
    else if (const auto serial = value_of(line, "serial number"))
        d.serial = scribe.text(*serial, at);
    else if (const auto sector = value_of(line, "sector size"))
        take_sector_size(*sector, at, d, identity, scribe);
    else if (const auto protocol = value_of(line, "protocol"))
        d.transport = scribe.text(contains(*protocol, "SATA") ? "sata" : "ata", at);
    else if (const auto rpm = value_of(line, "media RPM")) {
        const auto rate = to_unsigned(*rpm);
        if (rate && *rate > 1)
            d.rpm = scribe.known(*rate, at), d.rotational = scribe.known(true, at);
        else if (*rpm == "non-rotating")
            d.rotational = scribe.known(false, at);
    } else if (contains(line, "supported") && trim(line).starts_with("LBA")) {
        auto count = value_of(line, "LBA48 supported");
        if (!count) count = value_of(line, "LBA supported");
        const auto sectors = count ? leading_unsigned(*count) : std::nullopt;
        // 2^28-1 is all that the old field can hold.
        if (sectors && sectors->value > 0 && sectors->value != 268435455)
            identity.sectors = sectors->value, identity.sectors_line = at;
    } else {
        take_feature(line, at, d, scribe);
    }
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const bool prompted = out.program() == "camcontrol";
    std::string name = prompted ? device_name(out.operand(1, "nuCtv")) : std::string{};
    std::size_t i = at, last = at;
    Disk d;
    Identity identity;
    for (; i < out.lines.size(); ++i) {
        if (trim(out.text(i)).empty()) {
            const auto next = next_filled(out, i, 1);
            if (!next || !is_ours(out.text(*next)) || (is_pass_line(trim(out.text(*next))) && i > at + 3))
                break;
            continue;
        }
        if (!is_ours(out.text(i))) break;
        // A second disk's output follows at once.
        if (i > at + 3 && (is_pass_line(trim(out.text(i))) || value_of(out.text(i), "protocol")) &&
            identity.logical)
            break;
        take_field(out.text(i), i, d, identity, scribe);
        last = i;
    }
    scribe.suggest_os(Os::freebsd, at);
    if (identity.sectors)
        if (const auto bytes = multiply(*identity.sectors, identity.logical.value_or(512)))
            d.size_bytes = scribe.known(*bytes, identity.sectors_line);
    d.name = described_disk(out, std::move(name));
    scribe.facts.disks.push_back(std::move(d));
    return last - at + 1;
}

}  // namespace

extern const CommandParser camcontrol_identify_parser{
    .id = "camcontrol-identify",
    .programs = {"camcontrol"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::freebsd, {"camcontrol", "identify", "{disk}"}, true},
             {Os::dragonfly, {"camcontrol", "identify", "{disk}"}, true}},
};

}  // namespace diskwright
