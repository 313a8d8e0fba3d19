# A device that answers after 300 ms, and drives that take 12 s for each request.
scsi_drives 2 dev_size_mb=32
type=83
for d in "$d1" "$d2"; do
    partition "$d" 2048
    mkfs.ext4 -q "/dev/${d}1"
done
echo "0 $(blockdev --getsz "/dev/$d2") delay /dev/$d2 0 300" | mapped slow
attempt slow diskwright show --format json /dev/mapper/slow
dmsetup remove slow
sync
echo 3 >/proc/sys/vm/drop_caches
delay=/sys/bus/pseudo/drivers/scsi_debug/delay
# In ticks of 4 ms.
echo 3000 >"$delay"
attempt live diskwright show --format json --deadline 10
attempt collect diskwright collect --quiet --deadline 10 -o "$OUT/collect.tar"
# What is under way has its 12 s still.
no_delay() { echo 0 >"$delay"; }
wait_until 60 no_delay 2>/dev/null
