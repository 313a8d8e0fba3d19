// SPDX-License-Identifier: BSD-2-Clause
#include "probes/parsers/mounts_write.hpp"

#include "probes/parsers/fs_table.hpp"
#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// The BSDs' mount -v mixes counters, an fsid and the mounting user into the options, and NetBSD's -vv ends
// them with the arguments in brackets (NetBSD/src:sbin/mount/mount.c, prmount).
void drop_statistics(std::vector<std::string>& options) {
    bool bracket = false;
    std::erase_if(options, [&](const std::string& option) {
        bracket = bracket || option.starts_with('[');
        const bool mine = bracket || contains(option, ": ") || option.starts_with("fsid ") ||
                          option.starts_with("mounted by ");
        if (option.ends_with(']')) bracket = false;
        return mine;
    });
}

}  // namespace

void write_mount(Scribe& scribe, std::size_t line, std::string_view device, std::string_view point,
                 std::string_view type, std::vector<std::string> options) {
    if (scribe.facts.mounts.size() >= most_mounts) {
        if (scribe.facts.unparsed.empty()) scribe.unparsed(line, line, "more mounts than one host has");
        return;
    }
    drop_statistics(options);
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
