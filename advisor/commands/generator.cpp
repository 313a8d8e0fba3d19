// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commands/generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "advisor/commands/fix_builder.hpp"

namespace diskwright {

void generate_on_sets_made_anew(FixBuilder&);
void generate_moved_members(FixBuilder&);
void generate_partitions(FixBuilder&);
void generate_raidframe(FixBuilder&);
void generate_geom(FixBuilder&);
void generate_md(FixBuilder&);
void generate_softraid(FixBuilder&);
void generate_zfs_and_crypto(FixBuilder&);
void generate_metadata(FixBuilder&);
void generate_other_sets(FixBuilder&);
void generate_newfs(FixBuilder&);
void generate_tunefs(FixBuilder&);
void generate_wapbl_log(FixBuilder&);
void generate_filesystem_size(FixBuilder&);
void generate_ext_xfs(FixBuilder&);
void generate_mount(FixBuilder&);
void generate_fstab(FixBuilder&);
void generate_disk(FixBuilder&);
void generate_sysctl(FixBuilder&);
void generate_swap(FixBuilder&);

namespace {

constexpr std::array rows{
    Generator{"swap", generate_swap},
    Generator{"sets made anew", generate_on_sets_made_anew},
    Generator{"moved members", generate_moved_members},
    Generator{"partitions", generate_partitions},
    Generator{"metadata", generate_metadata},
    Generator{"raidctl", generate_raidframe},
    Generator{"gmirror, gstripe, graid3", generate_geom},
    Generator{"mdadm", generate_md},
    Generator{"bioctl", generate_softraid},
    Generator{"zpool, geli, cryptsetup", generate_zfs_and_crypto},
    Generator{"other sets", generate_other_sets},
    Generator{"newfs", generate_newfs},
    Generator{"tunefs", generate_tunefs},
    Generator{"tunefs -l", generate_wapbl_log},
    Generator{"growfs, resize_ffs, resize2fs", generate_filesystem_size},
    Generator{"tune2fs, xfs", generate_ext_xfs},
    Generator{"mount", generate_mount},
    Generator{"fstab", generate_fstab},
    Generator{"write cache", generate_disk},
    Generator{"sysctl", generate_sysctl},
};

constexpr std::array systems{Os::netbsd, Os::freebsd, Os::openbsd, Os::linux_};
constexpr std::array<std::string_view, 4> system_names{"NetBSD", "FreeBSD", "OpenBSD", "Linux"};

FixCommands commands_on(const HostFacts& host, const StorageGraph& graph, Os os,
                        std::span<const Change> changes) {
    FixBuilder fix(host, graph, os, changes);
    for (const Generator& generator : generators()) generator.generate(fix);
    return fix.finish();
}

// A command of the wrong system can destroy data, so none is printed; which tool it would be still helps.
FixCommands without_system(const HostFacts& host, const StorageGraph& graph,
                           std::span<const Change> changes) {
    std::vector<std::string> on;
    for (std::size_t i = 0; i < systems.size(); ++i) {
        std::vector<std::string> tools;
        for (const auto& argv : commands_on(host, graph, systems.at(i), changes).commands)
            if (std::find(tools.begin(), tools.end(), argv.front()) == tools.end())
                tools.push_back(argv.front());
        if (!tools.empty()) on.push_back(fmt::format("on {} {}", system_names.at(i), fmt::join(tools, ", ")));
    }
    const std::string would_be = on.empty() ? "" : fmt::format(" ({})", fmt::join(on, "; "));
    return {{},
            {fmt::format("no command is printed, because the input does not show the system{}: "
                         "name it with --os NAME-RELEASE",
                         would_be)}};
}

}  // namespace

std::span<const Generator> generators() {
    return rows;
}

FixCommands commands_for(const HostFacts& host, std::span<const Change> changes) {
    if (changes.empty()) return {};
    return commands_for(StorageGraph(host), changes);
}

FixCommands commands_for(const StorageGraph& graph, std::span<const Change> changes) {
    if (changes.empty()) return {};
    const HostFacts& host = graph.facts();
    return host.os.name ? commands_on(host, graph, *host.os.name, changes)
                        : without_system(host, graph, changes);
}

}  // namespace diskwright
