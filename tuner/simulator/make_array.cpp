// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>

#include "tuner/simulator/array_model.hpp"
#include "tuner/simulator/drives.hpp"
#include "tuner/simulator/gathering_driver.hpp"
#include "tuner/simulator/set_driver.hpp"

namespace diskwright {
namespace {

constexpr std::uint64_t block_bytes = 512;

using Drives = std::vector<std::unique_ptr<SimulatedDrive>>;

Error refused(std::string why) {
    return {ErrorKind::bad_data, std::move(why)};
}

// A drive by itself.
MachineConfiguration::Array no_volume() {
    MachineConfiguration::Array volume;
    volume.kind = VolumeKind::hardware;
    volume.level = RaidLevel::concat;
    return volume;
}

bool needs_unit(const MachineConfiguration::Array& volume) {
    switch (volume.level) {
        case RaidLevel::raid1:
            return volume.kind == VolumeKind::raidframe;
        case RaidLevel::raid3:
        case RaidLevel::concat:
            return false;
        default:
            return true;
    }
}

// What the tools take when nothing is said.
std::optional<std::uint64_t> usual_unit(VolumeKind kind) {
    switch (kind) {
        case VolumeKind::softraid:
        case VolumeKind::gstripe:
        case VolumeKind::hardware:
        case VolumeKind::lvm:
        case VolumeKind::graid:
            return 64 << 10;
        case VolumeKind::md:
            return 512 << 10;
        default:
            return std::nullopt;
    }
}

// GEOM's classes keep what they know in the last sector.
bool keeps_last_sector(VolumeKind kind) {
    return kind == VolumeKind::gmirror || kind == VolumeKind::gstripe || kind == VolumeKind::graid3 ||
           kind == VolumeKind::gconcat || kind == VolumeKind::graid;
}

Result<std::vector<std::uint64_t>> component_sizes(const MachineConfiguration::Array& volume,
                                                   const Drives& drives) {
    std::vector<std::uint64_t> sizes;
    for (const auto& drive : drives) {
        const std::uint64_t lost = volume.component_start_bytes / block_bytes +
                                   (keeps_last_sector(volume.kind) ? drive->logical_blocks() : 0);
        if (drive->blocks() <= lost) return refused("volume.component_start_bytes: beyond the disk");
        sizes.push_back(drive->blocks() - lost);
    }
    return sizes;
}

Volume volume_of(const MachineConfiguration::Array& array, std::uint32_t sector_blocks) {
    Volume volume;
    volume.kind = {array.kind, {}};
    volume.level = {array.level, {}};
    if (array.stripe_unit_bytes) volume.stripe_unit_bytes = Number(*array.stripe_unit_bytes, {});
    if (array.layout) volume.layout = Text(*array.layout, {});
    volume.logical_sector_bytes = Number(std::uint64_t{sector_blocks} * block_bytes, {});
    return volume;
}

}  // namespace

Result<NamedArray> make_array(const MachineConfiguration& configuration, Drives drives,
                              const std::optional<ComponentLimits>& limits) {
    if (drives.empty()) return refused("disks: none");
    MachineConfiguration machine = configuration;
    NamedArray out;
    if (!machine.volume) {
        machine.volume = no_volume();
        machine.controller_cache_bytes.reset();
        drives.resize(1);
    }
    MachineConfiguration::Array& array = *machine.volume;
    if (const auto error = unsimulated(array)) return *error;
    if (!needs_unit(array)) {
        array.stripe_unit_bytes.reset();
    } else if (!array.stripe_unit_bytes) {
        array.stripe_unit_bytes = usual_unit(array.kind);
        if (!array.stripe_unit_bytes) return refused("volume.stripe_unit_bytes: missing");
        out.assumed.push_back(fmt::format("stripe_unit_bytes {}", *array.stripe_unit_bytes));
    }
    ArrayModel::Sectors sectors;
    for (const auto& drive : drives) {
        sectors.logical_blocks = std::max(sectors.logical_blocks, drive->logical_blocks());
        sectors.physical_blocks = std::max(sectors.physical_blocks, drive->physical_blocks());
    }
    const auto sizes = component_sizes(array, drives);
    if (!sizes) return sizes.error();
    ArrayLayout layout(volume_of(array, sectors.logical_blocks), *sizes);
    if (layout.blocks() == 0)
        return refused(fmt::format("volume: no layout of level {} on {} disks of that size, unit and layout",
                                   to_string(array.level), drives.size()));
    if (layout.is_byte_striped()) {
        sectors.logical_blocks *= layout.columns() - 1;
        sectors.physical_blocks = std::max(sectors.physical_blocks, sectors.logical_blocks);
    }
    sectors.blocks = layout.blocks();
    auto policy = policy_of(machine, layout, out.assumed);
    if (!policy) return policy.error();
    if (limits) {
        policy->order = limits->order;
        policy->depth = std::max<std::uint32_t>(limits->depth, 1);
    }
    ComponentHealth health;
    if (array.state != VolumeState::optimal) {
        health.missing = 0;
        health.rebuilding = array.state == VolumeState::rebuilding;
        if (!health.rebuilding) drives[0].reset();
    }
    ComponentSet components;
    for (auto& drive : drives)
        components.add(std::move(drive), array.component_start_bytes / block_bytes,
                       ComponentQueue(policy->order, policy->depth));
    auto model = std::make_unique<ArrayModel>(std::move(components), sectors);
    if (policy->gathering.on)
        model->drive_with(
            std::make_unique<GatheringDriver>(*policy, std::move(layout), health, model->services()));
    else
        model->drive_with(std::make_unique<SetDriver>(*policy, std::move(layout), health, model->services()));
    out.array = std::move(model);
    return out;
}

Result<NamedArray> make_array(const MachineConfiguration& configuration) {
    Drives drives;
    std::vector<std::string> assumed;
    for (std::size_t g = 0; g < configuration.disks.size(); ++g)
        for (std::uint64_t i = 0; i < configuration.disks[g].count; ++i) {
            auto named = drive_of(configuration.disks[g].disk);
            if (!named)
                return Error{named.error().kind, fmt::format("disks[{}].model: {}", g, named.error().message)};
            drives.push_back(std::move(named->drive));
            for (std::string& figure : named->assumed)
                if (std::find(assumed.begin(), assumed.end(), figure) == assumed.end())
                    assumed.push_back(std::move(figure));
        }
    auto out = make_array(configuration, std::move(drives));
    if (out) out->assumed.insert(out->assumed.begin(), assumed.begin(), assumed.end());
    return out;
}

}  // namespace diskwright
