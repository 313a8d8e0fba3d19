# A host with drives of 4096-byte sectors at an offset, a set and file systems in use, looked at in each way.
scsi_drives 4 dev_size_mb=64 physblk_exp=3 lowest_aligned=7 opt_blks=128
type=fd
for d in "$d1" "$d2" "$d3"; do partition "$d" 63 98304; done
type=83
partition "$d4" 2048
create md1 --level=5 --raid-devices=3 --chunk=64 --assume-clean "/dev/${d1}1" "/dev/${d2}1" "/dev/${d3}1"
mkdir -p /mnt/1 /mnt/2
# Nothing that the kernel goes on writing afterwards.
now=lazy_itable_init=0,lazy_journal_init=0
mkfs.ext4 -q -b 4096 -E "nodiscard,$now,stride=4,stripe_width=8" /dev/md1
mkfs.ext4 -q -E "$now" "/dev/${d4}1"
mount -t ext4 /dev/md1 /mnt/1
mount -t ext4 -o noatime "/dev/${d4}1" /mnt/2
echo "/dev/md1 /mnt/1 ext4 noatime 0 2" >/etc/fstab
settle "$d1" "$d2" "$d3" "$d4" md1
echo 3 >/proc/sys/vm/drop_caches
writes "$d1" "$d2" "$d3" "$d4" md1 >"$OUT/writes_before"
diskwright collect --quiet --deadline 120 -o "$OUT/program.tar" >"$OUT/collect.out"
diskwright collect --quiet --deadline 120 -o "$OUT/folder/" >>"$OUT/collect.out"
diskwright collect --print-script >script
# On a busy host an emulated machine may be too slow for the time it gives each disk.
for _ in 1 2 3; do
    rm -f "$OUT/script.tar"
    sh script "$OUT/script.tar" >"$OUT/script.out" 2>"$OUT/script.errors"
    tar -xOf "$OUT/script.tar" capture/manifest.json | grep -q 'no answer in time' || break
done
status=0
diskwright audit --deadline 120 --format json >"$OUT/live.audit" 2>"$OUT/live.errors" || status=$?
echo "$status" >"$OUT/live.status"
diskwright show --deadline 120 --format json >"$OUT/live.show" 2>>"$OUT/live.errors"
writes "$d1" "$d2" "$d3" "$d4" md1 >"$OUT/writes_after"
