# Sets in several states at once: md1 healthy with a spare, md2 degraded, md3 rebuilding, md4 reshaping.
echo 100 >/proc/sys/dev/raid/speed_limit_min
echo 100 >/proc/sys/dev/raid/speed_limit_max
type=fd
for d in vda vdb vdc vdd; do partition "$d" 2048 264192; done
create md1 --level=5 --raid-devices=3 --spare-devices=1 --chunk=64 --assume-clean /dev/vda1 /dev/vdb1 /dev/vdc1 /dev/vdd1
create md2 --level=5 --raid-devices=3 --chunk=64 --assume-clean /dev/vda2 /dev/vdb2 /dev/vdc2
mdadm --quiet /dev/md2 --fail /dev/vdb2
mdadm --quiet /dev/md2 --remove /dev/vdb2
mdadm --zero-superblock /dev/vdb2
create md3 --level=5 --raid-devices=3 --chunk=64 --assume-clean /dev/vde /dev/vdf missing
mdadm --quiet /dev/md3 --add /dev/vdg
create md4 --level=5 --raid-devices=3 --chunk=64 --assume-clean /dev/vdh /dev/vdi /dev/vdj
mdadm --quiet /dev/md4 --add /dev/vdk
mdadm --quiet --grow /dev/md4 --raid-devices=4
wait_until 20 grep -q recover /sys/block/md3/md/sync_action
wait_until 20 grep -q reshape /sys/block/md4/md/sync_action
cat /proc/mdstat >"$OUT/mdstat"
look states
