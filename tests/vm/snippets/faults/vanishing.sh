# Drives that go away: before the program looks, while it looks, while it measures.
scsi_drives 4 dev_size_mb=32
type=83
for d in $drives; do
    partition "$d" 2048
    mkfs.ext4 -q "/dev/${d}1"
done
echo 3 >/proc/sys/vm/drop_caches
echo offline >"/sys/block/$d1/device/state"
attempt offline diskwright show --format json "/dev/$d1"
attempt offline_live diskwright show --format json
attempt offline_collect diskwright collect --quiet -o "$OUT/offline.tar"
attempt offline_probe diskwright probe --time 2 "/dev/$d1"
echo running >"/sys/block/$d1/device/state"
# 40 ms for each request, so that it goes while it is read.
echo 3 >/proc/sys/vm/drop_caches
echo 10 >/sys/bus/pseudo/drivers/scsi_debug/delay
{ sleep 2; echo 1 >"/sys/block/$d2/device/delete"; } &
attempt deleted_live diskwright show --format json --deadline 15
wait
echo 1 >/sys/bus/pseudo/drivers/scsi_debug/delay
{ sleep 3; echo 1 >"/sys/block/$d3/device/delete"; } &
attempt deleted_probe diskwright probe --time 8 --format json "/dev/$d3"
wait
echo "0 $(blockdev --getsz "/dev/$d4") flakey /dev/$d4 0 2 60" | mapped flaky
attempt flaky_probe diskwright probe --time 8 --format json /dev/mapper/flaky
