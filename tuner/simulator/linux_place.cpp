// SPDX-License-Identifier: BSD-2-Clause
#include "tuner/simulator/linux_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/support/text.hpp"

namespace diskwright {
namespace {

// Of memory the ratios count what can be had for pages (global_dirtyable_memory of mm/page-writeback.c);
// taken to be nine tenths of all.
constexpr std::uint64_t dirtyable_tenths = 9;
constexpr std::uint64_t page_bytes = 4096;
// mdadm(8) --chunk since 3.1; VM_READAHEAD_PAGES of include/linux/mm.h.
constexpr std::uint64_t usual_chunk = 512 << 10, default_read_ahead = 131072;

struct Tunable {
    const char* name;
    std::uint64_t otherwise, least, most;
};
// mm/page-writeback.c: dirty_expire_interval, dirty_writeback_interval, dirty_background_ratio,
// vm_dirty_ratio.
constexpr Tunable expire{"vm.dirty_expire_centisecs", 3000, 1, 10'000'000},
    interval{"vm.dirty_writeback_centisecs", 500, 1, 10'000'000},
    background{"vm.dirty_background_ratio", 10, 0, 100}, ratio{"vm.dirty_ratio", 20, 0, 100};

Result<std::uint64_t> value_of(const Tunable& wanted, const MachineConfiguration& machine) {
    const auto found = machine.sysctls.find(wanted.name);
    if (found == machine.sysctls.end()) return wanted.otherwise;
    const auto number = to_unsigned(found->second);
    if (!number || *number < wanted.least || *number > wanted.most)
        return Error{ErrorKind::bad_data, fmt::format("sysctls.{}: '{}' is no number from {} to {}",
                                                      wanted.name, found->second, wanted.least, wanted.most)};
    return *number;
}

// A controller keeps what it has in a protected cache or says so of its drives' (drivers/scsi/sd.c,
// sd_read_cache_type); a drive with a protected buffer has no volatile cache.
bool has_volatile_cache(const MachineConfiguration& machine) {
    if (machine.volume && machine.volume->kind == VolumeKind::hardware) return false;
    return std::any_of(machine.disks.begin(), machine.disks.end(), [](const auto& group) {
        const bool protects = group.disk.flash && group.disk.flash->protected_buffer.value_or(false);
        return group.disk.write_cache != Switch::off && !protects;
    });
}

std::uint64_t data_disks(const MachineConfiguration& machine) {
    const std::uint64_t disks = machine.disk_count();
    switch (machine.volume->level) {
        case RaidLevel::raid0:
            return disks;
        case RaidLevel::raid4:
        case RaidLevel::raid5:
            return disks - 1;
        case RaidLevel::raid6:
            return disks - 2;
        case RaidLevel::raid10:
            return disks / 2;
        default:
            return 0;
    }
}

}  // namespace

Result<LinuxPlace> linux_place(const FileSystemPlace& place) {
    const MachineConfiguration& machine = place.machine;
    const std::string& type = machine.filesystem->type;
    if (machine.os && *machine.os != Os::linux_)
        return Error{ErrorKind::bad_data, fmt::format("filesystem.type: {} is Linux's, and os.name is {}",
                                                      type, to_string(*machine.os))};
    if (machine.filesystem->bsize.value_or(page_bytes) > page_bytes)
        return Error{ErrorKind::bad_data, fmt::format("filesystem.bsize: {} is above the page of {} bytes",
                                                      *machine.filesystem->bsize, page_bytes)};
    LinuxPlace out;
    std::uint64_t values[4] = {};
    const Tunable* tunables[] = {&expire, &interval, &background, &ratio};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto value = value_of(*tunables[i], machine);
        if (!value) return value.error();
        values[i] = *value;
    }
    LinuxHost& host = out.host;
    host.dirty_expire_s = static_cast<double>(values[0]) / 100;
    host.dirty_writeback_s = static_cast<double>(values[1]) / 100;
    host.ram_bytes = place.ram_bytes;
    const std::uint64_t dirtyable = place.ram_bytes / 10 * dirtyable_tenths;
    host.dirty_bytes = dirtyable / 100 * values[3];
    // domain_dirty_limits of mm/page-writeback.c
    host.dirty_background_bytes = values[2] < values[3] ? dirtyable / 100 * values[2] : host.dirty_bytes / 2;
    host.flushes = has_volatile_cache(machine);
    host.read_ahead_bytes = default_read_ahead;
    host.block_s = machine.host.block_s.value_or(0);
    if (machine.volume && machine.volume->kind == VolumeKind::md && data_disks(machine) > 0) {
        out.stride_bytes = machine.volume->stripe_unit_bytes.value_or(usual_chunk);
        out.stripe_bytes = out.stride_bytes * data_disks(machine);
        // disk_update_readahead of block/blk-settings.c
        host.read_ahead_bytes =
            std::max(host.read_ahead_bytes, 2 * out.stripe_bytes / page_bytes * page_bytes);
    }
    return out;
}

}  // namespace diskwright
