#!/bin/sh
# Plan for one file system on stripe/st0 (FreeBSD 9.1-RC3).
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
devices='ada0 ada0p1 ada1 ada1p1 ada2 ada2p1 ada3 ada3p1 st0 st0p1'
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

# 1. component_partitions: one partition for each disk, from sector 256 on, so that the set's data
#   begins at byte 1048576 of each, a whole MiB behind what the driver reserves; all of one size, so
#   that a replacement that is a little smaller still fits
# cost of not doing it: data off the physical sectors makes every small write read and write two of
#   them
# only if: the disks hold nothing that is wanted
gpart create -s gpt ada0
gpart add -b 256 -s 244140032 -t freebsd-ufs -l st0-0 ada0
gpart create -s gpt ada1
gpart add -b 256 -s 244140032 -t freebsd-ufs -l st0-1 ada1
gpart create -s gpt ada2
gpart add -b 256 -s 244140032 -t freebsd-ufs -l st0-2 ada2
gpart create -s gpt ada3
gpart add -b 256 -s 244140032 -t freebsd-ufs -l st0-3 ada3

# 2. raid_set: the set itself, stripe/st0 of 4 components, stripe unit 128 KiB, 4 data disks, full
#   stripe 512 KiB
# cost of not doing it: none of the following exists without it
kldload -n geom_stripe
gstripe label -v -s 131072 st0 ada0p1 ada1p1 ada2p1 ada3p1
tee -a /boot/loader.conf <<'END'
geom_stripe_load="YES"
END

# 3. partition_table: a GPT describes any size and keeps a second copy at the end
# cost of not doing it: a 32-bit label cannot describe 2^32 sectors or more
# only if: stripe/st0 holds nothing that is wanted
# undo: gpart destroy -F stripe/st0
gpart create -s gpt stripe/st0

# 4. partition: begins at byte 131072 (sector 32), the smallest multiple of 131072 bytes (stripe
#   unit) behind the 24 KiB that the table takes
# cost of not doing it: off the stripe unit some blocks lie on two disks, which both have to seek
#   for them
gpart add -b 32 -s 976559952 -t freebsd-ufs -l data stripe/st0

# 5. newfs: block 64 KiB: the stripe unit of 128 KiB is a whole multiple of it, so a block keeps one
#   disk busy and the others free; fragment 8 KiB, 1/8 of the block: the physical sector is 4096
#   bytes; an inode for each 256 KiB, since media files are of megabytes; about 15258749 inodes;
#   soft updates keep it consistent without waiting for each metadata write
# cost of not doing it: a block larger than the stripe unit keeps several disks busy for one request
newfs -U -L data -b 65536 -f 8192 -i 262144 /dev/stripe/st0p1

# 6. tunefs: the journal of soft updates replaces the check of the whole file system after a crash
#   by reading the journal: seconds instead of minutes for each 100 GiB; before 13.2 it rules out
#   snapshots, and with them dump -L: leave it out where they are needed
# cost of not doing it: fsck_ffs reads all metadata after every crash
# undo: tunefs -j disable
tunefs -j enable /dev/stripe/st0p1

# 7. mount: noatime saves a write of the inode for every read of a file
# cost of not doing it: more writes for the same work
# undo: umount /export
mkdir -p -- /export
mount -t ufs -o noatime /dev/stripe/st0p1 /export

# 8. fstab: mounted at boot with the same options, and checked after the root file system
# cost of not doing it: it is not mounted after the next boot
# only if: /etc/fstab has no line for /export yet
tee -a /etc/fstab <<'END'
/dev/stripe/st0p1 /export ufs rw,noatime 1 2
END
