// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "probes/model/json_object.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/checked_keys.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_disks = 1024;
constexpr double most_noise = 10;  // ten times what is measured says nothing more

DiskParameters read_model(JsonObject& from) {
    const Json* model = from.any("model");
    if (!model) {
        from.fail("model", "missing: the name of a shipped disk, or an object");
        return {};
    }
    if (model->is_object()) {
        auto own = from.object("model");
        DiskParameters disk = read_plain_disk(*own);
        if (!disk.size_bytes) own->fail("size_bytes", "missing");
        return disk;
    }
    const std::string name = from.text("model").value_or("");
    const auto shipped = shipped_disks().find(name);
    if (shipped != shipped_disks().end()) return shipped->second;
    std::vector<std::string_view> names;
    for (const auto& [known, disk] : shipped_disks()) names.push_back(known);
    from.word("model", names);
    return {};
}

void read_disks(JsonObject& top, MachineConfiguration& machine) {
    for (const Json* element : top.list("disks")) {
        JsonObject from = top.element("disks", machine.disks.size(), *element);
        MachineConfiguration::DiskGroup group;
        group.disk = read_model(from);
        group.count = from.count("count").value_or(1);
        from.reject_unknown_keys();
        if (group.count == 0 || group.count > most_disks)
            from.fail("count", fmt::format("not from 1 to {}", most_disks));
        machine.disks.push_back(std::move(group));
    }
    if (machine.disks.empty()) top.fail("disks", "missing or empty");
    if (machine.disk_count() > most_disks) top.fail("disks", fmt::format("more than {}", most_disks));
}

std::uint64_t least_components(RaidLevel level) {
    switch (level) {
        case RaidLevel::raid0:
        case RaidLevel::concat:
            return 1;
        case RaidLevel::raid1:
            return 2;
        case RaidLevel::raid3:
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            return 3;
        case RaidLevel::raid6:
        case RaidLevel::raid10:
            return 4;
    }
    return 1;
}

void read_volume(JsonObject& top, MachineConfiguration& machine) {
    auto from = top.object("volume");
    if (!from) return;
    MachineConfiguration::Array& volume = machine.volume.emplace();
    if (!from->has("kind")) from->fail("kind", "missing");
    if (!from->has("level")) from->fail("level", "missing");
    volume.kind = enumerator<VolumeKind>(*from, "kind").value_or(volume.kind);
    volume.level = enumerator<RaidLevel>(*from, "level").value_or(volume.level);
    volume.stripe_unit_bytes = sector_multiple(*from, "stripe_unit_bytes");
    if (volume.stripe_unit_bytes == 0) from->fail("stripe_unit_bytes", "0");
    volume.layout = from->text("layout");
    volume.balance = from->text("balance");
    volume.component_start_bytes = sector_multiple(*from, "component_start_bytes").value_or(0);
    volume.state = enumerator<VolumeState>(*from, "state").value_or(VolumeState::optimal);
    from->reject_unknown_keys();
    const std::uint64_t least = least_components(volume.level);
    if (machine.disk_count() < least)
        from->fail("level", fmt::format("{} needs {} disks, and there are {}", to_string(volume.level), least,
                                        machine.disk_count()));
}

// Which journals a file system can have.
void check_journal(JsonObject& from, const MachineConfiguration::FileSystem& fs) {
    using Journal = MachineConfiguration::Journal;
    if (!fs.journal || fs.type.empty()) return;
    const bool of_ext = *fs.journal == Journal::ordered || *fs.journal == Journal::writeback ||
                        *fs.journal == Journal::journal_data;
    if (fs.type.starts_with("ffs") ? of_ext
        : fs.type == "xfs"         ? true
        : fs.type == "ext2"        ? *fs.journal != Journal::none
        : fs.type == "ext3"        ? !of_ext
                                   : !of_ext && *fs.journal != Journal::none)
        from.fail("journal",
                  fs.type == "xfs" ? "xfs has its log, and no other" : "not one that " + fs.type + " has");
}

