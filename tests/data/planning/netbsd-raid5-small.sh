#!/bin/sh
# Plan for one file system on raid0 (NetBSD 9.3).
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
devices='raid0 raid0a wd0 wd0a wd1 wd1a wd2 wd2a'
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

# 1. component_partitions: one partition for each disk, from sector 1984 on, so that the set's data
#   begins at byte 1048576 of each, a whole MiB behind what the driver reserves; all of one size, so
#   that a replacement that is a little smaller still fits
# cost of not doing it: data off the physical sectors makes every small write read and write two of
#   them
# only if: the disks hold nothing that is wanted
disklabel -i wd0 <<'END'
a
RAID
1984s
976558080s
W
y
Q
END
disklabel -i wd1 <<'END'
a
RAID
1984s
976558080s
W
y
Q
END
disklabel -i wd2 <<'END'
a
RAID
1984s
976558080s
W
y
Q
END

# 2. raid_set: the set itself, raid0 of 3 components, stripe unit 32 KiB, 2 data disks, full stripe
#   64 KiB; the parity (or mirror) is made right before anything is written, and the kernel
#   configures the set by itself at boot
# cost of not doing it: without -i the first failure of a disk returns garbage for it; without -A
#   the set is not there after a boot
tee /etc/raid0.conf <<'END'
START array
# rows columns spares
1 3 0

START disks
/dev/wd0a
/dev/wd1a
/dev/wd2a

START layout
# sectPerSU SUsPerParityUnit SUsPerReconUnit level
64 1 1 5

START queue
fifo 100
END
raidctl -C /etc/raid0.conf raid0
raidctl -I 100 raid0
raidctl -v -i raid0
raidctl -A yes raid0

# 3. partition: begins at byte 65536 (sector 128), the smallest multiple of 65536 bytes (full
#   stripe) behind the 8 KiB that the table takes
# cost of not doing it: off the stripe every block touches two stripes, and each write reads before
#   it writes: 18 instead of 243 MB/s for a start at sector 63 in a model of five disks
disklabel -i raid0 <<'END'
a
4.2BSD
128s
1953115904s
W
y
Q
END

# 4. newfs: block 64 KiB = 1 x the full stripe of 64 KiB (32 KiB x 2 data disks): a block is written
#   without reading old data or parity; fragment 8 KiB, 1/8 of the block: the physical sector is
#   4096 bytes; about 30517436 inodes; -O 2 is FFSv2, which newfs does not make by itself
# cost of not doing it: with blocks that are no whole stripes each write reads old data and parity
#   first: two reads and two writes for one
newfs -O 2 -b 65536 -f 8192 /dev/rraid0a

# 5. mount: log is the journal (WAPBL): consistent after a crash without fsck; on a set with parity
#   every commit is a small write with flushes, so a load of frequent fsync or of NFS may be slower
#   with it (JRNL002: svn update 31 s without, 56 s with it), and it is still right
# cost of not doing it: without log every creation and removal of a file waits for the disk, and a
#   crash is followed by fsck of everything
# undo: umount /export
mkdir -p -- /export
mount -t ffs -o log /dev/raid0a /export

# 6. fstab: mounted at boot with the same options, and checked after the root file system
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/raid0a /export ffs rw,log 1 2
END

# note: neither this FFS nor its disklabel has a place for the label
