// SPDX-License-Identifier: BSD-2-Clause
// hdparm -I and -W (with -t) of Linux, each block headed by the device:
//   /dev/sda:
//    write-caching =  1 (on)
//    Timing buffered disk reads: 190 MB in  3.00 seconds =  63.26 MB/sec
//           Model Number:       ST2000NM0055-1V4104
//           Physical Sector size:                  4096 bytes
//              *    Write cache
// MB are MiB, kB are KiB (hdparm prints from 2^20 counts).
// Format: hdparm's identify.c and hdparm.c (Distrotech/hdparm).
#include <fmt/format.h>

#include "probes/parsers/linux_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

std::string_view device_line(std::string_view line) {
    const auto text = trim(line);
    if (!text.starts_with("/dev/") || !text.ends_with(':') || text.find(' ') != std::string_view::npos)
        return {};
    return text.substr(0, text.size() - 1);
}

bool is_rate(std::string_view line) {
    return contains(line, "Timing buffered disk reads:") || contains(line, "Timing O_DIRECT disk reads:");
}

bool is_ours(std::string_view line) {
    const auto text = trim(line);
    return is_rate(text) || contains(text, "Timing cached reads:") || contains(text, "HDIO_DRIVE_CMD") ||
           text.starts_with("write-caching =") || text == "ATA device, with non-removable media" ||
           text.starts_with("setting drive write-caching");
}

// Blocks of timings alone are hdparm-timing's.
bool tells_identity(std::string_view line) {
    const auto text = trim(line);
    return text.starts_with("write-caching =") || text.starts_with("setting drive write-caching") ||
           text.starts_with("ATA device, with");
}

bool starts(const Output& out, std::size_t at) {
    if (tells_identity(out.text(at))) return true;
    if (device_line(out.text(at)).empty()) return false;
    const auto next = next_filled(out, at + 1, 2);
    return next && tells_identity(out.text(*next));
}

void take_rate(std::string_view line, std::size_t at, const std::string& device, Scribe& scribe) {
    const auto equals = after(line, "=");
    const auto w = equals ? words(*equals) : std::vector<std::string_view>{};
    if (w.size() < 2 || (w[1] != "MB/sec" && w[1] != "kB/sec" && w[1] != "GB/sec")) {
        scribe.unparsed(at, at, "hdparm -t: no rate at the end of the line");
        return;
    }
    const auto rate = scribe.real(w[0], at, "rate of disk reads");
    if (!rate) return;
    const double unit = w[1][0] == 'k' ? 1024.0 : w[1][0] == 'M' ? 1048576.0 : 1073741824.0;
    Throughput t;
    t.device = device;
    t.direction = scribe.text("read", at);
    t.bytes_per_s = scribe.known(*rate * unit, at);
    t.tool = scribe.text("hdparm -t", at);
    scribe.facts.throughputs.push_back(std::move(t));
}

