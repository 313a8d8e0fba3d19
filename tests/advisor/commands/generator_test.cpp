// SPDX-License-Identifier: BSD-2-Clause
// Every setting on every system: the exact command lines, and words of the notes.
#include "advisor/commands/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "advisor/commands/quoting.hpp"
#include "probes/model/facts_json.hpp"
#include "probes/support/text.hpp"
#include "tests/advisor/commands/hosts.hpp"

namespace diskwright {
namespace {

using enum Setting;

HostFacts facts_of(std::string_view json) {
    auto facts = facts_from_text(json, "host");
    if (!facts) {
        ADD_FAILURE() << facts.error().message;
        return {};
    }
    return std::move(*facts);
}

std::vector<std::string> lines_of(const FixCommands& fix) {
    std::vector<std::string> lines;
    for (const auto& argv : fix.commands) lines.push_back(shell_line(argv));
    return lines;
}

std::uint64_t n(std::uint64_t value) {
    return value;
}
std::string s(std::string_view value) {
    return std::string(value);
}

struct Row {
    std::vector<Change> changes;
    std::vector<std::string> commands;
    std::vector<std::string> notes = {};  // parts, each in some note
};

void expect_rows(std::string_view host, const std::vector<Row>& rows) {
    const HostFacts facts = facts_of(host);
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string(info(row.changes.front().setting).phrase) + " of " +
                     row.changes.front().subject);
        const FixCommands fix = commands_for(facts, row.changes);
        EXPECT_EQ(lines_of(fix), row.commands);
        for (const std::string& part : row.notes) {
            EXPECT_TRUE(std::any_of(fix.notes.begin(), fix.notes.end(),
                                    [&](const std::string& note) { return contains(note, part); }))
                << "no note with '" << part << "' among:\n"
                << testing::PrintToString(fix.notes);
        }
    }
}

