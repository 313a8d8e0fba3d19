# A drive, a set and a partition that is mounted, measured: nothing is written.
scsi_drives 3 dev_size_mb=64 physblk_exp=3
partition "$d3" 2048
create md1 --level=1 --raid-devices=2 --assume-clean "/dev/$d1" "/dev/$d2"
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "/dev/${d3}1"
mkdir -p /mnt/1
mount -t ext4 -o noatime "/dev/${d3}1" /mnt/1
settle "$d1" "$d2" "$d3" md1
state() {
    writes "$d1" "$d2" "$d3" md1
    for d in "$d1" "$d2" "$d3" md1; do md5sum <"/dev/$d"; done
}
state >"$OUT/before"
for d in "$d1" md1 "${d3}1"; do
    status=0
    diskwright probe --quiet --time 2 --format json "/dev/$d" >"$OUT/probe.$d" 2>"$OUT/probe.$d.errors" || status=$?
    echo "$d $status" >>"$OUT/probes"
done
# Nor may what is in use be made scratch.
for d in "$d1" "${d3}1" "$d3"; do
    status=0
    diskwright probe --quiet --time 2 --scratch "/dev/$d" --yes-destroy "/dev/$d" "/dev/$d" >>"$OUT/refused" 2>&1 || status=$?
    echo "$d $status" >>"$OUT/scratch"
done
state >"$OUT/after"
