# Sets of partitions of 8 MiB, a line each: number of members, members that fail after half of it was written,
# options. Member N of the set on line P is partition P of the Nth drive, whose place the test knows. Each set is
# filled, shown as the kernel sees it, and read whole.
touch "$OUT/drives_stay"
drives='vda vdb vdc vdd vde vdf'
cat >table <<'END'
3 - --level=0 --chunk=16
2 - --level=linear
2 - --level=1
3 b --level=1
4 - --level=4 --chunk=64
4 - --level=5 --chunk=32 --layout=left-symmetric
3 - --level=5 --chunk=64 --layout=left-asymmetric
4 - --level=5 --chunk=16 --layout=right-symmetric --metadata=1.0
5 - --level=5 --chunk=128 --layout=right-asymmetric --metadata=1.1
4 - --level=5 --chunk=8 --layout=parity-first
4 c --level=5 --chunk=64 --metadata=0.90
5 - --level=6 --chunk=32
6 - --level=6 --chunk=64 --layout=right-asymmetric
5 bd --level=6 --chunk=16
4 - --level=10 --chunk=64 --layout=n2
5 - --level=10 --chunk=32 --layout=n2
4 - --level=10 --chunk=32 --layout=f2
3 - --level=10 --chunk=64 --layout=o2
4 a --level=10 --chunk=64 --layout=n2
END
# No multiple of a stripe: what lies at the wrong place is not what belongs there.
dd if=/dev/urandom of=period bs=1000003 count=1 2>/dev/null
for d in $drives; do
    {
        echo 'label: gpt'
        p=0
        while [ "$p" -lt 20 ]; do
            echo "start=$((2048 + p * 16384)), size=16384"
            p=$((p + 1))
        done
    } | sfdisk -q --no-tell-kernel "/dev/$d"
    blockdev --rereadpt "/dev/$d"
done
wait_until 10 test -b /dev/vdf20

# fill DEVICE FROM BYTES: the pattern from that byte on, as often as it takes.
fill() {
    {
        tail -c "+$2" period
        times=0
        while [ "$times" -lt 40 ]; do
            cat period
            times=$((times + 1))
        done
    } | head -c "$3" | dd of="$1" bs=1M 2>/dev/null
}

p=0
while read -r members failing options; do
    p=$((p + 1))
    devices=
    for d in $drives; do
        [ "$members" -gt 0 ] || break
        devices="$devices /dev/$d$p"
        members=$((members - 1))
    done
    # shellcheck disable=SC2086  # lists
    create "md$p" $options --assume-clean --raid-devices="$(echo $devices | wc -w)" $devices
    bytes=$(blockdev --getsize64 "/dev/md$p")
    fill "/dev/md$p" 1 "$bytes"
    for d in $drives; do
        case $failing in
            *"${d#vd}"*)
                mdadm --quiet "/dev/md$p" --fail "/dev/$d$p"
                fill "/dev/md$p" 77 $((bytes / 2))
                ;;
        esac
    done
done <table
sync

p=0
while read -r _; do
    p=$((p + 1))
    wait_until 20 grep -Eq 'clean|readonly' "/sys/block/md$p/md/array_state"
    mdadm --detail "/dev/md$p" >"$OUT/md$p.detail"
    for key in level raid_disks layout chunk_size component_size degraded metadata_version; do
        [ ! -r "/sys/block/md$p/md/$key" ] || echo "$key $(cat "/sys/block/md$p/md/$key")"
    done >"$OUT/md$p.kernel"
    dd if="/dev/md$p" of="$OUT/md$p.image" bs=1M 2>/dev/null
done <table
cat /proc/mdstat >"$OUT/mdstat"
lsblk -b -t -P -o NAME,KNAME,SIZE,MIN-IO,OPT-IO >"$OUT/lsblk"
diskwright show --format json --host=vm /dev/vda /dev/vdb /dev/vdc /dev/vdd /dev/vde /dev/vdf >"$OUT/devices.json"
mdadm --stop --scan --quiet
