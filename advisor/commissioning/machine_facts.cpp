// SPDX-License-Identifier: BSD-2-Clause
#include "advisor/commissioning/machine_facts.hpp"

#include <fmt/format.h>

#include "advisor/planning/disk_names.hpp"
#include "probes/capture/assemble.hpp"

namespace diskwright {
namespace {

using Journal = MachineConfiguration::Journal;

// The mount point is the administrator's to choose and no configuration names one.
constexpr std::string_view mount_point = "/mnt";

std::string volume_name(const MachineConfiguration& machine) {
    switch (machine.volume->kind) {
        case VolumeKind::raidframe:
            return "raid0";
        case VolumeKind::gmirror:
            return "mirror/gm0";
        case VolumeKind::gstripe:
            return "stripe/st0";
        case VolumeKind::graid3:
            return "raid3/gr0";
        case VolumeKind::gconcat:
            return "concat/gc0";
        case VolumeKind::softraid:
            return fmt::format("sd{}", machine.disk_count());
        default:
            return std::string(to_string(machine.volume->kind)) + "0";
    }
}

// What the file system's partition is cut from.
std::string on(const MachineConfiguration& machine) {
    return machine.volume ? volume_name(machine)
                          : new_disk_name(machine.os, machine.disks.front().disk.transport.value_or(""), 0);
}

// As the table that is usual on that system calls its first partition.
std::string partition_name(std::optional<Os> os, const std::string& device) {
    if (os == Os::freebsd) return device + "p1";
    if (os == Os::linux_) return device + (device.starts_with("sd") ? "1" : "p1");
    return device + "a";
}

Scheme usual_scheme(std::optional<Os> os) {
    return os == Os::freebsd || os == Os::linux_ ? Scheme::gpt : Scheme::disklabel;
}

class Writer {
 public:
    Writer(const MachineConfiguration& machine, std::string_view source)
        : machine_(machine), source_(source) {}

    HostFacts write() {
        write_host();
        for (const auto& group : machine_.disks)
            for (std::uint64_t i = 0; i < group.count; ++i) write_disk(group.disk);
        if (machine_.volume) write_volume(*machine_.volume);
        if (machine_.filesystem) write_filesystem(*machine_.filesystem);
        derive(facts_);
        return std::move(facts_);
    }

 private:
    template <class T>
    Known<T> known(T value, std::string_view key) const {
        return Known<T>(std::move(value), Provenance(source_, 0, std::string(key)));
    }
    template <class T>
    Known<T> known(const std::optional<T>& value, std::string_view key) const {
        return value ? known(*value, key) : Known<T>{};
    }

    void write_host() {
        facts_.os.name = known(machine_.os, "os.name");
        facts_.os.release = known(machine_.release, "os.release");
        facts_.os.ram_bytes = known(machine_.host.ram_bytes, "host.ram_bytes");
        for (const auto& [name, value] : machine_.sysctls)
            facts_.sysctls.emplace(name, known(value, "sysctls." + name));
    }

    void write_disk(const DiskParameters& from) {
        const std::string key = fmt::format("disks[{}]", facts_.disks.size());
        Disk& to = disk(facts_, new_disk_name(machine_.os, from.transport.value_or(""), facts_.disks.size()));
        to.model = known(from.product, key);
        to.transport = known(from.transport, key);
        to.size_bytes = known(from.size_bytes, key + ".size_bytes");
        to.logical_sector_bytes = known(from.logical_sector_bytes, key + ".logical_sector_bytes");
        to.physical_sector_bytes = known(from.physical_sector_bytes, key + ".physical_sector_bytes");
        to.write_cache = known(from.write_cache, key + ".write_cache");
        to.queue_depth = known(from.queue_depth, key + ".queue_depth");
        if (from.rpm) to.rotational = known(*from.rpm > 0, key + ".rpm");
        if (from.rpm && *from.rpm > 0) to.rpm = known(static_cast<std::uint64_t>(*from.rpm), key + ".rpm");
    }

