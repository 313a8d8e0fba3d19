// SPDX-License-Identifier: BSD-2-Clause
// Commands that tell what a rule misses, by system.
#pragma once

#include <string>
#include <string_view>

#include "probes/model/host_facts.hpp"
#include "probes/support/text.hpp"

namespace diskwright {

/// A command to type, or words in its place where the input does not name the disk. atactl(8) speaks to ATA
/// disks only, and that of OpenBSD does not print the size; smartctl(8) wants the raw whole disk there.
inline std::string sector_command(const HostFacts& host, std::string_view disk) {
    const std::string name(disk);
    if (name.empty() || contains(name, "?")) return "smartctl -i with the name of the disk";
    if (!host.os.name) return "smartctl -i /dev/" + name;
    switch (*host.os.name) {
        case Os::linux_:
            return "lsblk -o NAME,LOG-SEC,PHY-SEC /dev/" + name;
        case Os::freebsd:
            if (name.starts_with("ada")) return "camcontrol identify " + name;
            return name.starts_with("da") ? "smartctl -i /dev/" + name : "diskinfo -v " + name;
        case Os::netbsd:
            return name.starts_with("wd") ? "atactl " + name + " identify"
                                          : "smartctl -i /dev/r" + name + "d";
        case Os::openbsd:
            return "smartctl -i /dev/r" + name + "c";
        case Os::dragonfly:
            break;
    }
    return "smartctl -i /dev/" + name;
}

/// Rotating or not.
inline std::string rotation_command(const HostFacts& host, const std::string& disk) {
    if (host.is(Os::linux_)) return "lsblk -o NAME,ROTA /dev/" + disk;
    if (host.is(Os::freebsd)) return "diskinfo -v " + disk;
    return "smartctl -i /dev/" + disk;
}

/// Three reports of 10 s after the one since boot.
inline std::string iostat_command(const HostFacts& host) {
    if (host.is(Os::linux_)) return "iostat -x 10 4";
    return host.is(Os::openbsd) ? "iostat -w 10 -c 4" : "iostat -x -w 10 -c 4";
}

}  // namespace diskwright
