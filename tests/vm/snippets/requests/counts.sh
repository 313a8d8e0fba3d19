# SPDX-License-Identifier: BSD-2-Clause
# What file systems ask of a drive for the workloads that the simulator knows: for each "file system, phase" the
# reads, their sectors, writes, theirs, and flushes of /sys/block/vdb/stat, and the seconds until the command
# returned and until sync(2) had. The kernel's own file system code; the drive is virtual, times mean nothing.
mkdir -p /mnt/t
drive=vda
trace=/sys/kernel/tracing
mount -t tracefs none $trace 2>/dev/null || :
echo 60000 >$trace/buffer_size_kb 2>/dev/null || :

numbers() { # reads sectors writes sectors flushes
    awk '{ print $1, $3, $5, $7, $16 }' /sys/block/$drive/stat
}
now() { cut -d ' ' -f 1 /proc/uptime; }

# xfs writes in place what is in its log when the log's worker comes round, after up to 30 s, or before a freeze.
settled() {
    if [ "$kind" = xfs ]; then fsfreeze --freeze /mnt/t && fsfreeze --unfreeze /mnt/t; fi
    sleep 1
}

# phase NAME COMMAND...: counts until sync(2) has returned, and until nothing is dirty any more.
phase() {
    name=$1
    shift
    sync
    settled
    before=$(numbers)
    echo >$trace/trace
    echo 1 >$trace/events/block/block_rq_issue/enable
    begun=$(now)
    "$@"
    returned=$(now)
    sync
    synced=$(now)
    after=$(numbers)
    settled
    echo 0 >$trace/events/block/block_rq_issue/enable
    cp $trace/trace "$OUT/$kind-$name.trace"
    echo "$kind $name $before $after $begun $returned $synced" | awk '{
        print $1, $2, "synced", $8-$3, $9-$4, $10-$5, $11-$6, $12-$7, $14-$13, $15-$13 }' >>"$OUT/counts"
    echo "$kind $name $before $(numbers)" | awk '{
        print $1, $2, "settled", $8-$3, $9-$4, $10-$5, $11-$6, $12-$7 }' >>"$OUT/counts"
}
# What a mount does of its own afterwards, as reading bitmaps ahead, is over after some seconds.
mounted() {
    # shellcheck disable=SC2086  # a list
    mount $options /dev/$drive /mnt/t
    sleep 20
}
again() {
    umount /mnt/t
    mounted
}

directories() { mkdir /mnt/t/d && cd /mnt/t/d && seq 0 $((dirs - 1)) | xargs mkdir; cd /; }
touches() { cd /mnt/t/d && seq 0 $((dirs - 1)) | sed 's|$|/x|' | xargs touch; cd /; }
removes() { cd /mnt/t/d && seq 0 $((dirs - 1)) | sed 's|$|/x|' | xargs rm; cd /; }
slowly_touched() { cd /mnt/t/d && i=0 && while [ $i -lt $dirs ]; do touch $i/y; i=$((i + 1)); done; cd /; }
written() { dd if=/dev/zero of=/mnt/t/big bs=64k count=4096 conv=fsync 2>/dev/null; }
read_back() { dd if=/mnt/t/big of=/dev/null bs=64k 2>/dev/null; }
unpacked() { tar -x -C /mnt/t -f /tmp/tree.tar; }
each_synced() { i=0; mkdir /mnt/t/f; while [ $i -lt 100 ]; do dd if=/dev/zero of=/mnt/t/f/$i bs=4k count=1 conv=fsync 2>/dev/null; i=$((i + 1)); done; }

dirs=3000
files=2000
# The tree of the simulator: directories two deep, 10 in each, 20 files in each of those, nine of ten small.
awk -v files=$files 'BEGIN { seed = 1; for (i = 0; i < files; ++i) {
    seed = (seed * 16807) % 2147483647; small = seed % 100 < 90
    seed = (seed * 16807) % 2147483647
    print int(i / 200), int(i / 20) % 10, i, small ? 200 + seed % 7800 : 8000 + seed % 32000 } }' >/tmp/sizes
mkdir -p /tmp/tree/top
awk '{ print "/tmp/tree/top/u" $1 "/d" $2 }' /tmp/sizes | sort -u | xargs mkdir -p
head -c 40000 /dev/zero >/tmp/zeros
while read -r upper lower name size; do head -c "$size" /tmp/zeros >"/tmp/tree/top/u$upper/d$lower/f$name"; done </tmp/sizes
cp /tmp/sizes "$OUT/sizes"
tar -c -C /tmp/tree -f /tmp/tree.tar top
rm -rf /tmp/tree

# measure NAME OPTIONS MKFS...
measure() {
    kind=$1
    options=$2
    shift 2
    "$@" /dev/$drive >"$OUT/$kind.mkfs" 2>&1
    mounted
    phase mkdir directories
    phase touch touches
    phase rm removes
    phase touch-slow slowly_touched
    phase fsync each_synced
    again
    phase seqwrite written
    again
    phase seqread read_back
    again
    phase tree unpacked
    umount /mnt/t
    wipefs -a /dev/$drive >/dev/null 2>&1 || dd if=/dev/zero of=/dev/$drive bs=1M count=1 2>/dev/null
}
# shellcheck disable=SC2043
for one in $which; do
    case $one in
    ext4) measure ext4 "" mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 ;;
    nojournal) measure ext4-nojournal "" mkfs.ext4 -q -F -O ^has_journal -E lazy_itable_init=0 ;;
    writeback) measure ext4-writeback "-o data=writeback" mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 ;;
    journal) measure ext4-journal "-o data=journal" mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 ;;
    ext3) measure ext3 "-t ext3" mkfs.ext4 -t ext3 -q -F -E lazy_itable_init=0,lazy_journal_init=0 ;;
    ext2) measure ext2 "-t ext2" mkfs.ext4 -t ext2 -q -F -E lazy_itable_init=0 ;;
    xfs) measure xfs "" mkfs.xfs -q -f ;;
    esac
done