TEST(Commands, NetBsd) {
    expect_rows(
        test::netbsd_host,
        {
            {{{ffs_fsize, "wd0e", n(4096)}, {ffs_bsize, "wd0e", n(32768)}},
             {"umount /export", "newfs -O 2 -b 32768 -f 4096 -m 3 -o time -g 4096 /dev/rwd0e",
              "mount /export"},
             {"everything on the file system is lost"}},
            {{{ffs_bsize, "wd0e", n(16384)}, {ffs_density, "wd0e", n(65536)}, {ffs_minfree, "wd0e", n(5)}},
             {"umount /export", "newfs -O 2 -b 16384 -f 2048 -i 65536 -g 4096 /dev/rwd0e", "mount /export"}},
            {{{ffs_format, "dk0", s("ffs2")}}, {"newfs -O 2 -b 8192 -f 1024 /dev/rdk0"}},
            {{{ffs_bsize, "dk0", n(65536)}}, {}, {"refuse blocks of 65536 with fragments of 1024"}},
            {{{ffs_bsize, "wd0a", n(32768)}, {ffs_fsize, "wd0a", n(4096)}},
             {"newfs -O 2 -b 32768 -f 4096 /dev/rwd0a"},
             {"/ cannot be unmounted: run this from another system"}},
            {{{ffs_bsize, "wd9e", n(16384)}},
             {"newfs -O 2 -b 16384 -f 2048 /dev/rwd9e"},
             {"-O 2 makes FFSv2"}},
            {{{ffs_minfree, "wd0e", n(5)}, {ffs_optimization, "wd0e", s("time")}},
             {"umount /export", "tunefs -m 5 -o time /dev/rwd0e", "mount /export"}},
            {{{ffs_optimization, "wd0a", s("time")}}, {"tunefs -o time /dev/rwd0a"}, {"single-user mode"}},
            {{{ffs_trim, "wd0e", true}}, {}, {"mount option discard"}},
            {{{ffs_softupdates, "wd0e", true}}, {}, {"mount -o log"}},
            {{{ffs_su_journal, "wd0e", true}}, {}, {"only FreeBSD"}},
            {{{wapbl_log_bytes, "wd0e", n(67108864)}},
             {"umount /export", "tunefs -l 0 /dev/rwd0e", "mount -o nolog /export", "umount /export",
              "tunefs -l 67108864 /dev/rwd0e", "mount /export"}},
            {{{wapbl_log_bytes, "dk0", n(67108864)}}, {"tunefs -l 67108864 /dev/rdk0"}},
            {{{filesystem_size, "wd0e", n(0)}},
             {"umount /export", "fsck_ffs -f /dev/rwd0e", "resize_ffs /dev/rwd0e", "mount /export"}},
            {{{mount_option_off, "/export", s("sync")}, {mount_option_on, "/export", s("log")}},
             {"mount -u -o nosync,log /export"},
             {"in /etc/fstab the options of /export become rw,log"}},
            {{{mount_option_on, "/", s("noatime")}},
             {"mount -u -o noatime /"},
             {"options of / in /etc/fstab: add noatime"}},
            {{{fstab_pass, "/export", n(2)}}, {}, {"(fsck pass) of /export becomes 2"}},
            {{{fstab_options, "/export", s("rw,log")}}, {}, {"options of /export become rw,log"}},
            {{{fstrim_timer, "", true}}, {}, {"no command of this system"}},
            {{{raid_rebuild, "raid0", s("wd1e")}}, {"raidctl -R /dev/wd1e raid0"}, {"replace it first"}},
            {{{raid_rebuild, "raid0", s("")}}, {"raidctl -R /dev/wd1e raid0"}},
            {{{raid_rebuild, "raid1", s("component0")}}, {"raidctl -F component0 raid1"}},
            {{{raid_spare, "raid0", s("wd4e")}, {raid_rebuild, "raid0", s("wd1e")}},
             {"raidctl -a /dev/wd4e raid0", "raidctl -F /dev/wd1e raid0"}},
            {{{raid_spare, "raid0", s("")}}, {}, {"raidctl -a DEVICE raid0"}},
            {{{raid_add_component, "raid0", s("")}}, {}, {"raidctl -F /dev/wd1e raid0"}},
            {{{raid_parity_rewrite, "raid0", true}}, {"raidctl -i raid0"}},
            {{{raid_parity_map, "raid0", true}}, {"raidctl -M yes raid0"}, {"next configuration"}},
            {{{raid_autoconfigure, "raid0", true}}, {"raidctl -A yes raid0"}},
            {{{raid_autoconfigure, "raid1", true}}, {"raidctl -A softroot raid1"}},
            {{{raid_root, "raid0", s("Yes")}}, {"raidctl -A root raid0"}},
            {{{raid_root, "raid1", s("No")}}, {"raidctl -A yes raid1"}},
            {{{raid_stripe_unit, "raid0", n(32768)}}, {}, {"set it to 64 in the layout section"}},
            {{{raid_level, "raid0", s("1")}}, {}, {"with level 1"}},
            {{{raid_component_move, "raid0", s("wd1e")}}, {}, {"put wd1e on a disk of its own"}},
            {{{raid_component_start, "wd0e", n(1048576)}}, {}, {"at byte 1048576"}},
            {{{raid_component_start, "wd2e", n(1048576)}, {partition_size, "wd2e", n(1073741824)}},
             {},
             {"raidctl -f /dev/wd2e raid0, afterwards raidctl -R /dev/wd2e raid0; in between make wd2e again "
              "at byte 1048576 (sector 2048"}},
            {{{raid_stripe_unit, "raid0", n(32768)},
              {partition_start, "raid0e", n(1073872896)},
              {partition_size, "raid0e", n(1099511496704)},
              {ffs_bsize, "raid0e", n(65536)},
              {ffs_fsize, "raid0e", n(8192)}},
             {},
             {"raid0e goes with raid0 and is made anew on it; raid0e then begins at byte 1073872896; its "
              "file "
              "system: newfs -O 2 -b 65536 -f 8192 /dev/rraid0e",
              "set it to 64 in the layout section"}},
            {{{raid_stripe_unit, "raid1", n(32768)}, {ffs_bsize, "dk0", n(4096)}, {ffs_fsize, "dk0", n(512)}},
             {"newfs -b 4096 -f 512 /dev/rdk0"},
             {"set it to 64 in the layout section"}},
            {{{raid_reshape_continue, "raid0", true}}, {}, {"an unfinished reshape of raid0"}},
            {{{raid_run, "raid0", true}}, {}, {"own configuration file"}},
            {{{gmirror_balance, "raid0", s("load")}}, {}, {"no command of this system"}},
            {{{crypto_sector, "cgd0", n(4096)}}, {}, {"becomes 4096"}},
            {{{zfs_ashift, "tank", n(12)}}, {}, {"ashift=12"}},
            {{{partition_start, "wd0e", n(1048576)}},
             {"umount /export", "disklabel -e wd0",
              "newfs -O 2 -b 16384 -f 2048 -m 3 -o time -g 4096 /dev/rwd0e", "mount /export"},
             {"size 2147481600 and offset 2048", "everything on the partition is lost"}},
            {{{partition_start, "wd0e", n(1048576)},
              {ffs_bsize, "wd0e", n(32768)},
              {ffs_fsize, "wd0e", n(4096)}},
             {"umount /export", "disklabel -e wd0",
              "newfs -O 2 -b 32768 -f 4096 -m 3 -o time -g 4096 /dev/rwd0e", "mount /export"}},
            {{{partition_start, "dk0", n(1048576)}},
             {"gpt remove -i 1 wd1", "gpt add -b 2048 -s 2095138 -t ffs -i 1 -l data wd1",
              "newfs -b 8192 -f 1024 /dev/rdk0"},
             {"wedge"}},
            {{{partition_size, "dk0", n(1073741824)}}, {"gpt resize -i 1 -s 2097152 wd1"}},
            {{{partition_size, "wd0e", n(1073741824)}}, {}, {"size of wd0e to 2097152 sectors"}},
            {{{partition_type, "dk0", s("swap")}}, {"gpt type -i 1 -t swap wd1"}},
            {{{partition_type, "wd0e", s("RAID")}}, {"disklabel -e wd0"}, {"type of wd0e becomes RAID"}},
            {{{table_scheme, "wd0", s("gpt")}}, {"gpt migrate wd0"}, {"backup"}},
            {{{gpt_recover, "wd1", s("secondary")}}, {"gpt recover wd1"}},
            {{{stale_metadata_clear, "wd0", s("gpt")}}, {"gpt destroy wd0"}},
            {{{stale_metadata_clear, "wd1", s("gpt")}}, {}, {"which table is in use"}},
            {{{disk_write_cache, "wd0", s("on")}}, {"dkctl wd0 setcache rw"}},
            {{{disk_write_cache, "wd0", s("off")}}, {"dkctl wd0 setcache r"}},
            {{{disk_replace, "wd0", true}}, {}, {"replace wd0"}},
            {{{controller_battery, "raid0", s("ok")}}, {}, {"replace the battery"}},
            {{{sysctl, "vfs.wapbl.flush_disk_cache", s("1")}},
             {"sysctl -w vfs.wapbl.flush_disk_cache=1"},
             {"put vfs.wapbl.flush_disk_cache=1 into /etc/sysctl.conf"}},
            {{{swap_remove, "raid0b", true}}, {"swapctl -d /dev/raid0b"}, {"fstab"}},
            {{{swap_size, "raid0b", n(1073741824)}}, {}, {"about 1 GiB"}},
        });
}

