// SPDX-License-Identifier: BSD-2-Clause
// smartctl -i -H -A (-a, -x) of smartmontools 5.x to 7.x, all systems; ATA, SCSI and NVMe:
//   Device Model:     ST2000DM001-1CH164                 Vendor: / Product:        Model Number:
//   Sector Sizes:     512 bytes logical, 4096 bytes physical
//   Rotation Rate:    7200 rpm                           "Solid State Device"
//   SMART overall-health self-assessment test result: PASSED
//   197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       0
//   Media and Data Integrity Errors:    0
// Format: smartmontools/smartmontools:smartmontools/{ata,scsi,nvme}print.cpp.
#include <fmt/format.h>

#include "probes/model/storage_graph.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

constexpr std::size_t longest = 600;  // lines of -x

bool is_banner(std::string_view line) {
    const auto text = trim(line);
    return text.starts_with("smartctl ") && (contains(text, "[") || contains(text, "Copyright"));
}

bool starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    return is_banner(text) || text.starts_with("=== START OF ") ||
           text.starts_with("SMART overall-health self-assessment") || text.starts_with("Device Model:") ||
           text.starts_with("ID# ATTRIBUTE_NAME") || text.starts_with("SMART Health Status:");
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
    if (!text.starts_with(key)) return std::nullopt;
    return trim(text.substr(key.size()));
}

// "[500,107,862,016 bytes" and "2,000,398,934,016 bytes [2.00 TB]": digits with any separator the locale puts
// between.
std::optional<std::uint64_t> grouped_bytes(std::string_view text) {
    const auto end = text.find(" bytes");
    std::string digits;
    for (const char c : text.substr(0, std::min(end, text.find('[')))) {
        if (c >= '0' && c <= '9')
            digits += c;
        else if (c != ',' && c != '.' && c != '\'' && c != ' ' && static_cast<unsigned char>(c) < 0x80)
            return std::nullopt;
    }
    return to_unsigned(digits);
}

void take_sector_sizes(std::string_view value, std::size_t at, Disk& d, Scribe& scribe) {
    const auto first = leading_unsigned(value);
    if (!first) {
        scribe.unparsed(at, at, "smartctl: no number in the sector size");
        return;
    }
    const auto physical = between(value, "logical, ", " bytes physical");
    d.logical_sector_bytes = scribe.known(first->value, at);
    if (const auto bytes = physical ? to_unsigned(*physical) : std::nullopt)
        d.physical_sector_bytes = scribe.known(*bytes, at);
    else if (contains(value, "logical/physical"))
        d.physical_sector_bytes = scribe.known(first->value, at);
}

bool take_identity(std::string_view text, std::size_t at, Disk& d, Scribe& scribe) {
    const auto put = [&](Text& into, std::string_view value) {
        if (!value.empty() && value != "[No Information Found]") into = scribe.text(value, at);
    };
    if (const auto model = value_of(text, "Device Model:"))
        put(d.model, *model);
    else if (const auto number = value_of(text, "Model Number:"))
        put(d.model, *number);
    else if (const auto product = value_of(text, "Product:"))
        put(d.model, *product);
    else if (const auto serial = value_of(text, "Serial Number:"))
        put(d.serial, *serial);
    else if (const auto serial_scsi = value_of(text, "Serial number:"))
        put(d.serial, *serial_scsi);
    else if (const auto firmware = value_of(text, "Firmware Version:"))
        put(d.firmware, *firmware);
    else if (const auto sizes = value_of(text, "Sector Sizes:"))
        take_sector_sizes(*sizes, at, d, scribe);
    else if (const auto size = value_of(text, "Sector Size:"))
        take_sector_sizes(*size, at, d, scribe);
    else if (const auto logical = value_of(text, "Logical block size:")) {
        if (const auto bytes = leading_unsigned(*logical))
            d.logical_sector_bytes = scribe.known(bytes->value, at);
    } else if (const auto physical = value_of(text, "Physical block size:")) {
        if (const auto bytes = leading_unsigned(*physical))
            d.physical_sector_bytes = scribe.known(bytes->value, at);
    } else if (const auto capacity = value_of(text, "User Capacity:")) {
        const auto bytes = grouped_bytes(*capacity);
        if (bytes && *bytes > 0)
            d.size_bytes = scribe.known(*bytes, at);
        else
            scribe.unparsed(at, at, "smartctl: the capacity is no number of bytes");
    } else if (const auto rate = value_of(text, "Rotation Rate:")) {
        const auto rpm = leading_unsigned(*rate);
        if (rpm && rpm->value > 1)
            d.rpm = scribe.known(rpm->value, at), d.rotational = scribe.known(true, at);
        else if (contains(*rate, "Solid State"))
            d.rotational = scribe.known(false, at);
    } else if (const auto zoned = value_of(text, "Zoned Device:")) {
        d.shingled = scribe.known(true, at);
    } else if (const auto trim_line = value_of(text, "TRIM Command:")) {
        d.trim = scribe.known(trim_line->starts_with("Available"), at);
    } else if (const auto cache = value_of(text, "Write cache is:")) {
        if (cache->starts_with("Enabled") || cache->starts_with("Disabled"))
            d.write_cache = scribe.known(cache->starts_with("Enabled") ? Switch::on : Switch::off, at);
    } else if (const auto writeback = value_of(text, "Writeback Cache is:")) {
        if (*writeback == "Enabled" || *writeback == "Disabled")
            d.write_cache = scribe.known(*writeback == "Enabled" ? Switch::on : Switch::off, at);
    } else if (const auto protocol = value_of(text, "Transport protocol:")) {
        put(d.transport, lowercase(protocol->substr(0, protocol->find(' '))));
    } else if (text.starts_with("SATA Version is:")) {
        d.transport = scribe.text("sata", at);
    } else {
        return false;
    }
    return true;
}

