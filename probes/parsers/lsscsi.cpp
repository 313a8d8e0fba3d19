// SPDX-License-Identifier: BSD-2-Clause
// lsscsi [-s] (Linux):
//   [0:0:0:0]    disk    ATA      ST2000DM001-1CH1 CC24  /dev/sda   2.00TB
//   [N:0:1:1]    disk    Samsung SSD 970 EVO 500GB__1              /dev/nvme0n1   500GB
// Vendor, model and revision have widths of 8, 16 and 4; a model is cut to 16 characters there. Sizes are
// rounded and left out. Source: lsscsi(8), lsscsi.c (one_sdev_entry).
#include "probes/parsers/partition_listing.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

bool starts(const Output& out, std::size_t at) {
    const auto w = words(out.text(at));
    return w.size() >= 4 && w[0].starts_with('[') && w[0].ends_with(']') &&
           w[0].find(':') != std::string_view::npos &&
           (w[1] == "disk" || w[1] == "cd/dvd" || w[1] == "enclosu" || w[1] == "process" ||
            w[1] == "storage");
}

// Between the type and the device: vendor, model and revision, or one name and a namespace for NVMe.
void take(const std::vector<std::string_view>& w, std::size_t at, Scribe& scribe) {
    std::size_t device = 2;
    while (device < w.size() && !w[device].starts_with("/dev/")) ++device;
    if (device == w.size()) {
        if (w.back() != "-") scribe.unparsed(at, at, "lsscsi: a disk without its device");
        return;
    }
    if (device < 4) return;
    const bool nvme = w[0].starts_with("[N:");
    // The vendor ("ATA" for every SATA disk) is a column of its own.
    const std::size_t from = nvme || device < 5 ? 2 : 3;
    const std::size_t to = nvme ? device - 1 : device - 2;
    if (to < from) return;
    const auto& end = w[to];
    std::string_view model{w[from].data(),
                           static_cast<std::size_t>(end.data() + end.size() - w[from].data())};
    if (nvme) model = model.substr(0, model.find("__"));
    Disk& d = disk(scribe.facts, device_name(w[device]));
    if (!trim(model).empty()) d.model = scribe.text(trim(model), at);
    if (!nvme) d.firmware = scribe.text(w[device - 1], at);
    if (nvme) d.transport = scribe.text("nvme", at);
}

std::size_t parse(const Output& out, std::size_t at, Scribe& scribe) {
    std::size_t i = at;
    for (; i < out.lines.size() && starts(out, i); ++i) {
        const auto w = words(out.text(i));
        if (w[1] == "disk") take(w, i, scribe);
    }
    scribe.suggest_os(Os::linux_, at);
    return i - at;
}

}  // namespace

extern const CommandParser lsscsi_parser{
    .id = "lsscsi",
    .programs = {"lsscsi"},
    .starts = starts,
    .parse = parse,
    .live = {},
};

}  // namespace diskwright
