// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/mounts_write.hpp"

#include "probes/parsers/fs_table.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// The BSDs' mount -v mixes counters and an fsid into the options.
bool is_statistic(std::string_view option) {
    return option.find(": ") != std::string_view::npos || option.starts_with("fsid ");
}

}  // namespace

void write_mount(Scribe& scribe, std::size_t line, std::string_view device, std::string_view point,
                 std::string_view type, std::vector<std::string> options) {
    if (scribe.facts.mounts.size() >= most_mounts) {
        if (scribe.facts.unparsed.empty()) scribe.unparsed(line, line, "more mounts than one host has");
        return;
    }
    std::erase_if(options, [](const std::string& option) { return is_statistic(option); });
    Mount& target = mount(scribe.facts, point);
    target.device = scribe.text(device_name(device), line);
    if (!type.empty()) target.type = scribe.text(type, line);
    if (names_format(type) && device.starts_with("/dev/")) {
        Filesystem& fs = filesystem(scribe.facts, device_name(device));
        fs.type = scribe.text(type, line);
        if (type == "xfs")
            for (const std::string_view option : options) {
                const bool unit = option.starts_with("sunit=");
                if (!unit && !option.starts_with("swidth=")) continue;
                if (const auto bytes =
                        scribe.scaled(option.substr(option.find('=') + 1), 512, line, "xfs stripe option");
                    bytes && *bytes)
                    (unit ? fs.sunit_bytes : fs.swidth_bytes) = scribe.known(*bytes, line);
            }
    }
    target.options = scribe.known(std::move(options), line);
}

}  // namespace diskwright
