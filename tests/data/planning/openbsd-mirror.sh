#!/bin/sh
# Plan for one file system on sd2 (OpenBSD 7.6).
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
devices='sd0 sd0a sd1 sd1a sd2 sd2a'
used=$({ mount; swapctl -l; } | awk -v devices="$devices" '
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

# 1. component_partitions: one partition for each disk, from sector 1520 on, so that the set's data
#   begins at byte 1048576 of each, a whole MiB behind what the driver reserves; all of one size, so
#   that a replacement that is a little smaller still fits
# cost of not doing it: data off the physical sectors makes every small write read and write two of
#   them
# only if: the disks hold nothing that is wanted
fdisk -gy sd0
disklabel -E sd0 <<'END'
z
a a
1520
7812495360
RAID
w
q
END
fdisk -gy sd1
disklabel -E sd1 <<'END'
z
a a
1520
7812495360
RAID
w
q
END

# 2. raid_set: the set itself, sd2 of 2 components
# cost of not doing it: none of the following exists without it
# only if: bioctl prints the name of the new disk; the plan expects sd2
bioctl -c 1 -l /dev/sd0a,/dev/sd1a softraid0

# 3. partition: begins at byte 1048576 (sector 2048), the smallest multiple of 1048576 bytes (1 MiB,
#   the convention for partitions) behind the 32 KiB that the table takes
# cost of not doing it: off the physical sector every small write reads and writes two sectors:
#   reported losses are 1.5 to 10 times
disklabel -E sd2 <<'END'
z
a a
2048
7812492736
4.2BSD
w
q
END

# 4. newfs: block 32 KiB: nothing is striped, so size and workload decide; fragment 4 KiB, 1/8 of
#   the block: the physical sector is not known, so 4096 is planned for, which is right on both
#   kinds; an inode for each 8 KiB, since mail is one small file a message; about 488280796 inodes
# cost of not doing it: fragments below the physical sector are read before they are written: 7
#   minutes instead of 1 to unpack a tree of small files in a report of 2012
newfs -O 2 -b 32768 -f 4096 -i 8192 rsd2a

# 5. mount: noatime saves a write of the inode for every read of a file; readers of mbox files
#   (mutt, biff) tell new mail by the access time: leave noatime out where they are used; this
#   system's FFS has no journal; it is checked by fsck after a crash
# cost of not doing it: more writes for the same work
# undo: umount /export
mkdir -p -- /export
mount -t ffs -o noatime /dev/sd2a /export

# 6. fstab: mounted at boot with the same options, and checked after the root file system; disk
#   names can change: the duid of disklabel(8) before the letter, as in 0123456789abcdef.a, does not
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/sd2a /export ffs rw,noatime 1 2
END

# note: the physical sector is not known; 4096 is planned for. Where it is 512, nothing is lost but
#   some space in small files
# note: neither this FFS nor its disklabel has a place for the label