void read_filesystem(JsonObject& top, MachineConfiguration& machine) {
    auto from = top.object("filesystem");
    if (!from) return;
    MachineConfiguration::FileSystem& fs = machine.filesystem.emplace();
    fs.type = from->word("type", {"ffs1", "ffs2", "ext2", "ext3", "ext4", "xfs"}).value_or("");
    if (!from->has("type")) from->fail("type", "missing");
    fs.bsize = power_of_two(*from, "bsize", 1024, 65536);
    fs.fsize = power_of_two(*from, "fsize", 512, 65536);
    if (fs.bsize && fs.fsize &&
        (*fs.fsize > *fs.bsize || (fs.type.starts_with("ffs") && *fs.bsize / *fs.fsize > 8)))
        from->fail("fsize",
                   fmt::format("{} does not go into a block of {} one to eight times", *fs.fsize, *fs.bsize));
    constexpr std::array<std::string_view, 9> journals{"none", "wapbl",   "softdep",   "suj",    "async",
                                                       "sync", "ordered", "writeback", "journal"};
    if (const auto word = from->word("journal", {journals.begin(), journals.end()}))
        fs.journal = static_cast<MachineConfiguration::Journal>(
            std::find(journals.begin(), journals.end(), *word) - journals.begin());
    check_journal(*from, fs);
    if (!fs.type.starts_with("ffs") && fs.fsize && fs.fsize != fs.bsize)
        from->fail("fsize", fmt::format("{} has no fragments", fs.type));
    fs.size_bytes = from->count("size_bytes");
    from->reject_unknown_keys();
}

void read_workload(JsonObject& top, MachineConfiguration& machine) {
    auto from = top.object("workload");
    if (!from) return;
    MachineConfiguration::Work& work = machine.workload.emplace();
    work.name = from->word("name", {"touchrm", "touch", "rm", "mkdir", "svnupdate", "tree", "untar", "build",
                                    "seqwrite", "seqread", "mail", "database"})
                    .value_or("");
    if (!from->has("name")) from->fail("name", "missing");
    for (const std::string_view amount : {"dirs", "files", "bytes", "jobs", "seconds"})
        if (const auto value = above_zero(*from, amount)) work.amounts.emplace(amount, *value);
    work.sync_at_end = from->word("end", {"sync", "idle"}).value_or("sync") == "sync";
    from->reject_unknown_keys();
}

void read_sysctls(JsonObject& top, MachineConfiguration& machine) {
    auto from = top.object("sysctls");
    if (!from) return;
    for (const auto& [name, value] : top.any("sysctls")->items())
        if (const auto text = from->text(name)) machine.sysctls.emplace(name, *text);
}

void read_host(JsonObject& top, MachineConfiguration& machine) {
    if (auto os = top.object("os")) {
        machine.os = enumerator<Os>(*os, "name");
        machine.release = os->text("release");
        os->reject_unknown_keys();
    }
    if (auto controller = top.object("controller")) {
        machine.controller_cache_bytes = controller->count("cache_bytes");
        machine.controller_battery = controller->flag("battery");
        controller->reject_unknown_keys();
    }
    if (auto host = top.object("host")) {
        machine.host.ram_bytes = host->count("ram_bytes");
        constexpr std::uint64_t least_ram = std::uint64_t{64} << 20, most_ram = std::uint64_t{1} << 50;
        if (machine.host.ram_bytes &&
            (*machine.host.ram_bytes < least_ram || *machine.host.ram_bytes > most_ram))
            host->fail("ram_bytes", "not from 64 MiB to 1 PiB");
        machine.host.syscall_s = within(*host, "syscall_s", 0, 1);
        machine.host.operation_s = within(*host, "operation_s", 0, 1);
        machine.host.block_s = within(*host, "block_s", 0, 1);
        host->reject_unknown_keys();
    }
}

}  // namespace

std::uint64_t MachineConfiguration::disk_count() const {
    std::uint64_t count = 0;
    for (const DiskGroup& group : disks) count += std::min(group.count, most_disks + 1);
    return count;
}

Result<MachineConfiguration> configuration_from_json(const Json& json, std::string_view source) {
    JsonObject top(json, source);
    MachineConfiguration machine;
    read_host(top, machine);
    read_disks(top, machine);
    read_volume(top, machine);
    machine.partition_start_bytes = sector_multiple(top, "partition_start_bytes");
    read_filesystem(top, machine);
    read_sysctls(top, machine);
    read_workload(top, machine);
    machine.seed = top.count("seed").value_or(machine.seed);
    machine.noise = within(top, "noise", 0, most_noise).value_or(machine.noise);
    top.reject_unknown_keys();
    if (top.error()) return *top.error();
    return machine;
}

}  // namespace diskwright
