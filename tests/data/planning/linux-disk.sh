#!/bin/sh
# Plan for one file system on sda (Linux 6.1).
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
devices='sda sda1'
used=$({ mount; cat /proc/swaps; } | awk -v devices="$devices" '
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

# 1. partition_table: a GPT describes any size and keeps a second copy at the end
# cost of not doing it: a 32-bit label cannot describe 2^32 sectors or more
# only if: sda holds nothing that is wanted
sfdisk /dev/sda <<'END'
label: gpt
END

# 2. partition: begins at byte 1048576 (sector 2048), the smallest multiple of 1048576 bytes (1 MiB,
#   the convention for partitions) behind the 17 KiB that the table takes
# cost of not doing it: off the physical sector every small write reads and writes two sectors:
#   reported losses are 1.5 to 10 times
sfdisk --append /dev/sda <<'END'
start=2048, size=976560416, type=L, name=data
END

# 3. newfs: block 4 KiB: what ext4 takes at most with pages of 4 KiB; the physical sector is not
#   known, so 4096 is planned for, which is right on both kinds
# cost of not doing it: blocks below the physical sector are read before they are written
mkfs.ext4 -b 4096 -L data /dev/sda1

# 4. mount: noatime saves a write of the inode for every read of a file
# cost of not doing it: more writes for the same work
# undo: umount /export
mkdir -p -- /export
mount -t ext4 -o noatime /dev/sda1 /export

# 5. fstab: mounted at boot with the same options, and checked after the root file system
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/sda1 /export ext4 rw,noatime 1 2
END

# note: the physical sector is not known; 4096 is planned for. Where it is 512, nothing is lost but
#   some space in small files
