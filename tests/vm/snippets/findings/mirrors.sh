# md1 and md2 on large drives, the first without a bitmap; md3 with both halves on one drive, md4 on two.
type=fd
for d in vdl vdm; do partition "$d" 2048 251660288; done
create md1 --level=1 --raid-devices=2 --bitmap=none --assume-clean /dev/vdl1 /dev/vdm1
create md2 --level=1 --raid-devices=2 --bitmap=internal --assume-clean /dev/vdl2 /dev/vdm2
for d in vda vdb; do partition "$d" 2048 264192 526336; done
create md3 --level=1 --raid-devices=2 --assume-clean /dev/vda1 /dev/vda2
create md4 --level=1 --raid-devices=2 --assume-clean /dev/vda3 /dev/vdb3
look mirrors
