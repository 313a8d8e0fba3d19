// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/simulated_target.hpp"

#include <algorithm>

#include "tuner/simulator/drives.hpp"
#include "tuner/simulator/simulated_array.hpp"

namespace diskwright {
namespace {

const DiskParameters& figures_of(const DiskParameters& disk) {
    if (disk.name.empty()) return disk;
    const auto shipped = shipped_disks().find(disk.name);
    return shipped == shipped_disks().end() ? disk : shipped->second;
}

bool volatile_cache(const DiskParameters& disk) {
    if (disk.write_cache == Switch::off || disk.cache_bytes == std::uint64_t{0}) return false;
    return !(disk.flash && disk.flash->protected_buffer.value_or(false));
}

DeviceReport report_of(const DiskParameters& disk) {
    DeviceReport report;
    const auto sector = disk.logical_sector_bytes.value_or(512);
    const auto physical = disk.physical_sector_bytes.value_or(sector);
    report.physical_sector_bytes = disk.reported_physical_sector_bytes.value_or(physical);
    const bool honest = *report.physical_sector_bytes == physical;
    report.physical_offset_bytes = honest ? disk.physical_offset_bytes.value_or(0) : 0;
    report.rotational = disk.rpm != 0.0 && !disk.flash;
    report.volatile_cache = volatile_cache(disk);
    return report;
}

// A volume tells nothing of the sectors below it. A controller that keeps writes says that they are safe.
DeviceReport report_of(const MachineConfiguration& machine) {
    if (!machine.volume) return report_of(figures_of(machine.disks.front().disk));
    DeviceReport report;
    const bool kept = machine.controller_cache_bytes.value_or(0) > 0 && machine.controller_battery == true;
    report.volatile_cache =
        !kept && std::any_of(machine.disks.begin(), machine.disks.end(),
                             [](const auto& group) { return volatile_cache(figures_of(group.disk)); });
    return report;
}

Result<std::unique_ptr<SimulatedDrive>> drive_of(const MachineConfiguration& machine) {
    if (!machine.volume) {
        auto drive = drive_of(machine.disks.front().disk);
        if (!drive) return drive.error();
        return std::move(drive->drive);
    }
    auto array = make_array(machine);
    if (!array) return array.error();
    return std::unique_ptr<SimulatedDrive>(std::move(array->array));
}

}  // namespace

Result<std::unique_ptr<SimulatedDevice>> simulated_target(MachineConfiguration machine, std::string name) {
    if (machine.disks.empty()) return Error{ErrorKind::bad_data, name + ": disks: none"};
    if (!machine.volume && machine.controller_cache_bytes.value_or(0) > 0) {
        machine.disks.resize(1);
        machine.disks.front().count = 1;
        machine.volume.emplace();
        machine.volume->kind = VolumeKind::hardware;
        machine.volume->level = RaidLevel::concat;
    }
    auto drive = drive_of(machine);
    if (!drive) return Error{drive.error().kind, name + ": " + drive.error().message};
    auto device = std::make_unique<SimulatedDevice>(std::move(name), std::move(*drive), machine.noise,
                                                    machine.seed);
    device->report(report_of(machine));
    if (machine.os == Os::openbsd) device->forbid_flush("OpenBSD lets no program flush the cache of a disk");
    return device;
}

}  // namespace diskwright