TEST(Commands, FreeBsd) {
    expect_rows(
        test::freebsd_host,
        {
            {{{ffs_bsize, "ada0p2", n(32768)}, {ffs_fsize, "ada0p2", n(4096)}},
             {"umount /home", "newfs -U -L home -b 32768 -f 4096 /dev/ada0p2", "mount /home"}},
            {{{ffs_bsize, "ada0p2", n(32768)},
              {ffs_fsize, "ada0p2", n(4096)},
              {ffs_su_journal, "ada0p2", true},
              {ffs_trim, "ada0p2", true}},
             {"umount /home", "newfs -U -j -t -L home -b 32768 -f 4096 /dev/ada0p2", "mount /home"}},
            {{{ffs_fsize, "gm0s1e", n(4096)}, {ffs_bsize, "gm0s1e", n(32768)}},
             {"umount /spool", "newfs -O 1 -b 32768 -f 4096 /dev/mirror/gm0s1e",
              "mount /dev/mirror/gm0s1e /spool"}},
            {{{ffs_format, "gm0s1e", s("ffs2")}},
             {"umount /spool", "newfs -b 16384 -f 2048 /dev/mirror/gm0s1e",
              "mount /dev/mirror/gm0s1e /spool"}},
            {{{ffs_density, "ada0p2", n(131072)}},
             {"umount /home", "newfs -U -L home -b 16384 -f 2048 -i 131072 /dev/ada0p2", "mount /home"}},
            {{{ffs_minfree, "ada0p2", n(8)}, {ffs_optimization, "ada0p2", s("time")}},
             {"umount /home", "tunefs -m 8 -o time /dev/ada0p2", "mount /home"}},
            {{{ffs_trim, "ada0p2", true}}, {"umount /home", "tunefs -t enable /dev/ada0p2", "mount /home"}},
            {{{ffs_softupdates, "gm0s1e", true}},
             {"umount /spool", "tunefs -n enable /dev/mirror/gm0s1e", "mount /dev/mirror/gm0s1e /spool"}},
            {{{ffs_su_journal, "ada0p4", false}}, {"tunefs -j disable /dev/ada0p4"}, {"single-user mode"}},
            {{{ffs_softupdates, "ada0p2", true}, {ffs_su_journal, "ada0p2", true}},
             {"umount /home", "tunefs -j enable /dev/ada0p2", "mount /home"}},
            {{{wapbl_log_bytes, "ada0p2", n(67108864)}}, {}, {"no command of this system"}},
            {{{filesystem_size, "ada0p2", n(0)}}, {"growfs /dev/ada0p2"}},
            {{{filesystem_size, "ada0p2", n(536870912)}}, {}, {"cannot be shrunk"}},
            {{{mount_option_off, "/spool", s("async")}},
             {"mount -u -o current,noasync /spool"},
             {"options of /spool in /etc/fstab: remove async"}},
            {{{mount_option_on, "/home", s("noatime")}},
             {"mount -u -o current,noatime /home"},
             {"become rw,noatime"}},
            {{{fstab_pass, "/home", n(2)}}, {}, {"becomes 2"}},
            {{{fstab_options, "/home", s("rw")}}, {}, {"become rw"}},
            {{{gmirror_balance, "mirror/gm0", s("load")}}, {"gmirror configure -b load gm0"}},
            {{{raid_rebuild, "mirror/gm0", s("ada2")}}, {"gmirror rebuild gm0 ada2"}},
            {{{raid_add_component, "mirror/gm0", s("ada8")}},
             {"gmirror forget gm0", "gmirror insert gm0 ada8"}},
            {{{raid_add_component, "gm0", s("")}},
             {},
             {"gmirror forget gm0, then gmirror insert gm0 DEVICE"}},
            {{{raid_rebuild, "raid3/gr0", s("ada5")}}, {"graid3 rebuild gr0 ada5"}},
            {{{raid_spare, "tank", s("ada9")}}, {"zpool add tank spare ada9"}},
            {{{raid_rebuild, "tank", s("ada6")}}, {"zpool replace tank ada6"}},
            {{{raid_stripe_unit, "stripe/st0", n(131072)}},
             {"gstripe destroy st0", "gstripe label -s 131072 st0 ada3 ada4"},
             {"everything on the stripe is lost"}},
            {{{raid_stripe_unit, "stripe/st0", n(131072)}, {ffs_bsize, "stripe/st0a", n(32768)}},
             {"gstripe destroy st0", "gstripe label -s 131072 st0 ada3 ada4"},
             {"stripe/st0a goes with stripe/st0"}},
            {{{raid_component_start, "ada4", n(1048576)}},
             {},
             {"stripe/st0 has to be made anew with ada4 beginning at byte 1048576"}},
            {{{raid_component_start, "ada1", n(1048576)}},
             {},
             {"gmirror remove gm0 ada1, afterwards gmirror insert gm0 ada1"}},
            {{{raid_level, "stripe/st0", s("1")}}, {}, {"fixed when the set is made"}},
            {{{raid_parity_rewrite, "raid3/gr0", true}}, {}, {"rebuilding a component"}},
            {{{raid_parity_map, "mirror/gm0", true}}, {}, {"with the set's own tool"}},
            {{{raid_component_move, "stripe/st0", s("ada4")}}, {}, {"disk of its own"}},
            {{{raid_run, "mirror/gm0", true}}, {}, {"starts a set"}},
            {{{crypto_sector, "ada7p2.eli", n(4096)}}, {}, {"geli init -s 4096"}},
            {{{zfs_ashift, "tank", n(12)}}, {}, {"vfs.zfs.min_auto_ashift=12"}},
            {{{partition_start, "ada0p2", n(1048576)}},
             {"umount /home", "gpart delete -i 2 ada0",
              "gpart add -b 2048 -s 2096168 -t freebsd-ufs -i 2 -l home ada0",
              "newfs -U -L home -b 16384 -f 2048 /dev/ada0p2", "mount /home"}},
            {{{partition_start, "ada0p2", n(1048577)}}, {}, {"begins at byte 1048577"}},
            {{{partition_size, "ada0p2", n(536870912)}},
             {"gpart resize -i 2 -s 1048576 ada0"},
             {"has to fit first"}},
            {{{partition_type, "ada0p3", s("freebsd-ufs")}}, {"gpart modify -i 3 -t freebsd-ufs ada0"}},
            {{{table_scheme, "ada1", s("gpt")}},
             {"gpart destroy -F ada1", "gpart create -s gpt ada1"},
             {"backup"}},
            {{{gpt_recover, "ada0", s("primary")}}, {"gpart recover ada0"}},
            {{{stale_metadata_clear, "da0", s("gstripe")}},
             {"gstripe clear da0"},
             {"nothing uses this metadata"}},
            {{{stale_metadata_clear, "da0", s("GEOM::MIRROR")}}, {"gmirror clear da0"}},
            {{{stale_metadata_clear, "da0", s("zfs")}}, {"zpool labelclear /dev/da0"}},
            {{{stale_metadata_clear, "da0", s("gpt")}}, {"gpart destroy -F da0"}},
            {{{stale_metadata_clear, "ada1", s("gpt")}}, {}, {"component of a set"}},
            {{{stale_metadata_clear, "da0", s("disklabel")}}, {}, {"with the tool that made it"}},
            {{{disk_write_cache, "ada0", s("on")}},
             {"sysctl kern.cam.ada.0.write_cache=1"},
             {"/boot/loader.conf"}},
            {{{disk_write_cache, "da0", s("off")}}, {"camcontrol modepage da0 -m 8 -e"}, {"WCE to 0"}},
            {{{disk_replace, "ada0", true}}, {}, {"replace ada0"}},
            {{{sysctl, "kern.geom.stripe.fast", s("0")}},
             {"sysctl kern.geom.stripe.fast=0"},
             {"/etc/sysctl.conf"}},
            {{{sysctl, "kern.maxphys", s("1048576")}}, {}, {"/boot/loader.conf"}},
            {{{swap_remove, "ada0p3", true}}, {"swapoff /dev/ada0p3"}},
        });
}

