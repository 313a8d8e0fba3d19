// SPDX-License-Identifier: BSD-2-Clause
// atactl wd0 identify of NetBSD and OpenBSD:
//   Model: ..., Rev: ..., Serial #: ...
//   Capacity 2000G bytes, 3907029168 sectors, 512 bytes/sector
//   Physical sector size: 4096 bytes
//   First physically aligned sector: 8
//   Command queue depth: 32
//   Cylinders: 16383, heads: 16, sec/track: 63, total sectors: 1953525168    OpenBSD, NetBSD before 5
// The first aligned sector is printed as sectors per physical one less the offset of logical sector 0
// (NetBSD/src:sbin/atactl/atactl.c, openbsd/src:sbin/atactl/atactl.c).
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool identify_starts(const Output& out, std::size_t at) {
    const auto text = trim(out.text(at));
    return text.starts_with("Model: ") && contains(text, ", Rev: ") && contains(text, ", Serial #: ");
}

std::size_t identify_parse(const Output& out, std::size_t at, Scribe& scribe) {
    Disk d;
    const auto head = trim(out.text(at));
    d.model = scribe.text(trim(*between(head, "Model: ", ", Rev: ")), at);
    d.firmware = scribe.text(trim(*between(head, ", Rev: ", ", Serial #: ")), at);
    d.serial = scribe.text(trim(*after(head, ", Serial #: ")), at);
    std::uint64_t logical = 512;
    std::size_t i = at + 1, last = at;
    for (; i < out.lines.size(); ++i) {
        const auto line = out.text(i);
        const auto text = trim(line);
        if (text.empty()) break;
        if (text.starts_with("Capacity ")) {
            const auto w = words(text);
            for (std::size_t n = 1; n + 1 < w.size(); ++n) {
                if (w[n + 1].starts_with("bytes/sector"))
                    if (const auto bytes = scribe.number(w[n], i, "bytes per sector"); bytes && *bytes >= 512)
                        logical = *bytes, d.logical_sector_bytes = scribe.known(*bytes, i);
            }
            for (std::size_t n = 1; n + 1 < w.size(); ++n)
                if (w[n + 1].starts_with("sectors"))
                    if (const auto bytes = scribe.scaled(w[n], logical, i, "capacity"))
                        d.size_bytes = scribe.known(*bytes, i);
            scribe.suggest_os(Os::netbsd, i);
        } else if (const auto total = after(text, "total sectors: ")) {
            if (const auto bytes = scribe.scaled(trim(*total), logical, i, "capacity"))
                d.size_bytes = scribe.known(*bytes, i);
        } else if (const auto physical = after(text, "Physical sector size: ")) {
            if (const auto bytes = leading_unsigned(*physical))
                d.physical_sector_bytes = scribe.known(bytes->value, i);
        } else if (const auto aligned = after(text, "First physically aligned sector: ")) {
            const auto sector = leading_unsigned(*aligned);
            const std::uint64_t ratio = d.physical_sector_bytes ? *d.physical_sector_bytes / logical : 0;
            if (sector && ratio > 0 && sector->value <= ratio)
                d.physical_offset_bytes = scribe.known(sector->value % ratio * logical, i);
        } else if (const auto depth = after(text, "Command queue depth: ")) {
            if (const auto count = leading_unsigned(*depth)) d.queue_depth = scribe.known(count->value, i);
        } else if (contains(text, "rite cache") || contains(text, "write cache")) {
            // The command set list: "Write cache support (enabled)"; disabled ones say so or have nothing.
            if (contains(text, "(enabled)"))
                d.write_cache = scribe.known(Switch::on, i);
            else if (contains(text, "(disabled)"))
                d.write_cache = scribe.known(Switch::off, i);
        } else if (line[0] > ' ' && text.find(':') == std::string_view::npos && !text.starts_with("ATA-") &&
                   !text.starts_with("World Wide")) {
            break;
        }
        last = i;
    }
    const bool prompted = out.program() == "atactl";
    d.name = described_disk(out, prompted ? table_device(out.operand(0)) : std::string{});
    scribe.facts.disks.push_back(std::move(d));
    return last - at + 1;
}

}  // namespace

extern const CommandParser atactl_parser{
    .id = "atactl-identify",
    .programs = {"atactl"},
    .starts = identify_starts,
    .parse = identify_parse,
    .live = {{Os::netbsd, {"atactl", "{disk}", "identify"}, true}},
};

}  // namespace diskwright
