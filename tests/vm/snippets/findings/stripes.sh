# Two RAID 5 with file systems, the first made for another stripe than it has; ext4, then XFS. xfs_info and
# dumpe2fs are asked of what is mounted.
type=fd
for d in vda vdb vdc; do partition "$d" 2048 1026048; done
create md1 --level=5 --raid-devices=3 --chunk=64 --assume-clean /dev/vda1 /dev/vdb1 /dev/vdc1
create md2 --level=5 --raid-devices=3 --chunk=64 --assume-clean /dev/vda2 /dev/vdb2 /dev/vdc2
mkdir -p /mnt/1 /mnt/2
mkfs.ext4 -q -b 4096 -E nodiscard,stride=8,stripe_width=24 /dev/md1
mkfs.ext4 -q -b 4096 -E nodiscard,stride=16,stripe_width=32 /dev/md2
mount -t ext4 /dev/md1 /mnt/1
mount -t ext4 /dev/md2 /mnt/2
look ext4
umount /mnt/1 /mnt/2
mkfs.xfs -q -f -K -d su=64k,sw=3 /dev/md1
mkfs.xfs -q -f -K -d su=64k,sw=2 /dev/md2
mount -t xfs /dev/md1 /mnt/1
mount -t xfs /dev/md2 /mnt/2
look xfs