TEST(Commands, OpenBsd) {
    expect_rows(
        test::openbsd_host,
        {
            {{{ffs_fsize, "sd0a", n(4096)}, {ffs_bsize, "sd0a", n(32768)}},
             {"umount /var", "newfs -O 2 -b 32768 -f 4096 -o space rsd0a", "mount /var"}},
            {{{ffs_fsize, "3b4f1c2d5e6a7b8c.d", n(4096)}, {ffs_bsize, "3b4f1c2d5e6a7b8c.d", n(32768)}},
             {"newfs -O 1 -b 32768 -f 4096 3b4f1c2d5e6a7b8c.d"}},
            {{{ffs_minfree, "sd0a", n(5)}}, {"umount /var", "tunefs -m 5 rsd0a", "mount /var"}},
            {{{ffs_optimization, "sd0a", s("time")}}, {"umount /var", "tunefs -o time rsd0a", "mount /var"}},
            {{{ffs_trim, "sd0a", true}}, {}, {"does not pass TRIM"}},
            {{{ffs_softupdates, "sd0a", true}}, {}, {"softdep until 7.4"}},
            {{{filesystem_size, "sd0a", n(0)}}, {"umount /var", "growfs rsd0a", "fsck rsd0a", "mount /var"}},
            {{{mount_option_off, "/var", s("softdep")}}, {}, {"become rw"}},
            {{{mount_option_on, "/var", s("noatime")}}, {"mount -u -o noatime /var"}},
            {{{raid_rebuild, "sd2", s("sd1d")}}, {"bioctl -R /dev/sd1d sd2"}},
            {{{raid_add_component, "sd2", s("")}}, {}, {"bioctl -R DEVICE sd2"}},
            {{{raid_rebuild, "raid0", s("sd3d")}}, {"raidctl -R /dev/sd3d raid0"}},
            {{{raid_stripe_unit, "sd2", n(131072)}}, {}, {"fixed at 64 KiB"}},
            {{{raid_spare, "sd2", s("sd4d")}}, {}, {"no hot spares"}},
            {{{partition_start, "sd0a", n(1048576)}},
             {"umount /var", "disklabel -E sd0", "newfs -O 2 -b 16384 -f 2048 -o space rsd0a", "mount /var"},
             {"d a, a a, offset 2048, size 2147481600, type 4.2BSD"}},
            {{{partition_type, "sd0a", s("swap")}}, {"disklabel -E sd0"}},
            {{{table_scheme, "sd0", s("gpt")}}, {"fdisk -g sd0"}},
            {{{gpt_recover, "sd0", s("primary")}}, {}, {"fdisk -e sd0"}},
            {{{disk_write_cache, "sd0", s("on")}}, {}, {"no tool"}},
            {{{sysctl, "kern.bufcachepercent", s("40")}}, {"sysctl kern.bufcachepercent=40"}},
            {{{swap_remove, "sd0b", true}}, {"swapctl -d /dev/sd0b"}},
        });
}

