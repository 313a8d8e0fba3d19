# Devices that fail to read: everywhere, and in one place only.
scsi_drives 2 dev_size_mb=32
type=83
partition "$d1" 2048 34816
partition "$d2" 2048
for d in "${d1}1" "${d1}2" "${d2}1"; do mkfs.ext4 -q "/dev/$d"; done
sectors=$(blockdev --getsz "/dev/$d1")
echo "0 $sectors error" | mapped all_bad
attempt all_bad diskwright audit /dev/mapper/all_bad
attempt all_bad_show diskwright show --format json /dev/mapper/all_bad
attempt all_bad_probe diskwright probe --time 2 /dev/mapper/all_bad
# The superblock of the first partition, sector 2050, is unreadable, all around it is not.
mapped part_bad <<END
0 2048 linear /dev/$d1 0
2048 8 error
2056 $((sectors - 2056)) linear /dev/$d1 2056
END
attempt part_bad diskwright show --format json /dev/mapper/part_bad
attempt part_bad_audit diskwright audit /dev/mapper/part_bad
# The same of a drive that reports a medium error itself.
echo 3 >/proc/sys/vm/drop_caches
echo 2048 >/sys/module/scsi_debug/parameters/medium_error_start
echo 8 >/sys/module/scsi_debug/parameters/medium_error_count
echo 2 >/sys/bus/pseudo/drivers/scsi_debug/opts
attempt medium diskwright show --format json "/dev/$d1"
attempt medium_audit diskwright audit "/dev/$d1"
attempt medium_live diskwright show --format json
attempt medium_collect diskwright collect --quiet -o "$OUT/medium.tar"
diskwright collect --print-script >script
attempt medium_script sh script "$OUT/medium-script.tar"
attempt medium_probe diskwright probe --quiet --time 2 --format json "/dev/$d1"
echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
