#!/bin/sh
# Plan for one file system on raid3/gr0 (FreeBSD 12.2).
# Every step destroys what lies where it writes. Read it all before you run it as root.

PATH=/sbin:/usr/sbin:/bin:/usr/bin
LC_ALL=C
export PATH LC_ALL
umask 077
set -eu

# Nothing runs until this line says yes.
destroy_everything_on_the_device=no

if [ "$destroy_everything_on_the_device" != yes ]; then
    echo "$0: read the steps, then set destroy_everything_on_the_device to yes" >&2
    exit 77
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "$0: needs root" >&2
    exit 77
fi

# What is written to: nothing may be mounted from it or from a partition of it, nor swapped to.
devices='ada0 ada0p1 ada1 ada1p1 ada2 ada2p1 ada3 ada3p1 ada4 ada4p1 gr0 gr0p1'
used=$({ mount; swapinfo; } | awk -v devices="$devices" '
    BEGIN { count = split(devices, wanted, " ") }
    {
        name = $1
        sub(/.*[/]/, "", name)
        for (i = 1; i <= count; i++) {
            rest = substr(name, length(wanted[i]) + 1)
            partition = wanted[i] ~ /[0-9]$/ ? "^(p[0-9]+|s[0-9]+[a-p]?|[a-p])?$" : "^[0-9]*$"
            if (index(name, wanted[i]) == 1 && rest ~ partition) print name
        }
    }')
if [ -n "$used" ]; then
    echo "$0: in use: $used" >&2
    exit 77
fi

# 1. component_partitions: one partition for each disk, from sector 512 on, so that the set's data
#   begins at byte 1048576 of each, a whole MiB behind what the driver reserves; all of one size, so
#   that a replacement that is a little smaller still fits
# cost of not doing it: data off the physical sectors makes every small write read and write two of
#   them
# only if: the disks hold nothing that is wanted
gpart create -s gpt ada0
gpart add -b 2048 -s 1953120256 -t freebsd-ufs -l gr0-0 ada0
gpart create -s gpt ada1
gpart add -b 2048 -s 1953120256 -t freebsd-ufs -l gr0-1 ada1
gpart create -s gpt ada2
gpart add -b 2048 -s 1953120256 -t freebsd-ufs -l gr0-2 ada2
gpart create -s gpt ada3
gpart add -b 2048 -s 1953120256 -t freebsd-ufs -l gr0-3 ada3
gpart create -s gpt ada4
gpart add -b 2048 -s 1953120256 -t freebsd-ufs -l gr0-4 ada4

# 2. raid_set: the set itself, raid3/gr0 of 5 components
# cost of not doing it: none of the following exists without it
kldload -n geom_raid3
graid3 label -v gr0 ada0p1 ada1p1 ada2p1 ada3p1 ada4p1
tee -a /boot/loader.conf <<'END'
geom_raid3_load="YES"
END

# 3. partition_table: a GPT describes any size and keeps a second copy at the end
# cost of not doing it: a 32-bit label cannot describe 2^32 sectors or more
# only if: raid3/gr0 holds nothing that is wanted
# undo: gpart destroy -F raid3/gr0
gpart create -s gpt raid3/gr0

# 4. partition: begins at byte 1048576 (sector 512), the smallest multiple of 1048576 bytes (1 MiB,
#   the convention for partitions) behind the 20 KiB that the table takes
# cost of not doing it: off the physical sector every small write reads and writes two sectors:
#   reported losses are 1.5 to 10 times
gpart add -b 512 -s 1953119712 -t freebsd-ufs -l data raid3/gr0

# 5. newfs: block 64 KiB: every sector is spread over all data disks, so size and workload decide;
#   fragment 8 KiB, 1/8 of the block: the physical sector is 4096 bytes; an inode for each 64 KiB,
#   since backup sets are mostly large files; about 61034991 inodes; soft updates keep it consistent
#   without waiting for each metadata write
# cost of not doing it: fragments below the physical sector are read before they are written: 7
#   minutes instead of 1 to unpack a tree of small files in a report of 2012
newfs -U -L data -b 65536 -f 8192 -i 65536 /dev/raid3/gr0p1

# 6. mount: noatime saves a write of the inode for every read of a file
# cost of not doing it: more writes for the same work
# undo: umount /export
mkdir -p -- /export
mount -t ufs -o noatime /dev/raid3/gr0p1 /export

# 7. fstab: mounted at boot with the same options, and checked after the root file system
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/raid3/gr0p1 /export ufs rw,noatime 1 2
END

# note: graid3 cuts each fragment into 4 pieces of 2048 bytes, below the physical sector: small
#   writes read before they write
