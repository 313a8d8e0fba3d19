// SPDX-License-Identifier: BSD-2-Clause
// scsictl sd0 identify (NetBSD 1.4 and later) and bioctl -q sd0 (OpenBSD 4.2 and later):
//   /dev/rsd0d: scsibus0 target 0 lun 0 <SEAGATE, ST3146855SS, S528>
//   sd0: <SEAGATE, ST3146855SS, S528>, serial 3LN6552C
// Vendor, product and revision of INQUIRY; the kernel's own line has "at" before the bus and is not this one.
// Sources: NetBSD/src:sbin/scsictl/scsictl.c (device_identify), openbsd/src:sbin/bioctl/bioctl.c
// (bio_diskinq).
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// "/dev/rsd0d: scsibus0 target ..." and "sd0: <...": the device, and what follows.
struct Line {
    std::string_view device, rest;
    bool openbsd = false;
};
std::optional<Line> line_of(std::string_view text) {
    text = trim(text);
    const auto colon = text.find(": ");
    if (colon == std::string_view::npos || text.substr(0, colon).find(' ') != std::string_view::npos)
        return std::nullopt;
    Line line{text.substr(0, colon), text.substr(colon + 2)};
    const auto w = words(line.rest);
    const bool netbsd = w.size() > 5 && w[0].starts_with("scsibus") && w[1] == "target" && is_number(w[2]) &&
                        w[3] == "lun" && w[5].starts_with('<');
    line.openbsd = line.rest.starts_with('<') && contains(line.rest, ">, serial");
    if (!netbsd && !line.openbsd) return std::nullopt;
    return line;
}

bool starts(const Output& out, std::size_t at) {
    return line_of(out.text(at)).has_value();
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    const auto line = line_of(out.text(at));
    scribe.suggest_os(line->openbsd ? Os::openbsd : Os::netbsd, at);
    const auto described = between(line->rest, "<", ">");
    const auto parts = described ? split(*described, ',') : std::vector<std::string_view>{};
    // A product with a comma in it cannot be told apart from its neighbours.
    if (parts.size() != 3) {
        scribe.unparsed(at, at, "inquiry: expected <vendor, product, revision>");
        return 1;
    }
    Disk& d = disk(scribe.facts, table_device(line->device));
    const auto vendor = trim(parts[0]), product = trim(parts[1]), revision = trim(parts[2]);
    // SATA disks have no vendor; their bridges put this word there.
    if (!product.empty())
        d.model =
            scribe.text(vendor.empty() || vendor == "ATA" ? std::string(product)
                                                          : std::string(vendor) + " " + std::string(product),
                        at);
    if (!revision.empty()) d.firmware = scribe.text(revision, at);
    const auto serial = after(line->rest, ">, serial ");
    if (serial && !trim(*serial).empty() && trim(*serial) != "(unknown)")
        d.serial = scribe.text(trim(*serial), at);
    return 1;
}

}  // namespace

extern const CommandParser scsi_inquiry_parser{
    .id = "scsi-inquiry",
    .programs = {"scsictl", "bioctl"},
    .starts = starts,
    .parse = parse,
};

}  // namespace diskwright
