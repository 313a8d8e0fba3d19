# SPDX-License-Identifier: BSD-2-Clause
# What snippets share; sh of busybox.

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
    tries=$(($1 * 10))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || { echo "never came true: $*" >&2; return 1; }
        sleep 0.1
    done
}

# scsi_drives NUMBER OPTION=VALUE...: drives of scsi_debug, each with a store of its own; their names, in order,
# in $drives, and as $d1 to $d9.
scsi_drives() {
    number=$1
    shift
    modprobe scsi_debug add_host="$number" per_host_store=1 delay=0 "$@"
    wait_until 20 all_there "$number"
    # By name: which adapter's drive is found first is a matter of chance.
    drives=$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/* | sed 's|.*/||' | sort)
    # shellcheck disable=SC2046,SC2086  # a list
    set -- $drives
    d1=${1-} d2=${2-} d3=${3-} d4=${4-} d5=${5-} d6=${6-} d7=${7-} d8=${8-} d9=${9-}
}
all_there() {
    [ "$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block/* 2>/dev/null | wc -l)" -ge "$1" ]
}

# partition DRIVE START...: a primary partition (of four at most) from each sector to the next start or the end.
partition() {
    disk=$1
    shift
    {
        echo 'label: dos'
        while [ $# -gt 0 ]; do
            if [ $# -gt 1 ]; then echo "start=$1, size=$(($2 - $1)), type=${type:-83}"; else echo "start=$1, type=${type:-83}"; fi
            shift
        done
    } | sfdisk -q --no-tell-kernel --force --wipe always --wipe-partitions always "/dev/$disk"
    blockdev --rereadpt "/dev/$disk"
    wait_until 10 test -b "/dev/${disk}1"
}

# create NAME OPTION...: a set of md that is in step from the beginning unless the caller says otherwise.
create() {
    set_name=$1
    shift
    mdadm --create "/dev/$set_name" --run --quiet --homehost=none "$@"
    wait_until 10 test -b "/dev/$set_name"
}

# look NAME: a capture of this host as it is now, for the test to audit.
look() {
    diskwright collect --quiet -o "$OUT/$1.tar" >/dev/null
}

# Nothing of one snippet is left for the next one, unless it made a file drives_stay in $OUT: then the test reads the
# images of the drives.
clean_up() {
    set +e
    grep ' /mnt' /proc/mounts | cut -d ' ' -f 2 | sort -r | while read -r point; do umount "$point"; done
    echo 200000 >/proc/sys/dev/raid/speed_limit_max
    mdadm --stop --scan
    [ -e "$OUT/drives_stay" ] ||
        for device in /dev/vd?*; do mdadm --zero-superblock --quiet "$device"; done 2>/dev/null
    dmsetup remove_all --force
    find /dev/mapper -type l -exec rm {} +
    [ ! -d /sys/module/scsi_debug ] || wait_until 10 rmmod scsi_debug
    rm -f /etc/fstab
}

# mapped NAME: a device of the device mapper, its table in standard input. Without udev nobody makes its name.
mapped() {
    dmsetup create "$1" --noudevsync
    mkdir -p /dev/mapper
    ln -sf "/dev/$(dmsetup info -c --noheadings -o blkdevname "$1")" "/dev/mapper/$1"
    wait_until 10 test -b "/dev/mapper/$1"
}

# writes DEVICE...: how much was written to each: requests that were merged, and sectors. A flush, as parted(8) asks
# for, is a request without sectors. settle DEVICE...: until nobody writes any more.
writes() {
    for each in "$@"; do awk -v d="$each" '{ print d, $6, $7 }' "/sys/block/$each/stat"; done
}
settle() {
    sync
    last=
    until [ "$(writes "$@")" = "$last" ]; do
        last=$(writes "$@")
        sleep 3
    done
}

# attempt NAME COMMAND...: its output in NAME.out, NAME.err, and "NAME STATUS SECONDS" in attempts.
attempt() {
    name=$1
    shift
    begun=$(cut -d ' ' -f 1 /proc/uptime)
    status=0
    timeout -s KILL 70 "$@" >"$OUT/$name.out" 2>"$OUT/$name.err" || status=$?
    echo "$name $status $begun $(cut -d ' ' -f 1 /proc/uptime)" | awk '{ print $1, $2, int($4 - $3) }' >>"$OUT/attempts"
}
