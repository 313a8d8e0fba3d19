// SPDX-License-Identifier: BSD-2-Clause
// Tables and partitions of a new set-up. Dialogues: NetBSD/src:sbin/disklabel/interact.c,
// openbsd/src:sbin/disklabel/editor.c. NetBSD/src:sbin/gpt/add.c, freebsd/freebsd-src:lib/geom/part.
#include <fmt/format.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/setup.hpp"

namespace diskwright {
namespace {

std::string sectors(std::uint64_t bytes, const NewPartition& p) {
    return fmt::format("{}", bytes / p.sector);
}

// The size, or what the dialogue takes for all that is left.
std::string size_or(std::string_view rest, const NewPartition& p, std::string_view unit = "") {
    return p.size == 0 ? std::string(rest) : fmt::format("{}{}", p.size / p.sector, unit);
}

// Without a size gpart(8) and gpt(8) take all that is left.
void put_size(std::vector<std::string>& argv, const NewPartition& p) {
    if (p.size != 0) argv.insert(argv.end(), {"-s", sectors(p.size, p)});
}

SetupCommands with_gpart(const NewPartition& p) {
    std::vector<std::string> argv{"gpart", "add", "-b", sectors(p.start, p)};
    put_size(argv, p);
    argv.insert(argv.end(), {"-t", "freebsd-ufs"});
    if (!p.label.empty() && p.scheme == Scheme::gpt) argv.insert(argv.end(), {"-l", p.label});
    argv.push_back(p.device);
    return {{std::move(argv), ""}};
}

SetupCommands with_gpt(const NewPartition& p, Wedges wedges) {
    const bool component = p.use == PartitionUse::component;
    std::vector<std::string> add{"gpt", "add", "-b", sectors(p.start, p)};
    put_size(add, p);
    add.insert(add.end(), {"-t", component ? "raid" : "ffs"});
    // gpt(8) has -l since 6.0 only; the wedge's name is given below where it is made by hand.
    if (!p.label.empty() && wedges == Wedges::scanned) add.insert(add.end(), {"-l", p.label});
    add.push_back(p.device);
    SetupCommands out{{std::move(add), ""}};
    if (wedges == Wedges::scanned)
        out.push_back({{"dkctl", p.device, "makewedges"}, ""});
    else if (p.size != 0)  // without it, only what gpt add prints tells how large it became
        out.push_back({{"dkctl", p.device, "addwedge", p.label.empty() ? p.name : p.label,
                        sectors(p.start, p), sectors(p.size, p), component ? "raidframe" : "ffs"},
                       ""});
    return out;
}

SetupCommands with_netbsd_disklabel(const NewPartition& p) {
    const std::string_view type = p.use == PartitionUse::component ? "RAID" : "4.2BSD";
    return {{{"disklabel", "-i", p.device},
             fmt::format("{}\n{}\n{}s\n{}\nW\ny\nQ\n", p.name.back(), type, sectors(p.start, p),
                         size_or("$", p, "s"))}};
}

SetupCommands with_openbsd_disklabel(const NewPartition& p) {
    const std::string_view type = p.use == PartitionUse::component ? "RAID" : "4.2BSD";
    return {// z first: with an old label "a" would refuse, and the answers would be taken as commands.
            {{"disklabel", "-E", p.device},
             fmt::format("z\na {}\n{}\n{}\n{}\nw\nq\n", p.name.back(), sectors(p.start, p), size_or("*", p),
                         type)}};
}

// util-linux/util-linux:disk-utils/sfdisk.8.adoc: a script of one line; + is all that is left.
SetupCommands with_sfdisk(const NewPartition& p) {
    return {{{"sfdisk", "--append", "/dev/" + p.device},
             fmt::format("start={}, size={}, type={}{}\n", sectors(p.start, p), size_or("+", p),
                         p.use == PartitionUse::component ? "R" : "L",
                         p.label.empty() ? "" : fmt::format(", name={}", p.label))}};
}

}  // namespace

SetupCommands make_table(Os os, const Volume* volume, const std::string& device, Scheme scheme,
                         bool large_disk) {
    if (os == Os::linux_) return {{{"sfdisk", "/dev/" + device}, "label: gpt\n"}};
    if (os == Os::freebsd)
        return {{{"gpart", "create", "-s", scheme == Scheme::gpt ? "gpt" : "bsd", device}, ""}};
    if (os == Os::netbsd && scheme == Scheme::gpt) return {{{"gpt", "create", device}, ""}};
    // A softraid volume needs no MBR: its label is found in sector 1. A disk gets one entry for the whole.
    if (os == Os::openbsd && !volume) return {{{"fdisk", large_disk ? "-gy" : "-iy", device}, ""}};
    return {};
}

SetupCommands make_partition(Os os, const NewPartition& partition, Wedges wedges) {
    if (os == Os::freebsd) return with_gpart(partition);
    if (os == Os::linux_) return with_sfdisk(partition);
    if (os == Os::openbsd) return with_openbsd_disklabel(partition);
    return partition.scheme == Scheme::gpt ? with_gpt(partition, wedges) : with_netbsd_disklabel(partition);
}

}  // namespace diskwright
