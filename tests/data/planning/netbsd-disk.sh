#!/bin/sh
# Plan for one file system on wd0 (NetBSD 10.0).
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
devices='wd0 wd0a'
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

# 1. partition: begins at byte 1048576 (sector 2048), the smallest multiple of 1048576 bytes (1 MiB,
#   the convention for partitions) behind the 8 KiB that the table takes
# cost of not doing it: off the physical sector every small write reads and writes two sectors:
#   reported losses are 1.5 to 10 times
# only if: wd0 holds nothing that is wanted
disklabel -i wd0 <<'END'
a
4.2BSD
2048s
976560448s
W
y
Q
END

# 2. newfs: block 16 KiB: nothing is striped, so size and workload decide; fragment 4 KiB, 1/4 of
#   the block: the physical sector is not known, so 4096 is planned for, which is right on both
#   kinds; an inode for each 8 KiB, since source and object trees are many small files; about
#   61035028 inodes; -O 2 is FFSv2, which newfs does not make by itself
# cost of not doing it: fragments below the physical sector are read before they are written: 7
#   minutes instead of 1 to unpack a tree of small files in a report of 2012
newfs -O 2 -b 16384 -f 4096 -i 8192 /dev/rwd0a

# 3. mount: log is the journal (WAPBL): consistent after a crash without fsck; noatime saves a write
#   of the inode for every read of a file
# cost of not doing it: without log every creation and removal of a file waits for the disk, and a
#   crash is followed by fsck of everything
# undo: umount /export
mkdir -p -- /export
mount -t ffs -o log,noatime /dev/wd0a /export

# 4. fstab: mounted at boot with the same options, and checked after the root file system
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/wd0a /export ffs rw,log,noatime 1 2
END

# note: the physical sector is not known; 4096 is planned for. Where it is 512, nothing is lost but
#   some space in small files
# note: neither this FFS nor its disklabel has a place for the label
