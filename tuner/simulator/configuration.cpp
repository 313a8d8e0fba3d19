// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "probes/model/json_object.hpp"
#include "probes/support/nearest.hpp"
#include "probes/support/text.hpp"
#include "tuner/simulator/disk_files.hpp"

namespace diskwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_disks = 1024;

template <class E>
std::vector<std::string_view> names_of() {
    return {EnumNames<E>::names.begin(), EnumNames<E>::names.end()};
}

template <class E>
std::optional<E> enumerator(JsonObject& from, std::string_view key) {
    const auto word = from.word(key, names_of<E>());
    return word ? from_string<E>(*word) : std::nullopt;
}

std::optional<std::uint64_t> sector_multiple(JsonObject& from, std::string_view key) {
    const auto value = from.count(key);
    if (value && *value % 512 != 0) from.fail(key, fmt::format("{} is no whole number of sectors", *value));
    return value;
}

std::optional<std::uint64_t> power_of_two(JsonObject& from, std::string_view key, std::uint64_t least,
                                          std::uint64_t most) {
    const auto value = from.count(key);
    if (value && (!std::has_single_bit(*value) || *value < least || *value > most))
        from.fail(key, fmt::format("{} is no power of two from {} to {}", *value, least, most));
    return value;
}

std::optional<double> at_least_zero(JsonObject& from, std::string_view key) {
    const auto value = from.number(key);
    if (value && *value < 0) from.fail(key, "below 0");
    return value;
}

std::optional<double> above_zero(JsonObject& from, std::string_view key) {
    const auto value = from.number(key);
    if (value && *value <= 0) from.fail(key, "not above 0");
    return value;
}

void read_seek_curve(JsonObject& from, DiskParameters& disk) {
    for (const Json* element : from.list("seek_curve")) {
        const bool pair = element->is_array() && element->size() == 2 && (*element)[0].is_number() &&
                          (*element)[1].is_number();
        if (!pair) return from.fail("seek_curve", "not a list of [cylinders, seconds]");
        disk.seek_curve.emplace_back((*element)[0].get<double>(), (*element)[1].get<double>());
        const std::size_t n = disk.seek_curve.size();
        if (disk.seek_curve.back().second < 0 ||
            (n > 1 && disk.seek_curve[n - 1].first <= disk.seek_curve[n - 2].first))
            return from.fail("seek_curve", "cylinders do not rise, or a time is below 0");
    }
}

void read_zones(JsonObject& from, DiskParameters& disk) {
    for (const Json* element : from.list("zones")) {
        JsonObject zone = from.element("zones", disk.zones.size(), *element);
        const auto first = zone.count("first_cylinder"), count = zone.count("cylinders"),
                   sectors = zone.count("sectors_per_track");
        if (!first || !count || !sectors || *count == 0 || *sectors == 0)
            zone.fail("", "needs first_cylinder, cylinders and sectors_per_track, the last two above 0");
        zone.reject_unknown_keys();
        disk.zones.push_back({first.value_or(0), count.value_or(0), sectors.value_or(0)});
    }
}

DiskParameters read_disk(JsonObject& from) {
    DiskParameters disk;
    disk.product = from.text("product");
    disk.transport = from.word("transport", {"sata", "sas", "nvme"});
    disk.size_bytes = sector_multiple(from, "size_bytes");
    disk.rpm = at_least_zero(from, "rpm");
    disk.seek_min_s = at_least_zero(from, "seek_min_s");
    disk.seek_max_s = at_least_zero(from, "seek_max_s");
    if (disk.seek_min_s && disk.seek_max_s && *disk.seek_min_s > *disk.seek_max_s)
        from.fail("seek_min_s", "above seek_max_s");
    disk.settle_write_s = at_least_zero(from, "settle_write_s");
    disk.transfer_bytes_per_s = above_zero(from, "transfer_bytes_per_s");
    disk.interface_bytes_per_s = above_zero(from, "interface_bytes_per_s");
    disk.command_s = at_least_zero(from, "command_s");
    disk.cache_bytes = from.count("cache_bytes");
    disk.read_ahead_bytes = from.count("read_ahead_bytes");
    disk.write_cache = enumerator<Switch>(from, "write_cache");
    disk.queue_depth = from.count("queue_depth");
    disk.logical_sector_bytes = power_of_two(from, "logical_sector_bytes", 512, 65536);
    disk.physical_sector_bytes = power_of_two(from, "physical_sector_bytes", 512, 65536);
    if (disk.logical_sector_bytes && disk.physical_sector_bytes &&
        *disk.logical_sector_bytes > *disk.physical_sector_bytes)
        from.fail("physical_sector_bytes", "below logical_sector_bytes");
    read_seek_curve(from, disk);
    read_zones(from, disk);
    from.text("source");  // for people
    from.reject_unknown_keys();
    return disk;
}

DiskParameters read_model(JsonObject& from) {
    const Json* model = from.any("model");
    if (!model) {
        from.fail("model", "missing: the name of a shipped disk, or an object");
        return {};
    }
    if (model->is_object()) {
        auto own = from.object("model");
        DiskParameters disk = read_disk(*own);
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

void read_filesystem(JsonObject& top, MachineConfiguration& machine) {
    auto from = top.object("filesystem");
    if (!from) return;
    MachineConfiguration::FileSystem& fs = machine.filesystem.emplace();
    fs.type = from->word("type", {"ffs1", "ffs2", "ext4", "xfs"}).value_or("");
    if (!from->has("type")) from->fail("type", "missing");
    fs.bsize = power_of_two(*from, "bsize", 1024, 65536);
    fs.fsize = power_of_two(*from, "fsize", 512, 65536);
    if (fs.bsize && fs.fsize &&
        (*fs.fsize > *fs.bsize || (fs.type.starts_with("ffs") && *fs.bsize / *fs.fsize > 8)))
        from->fail("fsize",
                   fmt::format("{} does not go into a block of {} one to eight times", *fs.fsize, *fs.bsize));
    constexpr std::array<std::string_view, 6> journals{"none", "wapbl", "softdep", "suj", "async", "sync"};
    if (const auto word = from->word("journal", {journals.begin(), journals.end()}))
        fs.journal = static_cast<MachineConfiguration::Journal>(
            std::find(journals.begin(), journals.end(), *word) - journals.begin());
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
        machine.host.syscall_s = at_least_zero(*host, "syscall_s");
        machine.host.operation_s = at_least_zero(*host, "operation_s");
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
    machine.noise = at_least_zero(top, "noise").value_or(machine.noise);
    top.reject_unknown_keys();
    if (top.error()) return *top.error();
    return machine;
}

const std::map<std::string, DiskParameters, std::less<>>& shipped_disks() {
    static const auto all = [] {
        std::map<std::string, DiskParameters, std::less<>> disks;
        for (const EmbeddedFile& file : disk_files()) {
            const auto json = parse_json(file.text, file.name);
            if (!json) continue;
            JsonObject from(*json, file.name);
            DiskParameters disk = read_disk(from);
            disk.name = file.name;
            if (!from.error()) disks.emplace(disk.name, std::move(disk));
        }
        return disks;
    }();
    return all;
}

}  // namespace diskwright
