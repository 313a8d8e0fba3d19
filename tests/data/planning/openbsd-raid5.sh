#!/bin/sh
# Plan for one file system on sd4 (OpenBSD 7.3).
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
devices='sd0 sd0a sd1 sd1a sd2 sd2a sd3 sd3a sd4 sd4a'
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
fdisk -iy sd0
disklabel -E sd0 <<'END'
z
a a
1520
3906244608
RAID
w
q
END
fdisk -iy sd1
disklabel -E sd1 <<'END'
z
a a
1520
3906244608
RAID
w
q
END
fdisk -iy sd2
disklabel -E sd2 <<'END'
z
a a
1520
3906244608
RAID
w
q
END
fdisk -iy sd3
disklabel -E sd3 <<'END'
z
a a
1520
3906244608
RAID
w
q
END

# 2. raid_set: the set itself, sd4 of 4 components, stripe unit 64 KiB, 3 data disks, full stripe
#   192 KiB; softraid does not initialise the parity, which becomes right as stripes are written
# cost of not doing it: none of the following exists without it
# only if: bioctl prints the name of the new disk; the plan expects sd4
bioctl -c 5 -l /dev/sd0a,/dev/sd1a,/dev/sd2a,/dev/sd3a softraid0

# 3. partition: begins at byte 196608 (sector 384), the smallest multiple of 196608 bytes (full
#   stripe) behind the 32 KiB that the table takes
# cost of not doing it: off the stripe unit some blocks lie on two disks, which both have to seek
#   for them
disklabel -E sd4 <<'END'
z
a a
384
11718731520
4.2BSD
w
q
END

# 4. newfs: block 32 KiB: the stripe unit of 64 KiB is a whole multiple of it, so a block keeps one
#   disk busy and the others free; fragment 4 KiB, 1/8 of the block: the physical sector is 4096
#   bytes; about 366210360 inodes
# cost of not doing it: a block larger than the stripe unit keeps several disks busy for one request
newfs -O 2 -b 32768 -f 4096 rsd4a

# 5. mount: softdep orders metadata writes without waiting for each; 7.4 and later ignore it;
#   noatime saves a write of the inode for every read of a file
# cost of not doing it: more writes for the same work
# undo: umount /export
mkdir -p -- /export
mount -t ffs -o softdep,noatime /dev/sd4a /export

# 6. fstab: mounted at boot with the same options, and checked after the root file system; disk
#   names can change: the duid of disklabel(8) before the letter, as in 0123456789abcdef.a, does not
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/sd4a /export ffs rw,softdep,noatime 1 2
END

# note: 3 data disks are no power of two: no block can be a full stripe, so each write of a block
#   reads before it writes
# note: neither this FFS nor its disklabel has a place for the label
