# File systems that makefs built, on /dev/vda and so on: statfs(2) of each as the kernel's ufs driver has it.
mkdir -p /mnt/ufs
for device in /dev/vd?; do
    mount -t ufs -o ro,ufstype=44bsd "$device" /mnt/ufs
    echo "$device $(stat -f -c '%S %b %f %a %c %d' /mnt/ufs)"
    (cd /mnt/ufs && find . -type f | sort | xargs md5sum) >"$OUT/$(basename "$device").files"
    umount /mnt/ufs
done >"$OUT/statfs"
