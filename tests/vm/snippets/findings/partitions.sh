# One drive partitioned at sector 63, one at 2048. Physical sectors of 4096 bytes begin at sector 7, as on drives
# that shift them for old partition tables, and in a second round at 0.
for lowest in 7 0; do
    scsi_drives 2 dev_size_mb=16 physblk_exp=3 lowest_aligned="$lowest" opt_blks=1024
    partition "$d1" 63
    partition "$d2" 2048
    look "lowest$lowest"
    for d in "$d1" "$d2"; do
        cat "/sys/block/$d/alignment_offset" "/sys/block/$d/queue/physical_block_size" \
            "/sys/block/$d/${d}1/alignment_offset"
    done >"$OUT/kernel$lowest"
    [ "$lowest" = 0 ] || wait_until 10 rmmod scsi_debug
done