bool take_health(std::string_view text, std::size_t at, Disk& d, Scribe& scribe) {
    if (const auto result = value_of(text, "SMART overall-health self-assessment test result:")) {
        if (result->starts_with("PASSED"))
            d.health_passed = scribe.known(true, at);
        else if (result->starts_with("FAILED"))
            d.health_passed = scribe.known(false, at);
    } else if (const auto status = value_of(text, "SMART Health Status:")) {
        d.health_passed = scribe.known(status->starts_with("OK"), at);
    } else if (const auto grown = value_of(text, "Elements in grown defect list:")) {
        if (const auto count = scribe.number(*grown, at, "grown defects"))
            d.reallocated_sectors = scribe.known(*count, at);
    } else if (const auto critical = value_of(text, "Critical Warning:")) {
        if (const auto bits = to_hex(*critical)) d.critical_warning = scribe.known(*bits, at);
    } else if (const auto errors = value_of(text, "Media and Data Integrity Errors:")) {
        std::string digits;
        for (const char c : *errors)
            if (c != ',' && c != '.') digits += c;
        if (const auto count = scribe.number(digits, at, "media errors"))
            d.media_errors = scribe.known(*count, at);
    } else {
        return false;
    }
    return true;
}

// "197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       0": the raw value
// is the tenth.
bool take_attribute(std::string_view text, std::size_t at, Disk& d, Scribe& scribe) {
    const auto w = words(text);
    if (w.size() < 8 || !is_number(w[0]) || !w[2].starts_with("0x")) {
        // The brief table of -x has flags in letters: "  5 Reallocated_Sector_Ct   PO--CK   100   100   010
        // -    0".
        if (w.size() < 8 || !is_number(w[0]) || w[2].size() != 6) return false;
    }
    const auto raw = leading_unsigned(w[2].starts_with("0x") && w.size() >= 10 ? w[9] : w[7]);
    if (!raw) {
        scribe.unparsed(at, at, fmt::format("smartctl: no raw value of attribute {}", w[0]));
        return true;
    }
    // Numbers by their agreed meaning; names differ between vendors.
    const Number value = scribe.known(raw->value, at);
    if (w[0] == "5" && contains(w[1], "Reallocated"))
        d.reallocated_sectors = value;
    else if (w[0] == "197" && contains(w[1], "Pending"))
        d.pending_sectors = value;
    else if (w[0] == "198" && contains(w[1], "Uncorrectable"))
        d.uncorrectable_sectors = value;
    else if (w[0] == "199" && contains(w[1], "CRC"))
        d.interface_crc_errors = value;
    return true;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::string name =
        out.program() == "smartctl" ? device_name(out.operand(0, "dlnTbrqtvfgPB")) : std::string{};
    // The BSDs want the raw partition that stands for the whole disk: /dev/rwd0d, /dev/rsd0c.
    if (auto whole = whole_device_name(name); !whole.empty()) name = std::move(whole);
    Disk d;
    bool any = false;
    std::size_t i = at, last = at, idle = 0;
    for (; i < out.lines.size() && i < at + longest; ++i) {
        const auto text = trim(out.text(i));
        if (i > at && is_banner(text)) break;
        if (text.empty()) {
            if (++idle > 2) break;
            continue;
        }
        const bool took = take_identity(text, i, d, scribe) || take_health(text, i, d, scribe) ||
                          take_attribute(text, i, d, scribe);
        any = any || took;
        // Its other lines are "Key: value", headings and continued sentences; without the prompt only the
        // first two are sure.
        const bool heading = text.starts_with("=== ") || text.starts_with("ID# ") || is_banner(text) ||
                             text.starts_with("Copyright") || text.starts_with("SMART ") ||
                             text.starts_with("Vendor Specific") || text.starts_with("General SMART");
        const bool pair = text.find(':') != std::string_view::npos && text.find(':') < 60;
        if (!took && !heading && !pair && out.program() != "smartctl") break;
        idle = 0;
        last = i;
    }
    if (!any)
        scribe.unparsed(at, last, "smartctl: neither identity nor health");
    else {
        d.name = described_disk(out, std::move(name));
        scribe.facts.disks.push_back(std::move(d));
    }
    return last - at + 1;
}

}  // namespace

extern const CommandParser smartctl_parser{
    .id = "smartctl",
    .programs = {"smartctl"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"smartctl", "-i", "-H", "-A", "-g", "wcache", "/dev/{disk}"}, true},
             {Os::freebsd, {"smartctl", "-i", "-H", "-A", "/dev/{disk}"}, true},
             {Os::netbsd, {"smartctl", "-i", "-H", "-A", "/dev/r{disk}d"}, true},
             {Os::openbsd, {"smartctl", "-i", "-H", "-A", "/dev/r{disk}c"}, true}},
};

}  // namespace diskwright
