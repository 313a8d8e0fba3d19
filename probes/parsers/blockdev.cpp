// SPDX-License-Identifier: BSD-2-Clause
// blockdev --report of Linux:
//   RO    RA   SSZ   BSZ        StartSec            Size   Device
//   rw   256   512  4096            2048   1000203820544   /dev/sda1
// Format: util-linux/util-linux:disk-utils/blockdev.c.
#include "probes/model/storage_graph.hpp"
#include "probes/parsers/linux_names.hpp"
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool is_report_header(std::string_view line) {
    const auto w = words(line);
    return w.size() >= 7 && w[0] == "RO" && w[1] == "RA" && w[2] == "SSZ" && w[3] == "BSZ" &&
           w.back() == "Device";
}

bool report_starts(const Output& out, std::size_t at) {
    return is_report_header(out.text(at));
}

std::size_t report_parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t i = at + 1;
    scribe.suggest_os(Os::linux_, at);
    for (; i < out.lines.size(); ++i) {
        const auto w = words(out.text(i));
        if (w.size() != 7 || (w[0] != "rw" && w[0] != "ro")) break;
        const std::string name = device_name(w[6]);
        const auto sector = scribe.number(w[2], i, "SSZ"), size = scribe.number(w[5], i, "Size");
        const std::string parent = whole_device_name(name);
        if (parent.empty()) {
            LinuxDevice device{name, size, sector, std::nullopt, i, i, {}, 0};
            write_linux_device(device, scribe);
            continue;
        }
        Partition& p = partition(scribe.facts, name);
        p.parent = parent;
        // StartSec counts 512 bytes whatever the sector. Some releases print "-" or N/A where none is known.
        if (const auto start = to_unsigned(w[4]))
            if (const auto bytes = multiply(*start, 512)) p.start_bytes = scribe.known(*bytes, i);
        if (size && *size > 0) p.size_bytes = scribe.known(*size, i);
    }
    // A host without block devices of its own, a container, prints the header alone.
    const bool empty_report = out.program() == "blockdev" && i == out.lines.size();
    if (i == at + 1 && !empty_report) scribe.unparsed(at, at, "blockdev: no device below the header");
    return i - at;
}

}  // namespace

extern const CommandParser blockdev_parser{
    .id = "blockdev-report",
    .programs = {"blockdev"},
    .starts = report_starts,
    .parse = report_parse,
    .live = {{Os::linux_, {"blockdev", "--report"}, true}},
};

}  // namespace diskwright
