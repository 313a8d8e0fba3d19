// SPDX-License-Identifier: BSD-2-Clause
// The one table of everything that can be set, and a wish to set it. Findings, plans and the tuner all speak
// in Changes; advisor/commands turns them into the command lines of a tool.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "probes/model/host_facts.hpp"

namespace diskwright {

/// What carrying out a change costs, in rising order.
enum class Risk {
    none,
    remount,
    reboot,
    writes_metadata,
    recreates_filesystem,
    recreates_array,
    destroys_data
};
template <>
struct EnumNames<Risk> {
    static constexpr std::array<std::string_view, 7> names{
        "none",         "remount", "reboot", "writes_metadata", "recreates_filesystem", "recreates_array",
        "destroys_data"};
};

enum class Setting {
    // partitions; subject: the partition
    partition_start,  // bytes, relative to the parent
    partition_size,   // bytes
    partition_type,   // the type as its table spells it
    // partition tables; subject: the disk
    table_scheme,          // "gpt"
    gpt_recover,           // "primary" or "secondary": the copy to restore from the other one
    stale_metadata_clear,  // value: what is stale ("gpt", "gstripe", "md", "zfs", ...)
    // FFS; subject: the device
    ffs_format,  // "ffs2"
    ffs_bsize,
    ffs_fsize,
    ffs_density,
    ffs_minfree,       // percent
    ffs_optimization,  // "time" or "space"
    ffs_trim,          // true, false
    ffs_softupdates,
    ffs_su_journal,
    wapbl_log_bytes,
    filesystem_size,  // bytes; "fill" when 0: grow to the device
    // ext and XFS; subject: the device
    ext_stride,
    ext_stripe_width,  // bytes
    xfs_sunit,
    xfs_swidth,  // bytes
    // mounts; subject: the mount point
    mount_option_on,
    mount_option_off,  // value: the option
    fstab_pass,        // number
    fstab_options,     // the whole option field
    fstrim_timer,      // true
    // sets; subject: the volume
    raid_stripe_unit,  // bytes
    raid_level,
    raid_rebuild,        // value: the failed component to rebuild, "" for whichever is missing
    raid_add_component,  // value: the device, "" to be named by the administrator
    raid_spare,          // value: the device to add, "" to be named by the administrator
    raid_parity_rewrite,
    raid_parity_map,
    raid_autoconfigure,     // true
    raid_root,              // "Yes", "No"
    raid_component_move,    // value: the component that must go to another disk
    raid_component_start,   // bytes, of the partition that holds the component; subject: that partition
    raid_reshape_continue,  // true
    raid_run,               // true: assemble or start
    gmirror_balance,        // "load", "round-robin"
    crypto_sector,
    zfs_ashift,
    // disks; subject: the disk
    disk_write_cache,    // "on", "off"
    disk_replace,        // true
    controller_battery,  // "ok"; subject: the controller volume
    // the host
    sysctl,       // subject: the name; value: as typed
    swap_remove,  // subject: the swap device
    swap_size,    // bytes
};

using SettingValue = std::variant<std::uint64_t, bool, std::string>;

struct Change {
    Setting setting;
    std::string subject;
    SettingValue value;
    bool operator==(const Change&) const = default;
};

struct SettingInfo {
    Setting setting;
    std::string_view name;    // as newfs(8), raidctl(8) ... call it
    std::string_view phrase;  // for people
    Risk risk;
    /// Puts the value into facts as they would read afterwards; false when the subject is not there.
    bool (*apply)(HostFacts&, const Change&);
};

/// In the order of the enumerators; complete.
std::span<const SettingInfo> settings();
const SettingInfo& info(Setting setting);
std::string to_string(const SettingValue& value);

/// The facts as they would be with all changes carried out; false when one has no such subject.
bool apply_changes(HostFacts& facts, std::span<const Change> changes);
/// The greatest risk among them.
Risk risk_of(std::span<const Change> changes);

}  // namespace diskwright