TEST(Commands, Linux) {
    expect_rows(
        test::linux_host,
        {
            {{{ext_stride, "md0", n(524288)}, {ext_stripe_width, "md0", n(1572864)}},
             {"tune2fs -E stride=128,stripe_width=384 /dev/md0"}},
            {{{ext_stride, "md7", n(524288)}}, {}, {"does not show the block size"}},
            {{{xfs_sunit, "md1", n(524288)}, {xfs_swidth, "md1", n(1572864)}},
             {"umount /data", "mount -o sunit=1024,swidth=3072 /data"}},
            {{{mount_option_off, "/srv", s("barrier=0")}}, {"mount -o remount,barrier=1 /srv"}},
            {{{mount_option_off, "/data", s("nobarrier")}}, {"mount -o remount,barrier /data"}},
            {{{mount_option_off, "/srv", s("sync")}}, {"mount -o remount,async /srv"}},
            {{{mount_option_on, "/srv", s("noatime")}},
             {"mount -o remount,noatime /srv"},
             {"become defaults,noatime"}},
            {{{fstab_pass, "/srv", n(2)}}, {}, {"/srv becomes 2"}},
            {{{fstrim_timer, "/srv", true}}, {"systemctl enable --now fstrim.timer"}},
            {{{filesystem_size, "md0", n(0)}}, {"resize2fs /dev/md0"}},
            {{{filesystem_size, "md1", n(0)}}, {"xfs_growfs /data"}},
            {{{filesystem_size, "md0", n(1073741824)}},
             {"umount /srv", "e2fsck -f /dev/md0", "resize2fs /dev/md0 1048576K", "mount /srv"}},
            {{{raid_rebuild, "md0", s("sdc1")}},
             {"mdadm /dev/md0 --remove /dev/sdc1", "mdadm /dev/md0 --add /dev/sdc1"}},
            {{{raid_add_component, "md0", s("sde1")}}, {"mdadm /dev/md0 --add /dev/sde1"}},
            {{{raid_add_component, "md0", s("")}}, {}, {"mdadm /dev/md0 --add DEVICE"}},
            {{{raid_spare, "md0", s("sde1")}}, {"mdadm /dev/md0 --add /dev/sde1"}},
            {{{raid_parity_rewrite, "md0", true}}, {"mdadm --action=repair /dev/md0"}},
            {{{raid_parity_map, "md0", true}}, {"mdadm --grow --bitmap=internal /dev/md0"}},
            {{{raid_reshape_continue, "md0", true}}, {"mdadm --grow --continue /dev/md0"}},
            {{{raid_run, "md0", true}}, {"mdadm --run /dev/md0"}},
            {{{raid_stripe_unit, "md0", n(65536)}},
             {"mdadm --grow /dev/md0 --chunk=64 --backup-file /root/md0-grow.backup"},
             {"hours to days"}},
            {{{raid_level, "md0", s("6")}}, {}, {"--level=6"}},
            {{{raid_component_move, "md0", s("sdd1")}}, {}, {"--replace sdd1"}},
            {{{crypto_sector, "luks", n(4096)}}, {}, {"--sector-size 4096"}},
            {{{partition_start, "sda1", n(1048576)}}, {"sgdisk --delete=1 --new=1:2048:2097215 /dev/sda"}},
            {{{partition_start, "sdb1", n(1048576)}}, {}, {"sector 2048 of 512 bytes"}},
            {{{partition_type, "sdb1", s("fd")}}, {"sfdisk --part-type /dev/sdb 1 fd"}},
            {{{table_scheme, "sdb", s("gpt")}}, {"sgdisk --mbrtogpt /dev/sdb"}},
            {{{gpt_recover, "sda", s("secondary")}}, {"sgdisk --move-second-header /dev/sda"}},
            {{{stale_metadata_clear, "sdb", s("md")}}, {"mdadm --zero-superblock /dev/sdb"}},
            {{{stale_metadata_clear, "sdb", s("gpt")}}, {"wipefs --all --types gpt /dev/sdb"}},
            {{{disk_write_cache, "sda", s("off")}}, {"hdparm -W0 /dev/sda"}},
            {{{disk_write_cache, "sdb", s("on")}}, {"sdparm --set=WCE=1 --save /dev/sdb"}},
            {{{sysctl, "vm.dirty_ratio", s("10")}}, {"sysctl -w vm.dirty_ratio=10"}},
            {{{swap_remove, "md2", true}}, {"swapoff /dev/md2"}},
        });
}

