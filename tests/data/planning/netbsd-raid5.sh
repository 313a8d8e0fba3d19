#!/bin/sh
# Plan for one file system on raid0 (NetBSD 6.0).
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
devices='dk0 dk1 dk2 dk3 dk4 dk5 raid0 wd0 wd1 wd2 wd3 wd4'
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
gpt create wd0
gpt add -b 1984 -s 5859368960 -t raid wd0
dkctl wd0 addwedge raid0-0 1984 5859368960 raidframe
gpt create wd1
gpt add -b 1984 -s 5859368960 -t raid wd1
dkctl wd1 addwedge raid0-1 1984 5859368960 raidframe
gpt create wd2
gpt add -b 1984 -s 5859368960 -t raid wd2
dkctl wd2 addwedge raid0-2 1984 5859368960 raidframe
gpt create wd3
gpt add -b 1984 -s 5859368960 -t raid wd3
dkctl wd3 addwedge raid0-3 1984 5859368960 raidframe
gpt create wd4
gpt add -b 1984 -s 5859368960 -t raid wd4
dkctl wd4 addwedge raid0-4 1984 5859368960 raidframe

# 2. raid_set: the set itself, raid0 of 5 components, stripe unit 4 KiB, 4 data disks, full stripe
#   16 KiB; the parity (or mirror) is made right before anything is written, and the kernel
#   configures the set by itself at boot
# cost of not doing it: without -i the first failure of a disk returns garbage for it; without -A
#   the set is not there after a boot
tee /etc/raid0.conf <<'END'
START array
# rows columns spares
1 5 0

START disks
/dev/dk0
/dev/dk1
/dev/dk2
/dev/dk3
/dev/dk4

START layout
# sectPerSU SUsPerParityUnit SUsPerReconUnit level
8 1 1 5

START queue
fifo 100
END
raidctl -C /etc/raid0.conf raid0
raidctl -I 100 raid0
raidctl -v -i raid0
raidctl -A yes raid0

# 3. partition_table: a GPT describes any size and keeps a second copy at the end
# cost of not doing it: a 32-bit label cannot describe 2^32 sectors or more
# only if: raid0 holds nothing that is wanted
# undo: gpt destroy raid0
gpt create raid0

# 4. partition: begins at byte 32768 (sector 64), the smallest multiple of 16384 bytes (full stripe)
#   behind the 17 KiB that the table takes; dkctl raid0 listwedges shows the wedge that was made;
#   where it is not dk5, use its name below
# cost of not doing it: off the stripe every block touches two stripes, and each write reads before
#   it writes: 18 instead of 243 MB/s for a start at sector 63 in a model of five disks
gpt add -b 64 -s 23437475456 -t ffs raid0
dkctl raid0 addwedge data 64 23437475456 ffs

# 5. newfs: block 32 KiB = 2 x the full stripe of 16 KiB (4 KiB x 4 data disks): a block is written
#   without reading old data or parity; fragment 4 KiB, 1/8 of the block: the physical sector is 512
#   bytes; an inode for each 8 KiB, since working copies and loose objects are many small files;
#   about 1464842216 inodes; -O 2 is FFSv2, which newfs does not make by itself
# cost of not doing it: with blocks that are no whole stripes each write reads old data and parity
#   first: two reads and two writes for one
newfs -O 2 -b 32768 -f 4096 -i 8192 /dev/rdk5

# 6. mount: log is the journal (WAPBL): consistent after a crash without fsck; on a set with parity
#   every commit is a small write with flushes, so a load of frequent fsync or of NFS may be slower
#   with it (JRNL002: svn update 31 s without, 56 s with it), and it is still right; noatime saves a
#   write of the inode for every read of a file
# cost of not doing it: without log every creation and removal of a file waits for the disk, and a
#   crash is followed by fsck of everything
# undo: umount /export
mkdir -p -- /export
mount -t ffs -o log,noatime /dev/dk5 /export

# 7. fstab: mounted at boot with the same options, and checked after the root file system; wedge
#   numbers can change: NAME= and the label of the partition do not
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/dk5 /export ffs rw,log,noatime 1 2
END
