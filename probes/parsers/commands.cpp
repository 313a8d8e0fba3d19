// SPDX-License-Identifier: BSD-2-Clause
// The list of parsers. To add one: a file beside this, a declaration and a row here, tests/data/parsers/<id>.
#include <algorithm>
#include <array>

#include "probes/parsers/command.hpp"

namespace diskwright {

// One line each, alphabetical.
extern const CommandParser arcconf_parser;
extern const CommandParser atactl_parser;
extern const CommandParser bioctl_parser;
extern const CommandParser blkid_parser;
extern const CommandParser blockdev_parser;
extern const CommandParser camcontrol_devlist_parser;
extern const CommandParser camcontrol_identify_parser;
extern const CommandParser camcontrol_settings_parser;
extern const CommandParser dd_parser;
extern const CommandParser df_parser;
extern const CommandParser diskinfo_parser;
extern const CommandParser disklabel_parser;
extern const CommandParser dkctl_listwedges_parser;
extern const CommandParser dumpfs_parser;
extern const CommandParser exports_parser;
extern const CommandParser ext_parser;
extern const CommandParser fdisk_freebsd_parser;
extern const CommandParser fdisk_linux_parser;
extern const CommandParser fdisk_netbsd_parser;
extern const CommandParser fdisk_openbsd_parser;
extern const CommandParser findmnt_parser;
extern const CommandParser fstab_parser;
extern const CommandParser geom_list_parser;
extern const CommandParser geom_status_parser;
extern const CommandParser getcache_parser;
extern const CommandParser gpart_backup_parser;
extern const CommandParser gpart_list_parser;
extern const CommandParser gpart_show_parser;
extern const CommandParser gpt_parser;
extern const CommandParser gpt_show_parser;
extern const CommandParser gstat_parser;
extern const CommandParser hdparm_parser;
extern const CommandParser hdparm_timing_parser;
extern const CommandParser probe_parser;
extern const CommandParser iostat_drives_parser;
extern const CommandParser iostat_json_parser;
extern const CommandParser iostat_table_parser;
extern const CommandParser kernel_freebsd_parser;
extern const CommandParser kernel_linux_parser;
extern const CommandParser kernel_mounts_parser;
extern const CommandParser kernel_netbsd_parser;
extern const CommandParser kernel_openbsd_parser;
extern const CommandParser lsblk_parser;
extern const CommandParser lshw_parser;
extern const CommandParser lsscsi_parser;
extern const CommandParser luks_parser;
extern const CommandParser lvm_parser;
extern const CommandParser mdadm_command_parser;
extern const CommandParser mdadm_conf_parser;
extern const CommandParser mdadm_detail_parser;
extern const CommandParser mdadm_examine_parser;
extern const CommandParser mdstat_parser;
extern const CommandParser megacli_drives_parser;
extern const CommandParser megacli_parser;
extern const CommandParser memory_parser;
extern const CommandParser mfiutil_parser;
extern const CommandParser mke2fs_parser;
extern const CommandParser mount_parser;
extern const CommandParser mpsutil_parser;
extern const CommandParser newfs_line_parser;
extern const CommandParser newfs_parser;
extern const CommandParser nvme_cli_parser;
extern const CommandParser nvmecontrol_parser;
extern const CommandParser parted_parser;
extern const CommandParser raidctl_label_parser;
extern const CommandParser raidctl_parity_map_parser;
extern const CommandParser raidctl_progress_parser;
extern const CommandParser raidctl_status_parser;
extern const CommandParser raidframe_conf_parser;
extern const CommandParser release_parser;
extern const CommandParser sar_parser;
extern const CommandParser scsi_inquiry_parser;
extern const CommandParser sfdisk_parser;
extern const CommandParser sgdisk_parser;
extern const CommandParser smartctl_parser;
extern const CommandParser snapshots_parser;
extern const CommandParser ssacli_parser;
extern const CommandParser storcli_parser;
extern const CommandParser swap_parser;
extern const CommandParser sys_queue_parser;
extern const CommandParser sysctl_parser;
extern const CommandParser time_parser;
extern const CommandParser timers_parser;
extern const CommandParser tunefs_parser;
extern const CommandParser uname_parser;
extern const CommandParser wapbl_counters_parser;
extern const CommandParser xfs_parser;
extern const CommandParser zdb_parser;
extern const CommandParser zfs_get_parser;
extern const CommandParser zpool_list_parser;
extern const CommandParser zpool_status_parser;

namespace {

const std::vector<CommandParser>& rows() {
    static const std::vector<CommandParser> list{
        // Specific shapes before general ones.
        gpart_show_parser,
        gpart_backup_parser,
        gpart_list_parser,
        gpt_show_parser,
        gpt_parser,
        dkctl_listwedges_parser,
        getcache_parser,
        fdisk_netbsd_parser,
        fdisk_freebsd_parser,
        fdisk_openbsd_parser,
        disklabel_parser,
        sgdisk_parser,
        fdisk_linux_parser,
        sfdisk_parser,
        parted_parser,
        lsblk_parser,
        lshw_parser,
        blkid_parser,
        blockdev_parser,
        sys_queue_parser,
        diskinfo_parser,
        camcontrol_identify_parser,
        camcontrol_settings_parser,
        camcontrol_devlist_parser,
        atactl_parser,
        scsi_inquiry_parser,
        lsscsi_parser,
        smartctl_parser,
        hdparm_parser,
        nvme_cli_parser,
        nvmecontrol_parser,
        megacli_parser,
        megacli_drives_parser,
        storcli_parser,
        mfiutil_parser,
        mpsutil_parser,
        ssacli_parser,
        arcconf_parser,
        raidctl_status_parser,
        raidctl_label_parser,
        raidctl_parity_map_parser,
        raidframe_conf_parser,
        raidctl_progress_parser,
        bioctl_parser,
        geom_list_parser,
        geom_status_parser,
        zpool_status_parser,
        zpool_list_parser,
        zfs_get_parser,
        zdb_parser,
        kernel_openbsd_parser,
        kernel_netbsd_parser,
        kernel_freebsd_parser,
        kernel_linux_parser,
        newfs_parser,
        newfs_line_parser,
        dumpfs_parser,
        tunefs_parser,
        mdstat_parser,
        mdadm_examine_parser,
        mdadm_detail_parser,
        mdadm_command_parser,
        mdadm_conf_parser,
        probe_parser,
        iostat_json_parser,
        sar_parser,
        gstat_parser,
        iostat_table_parser,
        iostat_drives_parser,
        hdparm_timing_parser,
        dd_parser,
        time_parser,
        snapshots_parser,
        xfs_parser,
        ext_parser,
        mke2fs_parser,
        mount_parser,
        findmnt_parser,
        kernel_mounts_parser,
        fstab_parser,
        df_parser,
        swap_parser,
        wapbl_counters_parser,
        timers_parser,
        lvm_parser,
        luks_parser,
        memory_parser,
        sysctl_parser,
        exports_parser,
        uname_parser,
        release_parser,
    };
    return list;
}

// Commands without a parser whose prompt lines must still be seen as such.
constexpr std::array<std::string_view, 30> other_programs{
    "cat",  "ls",  "echo", "cd",   "vi",     "grep",     "egrep",  "cp",  "mkdir",  "rm",
    "tail", "sh",  "tar",  "sync", "umount", "shutdown", "reboot", "man", "uptime", "date",
    "ps",   "top", "ssh",  "make", "touch",  "fsck",     "growfs", "pwd", "id",     "history"};

}  // namespace

std::span<const CommandParser> command_parsers() {
    return rows();
}

bool is_known_program(std::string_view name) {
    if (std::find(other_programs.begin(), other_programs.end(), name) != other_programs.end()) return true;
    return std::any_of(rows().begin(), rows().end(), [&](const CommandParser& parser) {
        return std::find(parser.programs.begin(), parser.programs.end(), name) != parser.programs.end();
    });
}

}  // namespace diskwright