// Whatever the setting and the system: something is said, no command line is a shell's, and RAIDframe is
// never configured.
TEST(Commands, EverySettingOnEverySystem) {
    const std::vector<SettingValue> values{n(4096), true, s("ffs2"), s("")};
    for (const auto host : {test::netbsd_host, test::freebsd_host, test::openbsd_host, test::linux_host}) {
        const HostFacts facts = facts_of(host);
        std::vector<std::string> subjects{"nothing", "/"};
        for (const auto& v : facts.volumes) subjects.push_back(v.name);
        for (const auto& p : facts.partitions) subjects.push_back(p.name);
        for (const auto& f : facts.filesystems) subjects.push_back(f.device);
        for (const SettingInfo& setting : settings()) {
            for (const auto& subject : subjects) {
                for (const auto& value : values) {
                    SCOPED_TRACE(std::string(setting.phrase) + " of " + subject + ": " + to_string(value));
                    const std::vector<Change> changes{{setting.setting, subject, value}};
                    const FixCommands fix = commands_for(facts, changes);
                    for (const auto& argv : fix.commands) {
                        ASSERT_FALSE(argv.empty());
                        for (const auto& word : argv) EXPECT_FALSE(word.empty());
                        if (argv.front() != "raidctl") continue;
                        for (const std::string_view never : {"-C", "-c", "-I"})
                            EXPECT_EQ(std::count(argv.begin(), argv.end(), never), 0);
                    }
                }
            }
        }
    }
}