// Lines of -I. A '*' before a feature says that it is enabled.
bool take_identity(std::string_view line, std::size_t at, Disk& d, Scribe& scribe) {
    const auto text = trim(line);
    const auto bytes = [&](Number& into, std::string_view rest) {
        const auto number = leading_unsigned(trim(rest));
        if (number && number->value >= 512 && number->value <= 65536) into = scribe.known(number->value, at);
    };
    // The count comes before the sector it counts in, which old drives and releases leave out: 512.
    const auto sectors = [&](std::string_view rest) {
        const auto count = to_unsigned(trim(rest));
        const auto size = count && *count > 0 ? multiply(*count, 512) : std::nullopt;
        if (size) d.size_bytes = scribe.known(*size, at);
    };
    const auto logical_sector = [&](std::string_view rest) {
        bytes(d.logical_sector_bytes, rest);
        const auto size = d.size_bytes && d.logical_sector_bytes
                              ? multiply(*d.size_bytes / 512, *d.logical_sector_bytes)
                              : std::nullopt;
        if (size) d.size_bytes = Number(*size, d.size_bytes.from());
    };
    if (const auto model = after(text, "Model Number:"))
        d.model = scribe.text(trim(*model), at);
    else if (const auto serial = after(text, "Serial Number:"); serial && text.starts_with("Serial"))
        d.serial = scribe.text(trim(*serial), at);
    else if (const auto firmware = after(text, "Firmware Revision:"))
        d.firmware = scribe.text(trim(*firmware), at);
    else if (const auto both = after(text, "Logical/Physical Sector size:"))
        logical_sector(*both), bytes(d.physical_sector_bytes, *both);
    else if (const auto logical = after(text, "Logical  Sector size:"))
        logical_sector(*logical);
    else if (const auto all = after(text, "LBA48  user addressable sectors:"))
        sectors(*all);
    else if (const auto first = after(text, "LBA    user addressable sectors:")) {
        // 2^28 - 1 is all that the old command can say.
        if (to_unsigned(trim(*first)) != (std::uint64_t{1} << 28U) - 1) sectors(*first);
    } else if (const auto physical = after(text, "Physical Sector size:"))
        bytes(d.physical_sector_bytes, *physical);
    else if (const auto offset = after(text, "Logical Sector-0 offset:")) {
        // How far sector 0 is into its physical sector; the next one begins where that ends.
        const auto number = leading_unsigned(trim(*offset));
        const std::uint64_t sector = d.physical_sector_bytes.value_or(0);
        if (number && (number->value == 0 || number->value < sector))
            d.physical_offset_bytes = scribe.known(number->value == 0 ? 0 : sector - number->value, at);
    } else if (const auto rate = after(text, "Nominal Media Rotation Rate:")) {
        const auto rpm = to_unsigned(trim(*rate));
        if (rpm && *rpm > 1)
            d.rpm = scribe.known(*rpm, at), d.rotational = scribe.known(true, at);
        else if (contains(*rate, "Solid State"))
            d.rotational = scribe.known(false, at);
    } else if (const auto depth = after(text, "Queue depth:")) {
        if (const auto number = to_unsigned(trim(*depth))) d.queue_depth = scribe.known(*number, at);
    } else if (text == "*    Write cache" || text == "Write cache") {
        d.write_cache = scribe.known(text.starts_with('*') ? Switch::on : Switch::off, at);
    } else if (contains(text, "Data Set Management TRIM supported")) {
        d.trim = scribe.known(text.starts_with('*'), at);
    } else {
        return false;
    }
    return true;
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::string device = out.program() == "hdparm" ? device_name(out.operand(0)) : std::string{};
    std::size_t i = at, last = at;
    bool identify = false;
    Disk found;
    for (; i < out.lines.size(); ++i) {
        const auto text = trim(out.text(i));
        if (const auto path = device_line(text); !path.empty()) {
            if (i != at) break;
            device = device_name(path);
        } else if (is_rate(text)) {
            take_rate(text, i, device, scribe);
        } else if (const auto state = after(text, "write-caching =");
                   state && text.starts_with("write-caching")) {
            const auto value = leading_unsigned(trim(*state));
            if (value) found.write_cache = scribe.known(value->value ? Switch::on : Switch::off, i);
        } else if (text.starts_with("ATA device,")) {
            identify = true;
        } else if (identify) {
            // -I prints some eighty lines, most of no interest; a line that begins in the first column is not
            // its own.
            const auto line = out.text(i);
            if (!text.empty() && !take_identity(line, i, found, scribe) && line[0] > ' ' &&
                !text.ends_with(':') && !text.starts_with("Logical Unit WWN") &&
                !text.starts_with("Checksum"))
                break;
        } else if (!text.empty() && !is_ours(text)) {
            break;
        }
        if (!text.empty()) last = i;
    }
    scribe.suggest_os(Os::linux_, at);
    found.name = device;
    const bool any = found.model || found.write_cache || found.logical_sector_bytes || found.rotational;
    if (any && !device.empty())
        scribe.facts.disks.push_back(std::move(found));
    else if (any)
        scribe.unparsed(at, last, "hdparm: of which disk is not shown");
    else if (scribe.facts.throughputs.empty() && scribe.facts.unparsed.empty())
        scribe.unparsed(at, last, "hdparm: nothing understood");
    return last - at + 1;
}

}  // namespace

extern const CommandParser hdparm_parser{
    .id = "hdparm",
    .programs = {"hdparm"},
    .starts = starts,
    .parse = parse,
    .live = {{Os::linux_, {"hdparm", "-I", "/dev/{disk}"}, true}},
};

}  // namespace diskwright