    // GEOM classes and hardware take whole disks; the others want a partition of their own type.
    // GEOM classes and hardware take whole disks; the others want a partition of their own type.
    std::string component_on(const std::string& on, const MachineConfiguration::Array& array) {
        const bool partitioned = array.kind == VolumeKind::raidframe || array.kind == VolumeKind::softraid ||
                                 array.kind == VolumeKind::ccd || array.kind == VolumeKind::md;
        if (!partitioned) return on;
        const std::uint64_t start = array.component_start_bytes;
        Partition& slot = add_partition(on, start, machine_.os == Os::linux_ ? "Linux RAID" : "RAID",
                                        "volume.component_start_bytes");
        const Number& size = disk(facts_, on).size_bytes;
        if (size && *size > start) slot.size_bytes = known(*size - start, "volume.component_start_bytes");
        return slot.name;
    }

    Partition& add_partition(const std::string& parent, std::uint64_t start, std::string_view type,
                             std::string_view key) {
        Partition& slot = partition(facts_, partition_name(machine_.os, parent));
        slot.parent = parent;
        slot.scheme = known(usual_scheme(machine_.os), key);
        slot.type = known(std::string(type), key);
        slot.start_bytes = known(start, key);
        return slot;
    }

    void write_volume(const MachineConfiguration::Array& from) {
        std::vector<std::string> components;
        for (const Disk& below : facts_.disks) components.push_back(component_on(below.name, from));
        Volume& to = volume(facts_, volume_name(machine_));
        to.kind = known(from.kind, "volume.kind");
        to.level = known(from.level, "volume.level");
        to.stripe_unit_bytes = known(from.stripe_unit_bytes, "volume.stripe_unit_bytes");
        to.layout = known(from.layout, "volume.layout");
        to.balance = known(from.balance, "volume.balance");
        to.state = known(from.state, "volume.state");
        to.columns = known(static_cast<std::uint64_t>(components.size()), "disks");
        to.components_complete = known(true, "disks");
        for (const std::string& name : components) {
            Component& slot = component(to, name);
            if (from.state == VolumeState::optimal)
                slot.state = known(ComponentState::optimal, "volume.state");
        }
        if (from.kind == VolumeKind::hardware && machine_.controller_battery)
            to.battery =
                known(std::string(*machine_.controller_battery ? "ok" : "missing"), "controller.battery");
    }

    void write_filesystem(const MachineConfiguration::FileSystem& from) {
        const std::string device = filesystem_device(machine_);
        const std::string_view type = machine_.os == Os::freebsd  ? "freebsd-ufs"
                                      : machine_.os == Os::linux_ ? "Linux filesystem"
                                                                  : "4.2BSD";
        if (machine_.partition_start_bytes)
            add_partition(on(machine_), *machine_.partition_start_bytes, type, "partition_start_bytes");
        Filesystem& to = filesystem(facts_, device);
        to.type = known(from.type, "filesystem.type");
        to.bsize = known(from.bsize, "filesystem.bsize");
        to.fsize = known(from.fsize, "filesystem.fsize");
        to.size_bytes = known(from.size_bytes, "filesystem.size_bytes");
        if (!from.journal) return;
        const std::string_view key = "filesystem.journal";
        to.wapbl = known(*from.journal == Journal::wapbl, key);
        to.softupdates = known(*from.journal == Journal::softdep || *from.journal == Journal::suj, key);
        to.su_journal = known(*from.journal == Journal::suj, key);
        write_mount(device, *from.journal, key);
    }

    void write_mount(const std::string& device, Journal journal, std::string_view key) {
        Mount& to = mount(facts_, mount_point);
        to.device = known(device, key);
        to.type = known(std::string(machine_.os == Os::freebsd ? "ufs" : "ffs"), key);
        std::vector<std::string> options;
        if (journal == Journal::wapbl) options = {"log"};
        if (journal == Journal::async) options = {"asynchronous"};
        if (journal == Journal::sync) options = {"synchronous"};
        if (journal == Journal::suj) options = {"soft-updates", "journaled soft-updates"};
        if (journal == Journal::softdep) options = {machine_.os == Os::freebsd ? "soft-updates" : "softdep"};
        to.options = known(options, key);
    }

    const MachineConfiguration& machine_;
    std::string source_;
    HostFacts facts_;
};

}  // namespace

std::string filesystem_device(const MachineConfiguration& machine) {
    return partition_name(machine.os, on(machine));
}

HostFacts facts_of(const MachineConfiguration& machine, std::string_view source) {
    return Writer(machine, source).write();
}

}  // namespace diskwright