TEST(Commands, NoSystemNoCommand) {
    HostFacts facts = facts_of(test::netbsd_host);
    facts.os = {};
    const FixCommands fix = commands_for(facts, std::vector<Change>{{ffs_optimization, "wd0e", s("time")}});
    EXPECT_TRUE(fix.commands.empty());
    ASSERT_EQ(fix.notes.size(), 1U);
    EXPECT_TRUE(contains(fix.notes[0], "on NetBSD umount, tunefs, mount")) << fix.notes[0];
    EXPECT_TRUE(contains(fix.notes[0], "--os NAME-RELEASE"));
    EXPECT_FALSE(contains(fix.notes[0], "on Linux"));
}

TEST(Commands, NothingToChange) {
    EXPECT_EQ(commands_for(facts_of(test::netbsd_host), {}), FixCommands{});
}

// A name that a shell or a tool could take for something else stops the whole fix, and the note shows it
// escaped.
TEST(Commands, HostileNames) {
    for (const std::string name : {"wd0e; reboot", "-rf", "wd0e\n", "wd0e\x1b[2J", "$(id)", "`id`", "a b",
                                   "wd0e'", "wd0e\"", "*", ""}) {
        SCOPED_TRACE(escaped(name));
        for (const auto os : {Os::netbsd, Os::freebsd, Os::openbsd, Os::linux_}) {
            HostFacts facts;
            facts.os.name = Known<Os>(os, {});
            Filesystem fs;
            fs.device = name;
            fs.bsize = Number(4096, {});
            facts.filesystems.push_back(fs);
            Mount mount;
            mount.point = "/" + name + "'";
            mount.device = Text(name, {});
            facts.mounts.push_back(mount);
            Volume volume;
            volume.name = name;
            volume.kind = Known<VolumeKind>(os == Os::linux_    ? VolumeKind::md
                                            : os == Os::freebsd ? VolumeKind::gmirror
                                            : os == Os::openbsd ? VolumeKind::softraid
                                                                : VolumeKind::raidframe,
                                            {});
            facts.volumes.push_back(volume);
            for (const SettingInfo& setting : settings()) {
                for (const SettingValue& value :
                     {SettingValue(n(512)), SettingValue(name), SettingValue(true)}) {
                    const FixCommands fix =
                        commands_for(facts, std::vector<Change>{{setting.setting, name, value}});
                    if (setting.setting != fstrim_timer) {
                        EXPECT_TRUE(fix.commands.empty())
                            << setting.phrase << ": "
                            << shell_line(fix.commands.empty() ? std::vector<std::string>{}
                                                               : fix.commands[0]);
                    }
                    for (const auto& note : fix.notes) EXPECT_EQ(escaped(note), note);
                }
            }
        }
    }
}

TEST(Quoting, Words) {
    EXPECT_EQ(shell_quoted("/dev/ada0p2"), "/dev/ada0p2");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
    EXPECT_EQ(shell_quoted("$(id)"), "'$(id)'");
    EXPECT_EQ(shell_line(std::vector<std::string>{"mount", "-o", "rw,log", "/a b"}),
              "mount -o rw,log '/a b'");
    for (const std::string_view good :
         {"wd0e", "/dev/mirror/gm0s1e", "sd0a", "3b4f1c2d5e6a7b8c.d", "a@b:c+d=e,f-g_h"})
        EXPECT_TRUE(safe_name(good));
    for (const std::string_view bad : {"", "-x", "a b", "a;b", "a\nb", "$a", "a'b", "\xc3\xa4", "a~", "!x"})
        EXPECT_FALSE(safe_name(bad));
}

}  // namespace
}  // namespace diskwright
