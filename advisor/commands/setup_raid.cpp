// SPDX-License-Identifier: BSD-2-Clause
// New sets: raidctl(8), gmirror(8), gstripe(8), graid3(8), bioctl(8).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advisor/commands/devices.hpp"
#include "advisor/commands/setup.hpp"
#include "probes/model/storage_graph.hpp"

namespace diskwright {
namespace {

std::vector<std::string> component_names(const Volume& set, std::string_view prefix) {
    std::vector<std::string> out;
    for (const Component* c : data_components(set)) out.push_back(fmt::format("{}{}", prefix, c->name));
    return out;
}

SetupCommands with_raidctl(const Volume& set, std::uint64_t sector) {
    const std::string file = fmt::format("/etc/{}.conf", set.name);
    // The serial number only has to differ from those of other sets of the host.
    const std::string unit = set.name.substr(set.name.find_last_not_of("0123456789") + 1);
    SetupCommands out{{{"tee", file}, raidframe_configuration(set, sector)},
                      {{"raidctl", "-C", file, set.name}, ""},
                      {{"raidctl", "-I", fmt::format("10{}", unit), set.name}, ""}};
    if (!set.level.is(RaidLevel::raid0)) out.push_back({{"raidctl", "-v", "-i", set.name}, ""});
    out.push_back({{"raidctl", "-A", "yes", set.name}, ""});
    return out;
}

SetupCommands with_geom(std::string_view tool, std::vector<std::string> options, const Volume& set) {
    std::vector<std::string> argv{std::string(tool), "label", "-v"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back(base_name(set.name));
    for (std::string& name : component_names(set, "")) argv.push_back(std::move(name));
    // The module is in no GENERIC kernel. kldload -n takes one that is there already, gmirror load does not
    // (freebsd/freebsd-src:sbin/geom/core/geom.c); without loader.conf the volume is gone at the next boot.
    const std::string module = "geom_" + std::string(tool.substr(1));
    return {{{"kldload", "-n", module}, ""},
            {std::move(argv), ""},
            {{"tee", "-a", "/boot/loader.conf"}, fmt::format("{}_load=\"YES\"\n", module)}};
}

SetupCommands with_bioctl(const Volume& set) {
    return {{{"bioctl", "-c", std::string(to_string(*set.level)), "-l",
              fmt::format("{}", fmt::join(component_names(set, "/dev/"), ",")), "softraid0"},
             ""}};
}

}  // namespace

std::string raidframe_configuration(const Volume& set, std::uint64_t sector) {
    const auto names = component_names(set, "/dev/");
    return fmt::format(
        "START array\n# rows columns spares\n1 {} 0\n\nSTART disks\n{}\n\nSTART layout\n# sectPerSU "
        "SUsPerParityUnit SUsPerReconUnit level\n{} 1 1 {}\n\nSTART queue\nfifo 100\n",
        names.size(), fmt::join(names, "\n"), set.stripe_unit_bytes.value_or(sector) / sector,
        to_string(*set.level));
}

SetupCommands make_set(const Volume& set, std::uint64_t sector) {
    if (!set.kind || !set.level) return {};
    switch (*set.kind) {
        case VolumeKind::raidframe:
            return with_raidctl(set, sector);
        case VolumeKind::gmirror:
            return with_geom("gmirror", {"-b", "load"}, set);
        case VolumeKind::gstripe:
            return with_geom("gstripe", {"-s", fmt::format("{}", set.stripe_unit_bytes.value_or(65536))},
                             set);
        case VolumeKind::graid3:
            return with_geom("graid3", {}, set);
        case VolumeKind::softraid:
            return with_bioctl(set);
        default:
            return {};
    }
}

}  // namespace diskwright
