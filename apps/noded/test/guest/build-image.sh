#!/bin/sh
# Builds the image of a guest with LVM, DRBD 8.4, QEMU, an SSH server, systemd and this machine's Node from Debian packages, into
# the folder $1: vmlinuz, initrd.gz, root.img, and this recipe. Does nothing if that folder has an image of the same recipe.
# Needs root, mmdebstrap, cpio and the network once; takes about four minutes.
set -e
OUT=$1; RECIPE=$(readlink -f "$0"); mkdir -p "$OUT"
if [ -f "$OUT/root.img" ] && cmp -s "$RECIPE" "$OUT/recipe"; then exit 0; fi
W=$(mktemp -d "$OUT/build.XXXXXX"); cd "$W"
PACKAGES=linux-image-amd64,lvm2,drbd-utils,socat,iproute2,busybox-static,procps,kmod,openssl,e2fsprogs
PACKAGES=$PACKAGES,systemd-sysv,openssh-server,openssh-client,iputils-ping,iputils-arping,qemu-system-x86
mmdebstrap --variant=minbase --include=$PACKAGES bookworm root.tar
mkdir root; tar xf root.tar -C root --exclude='./dev/*' --exclude='./usr/share/doc/*' --exclude='./usr/share/locale/*' --exclude='./var/lib/apt/lists/*'
KV=$(ls root/lib/modules); cp root/boot/vmlinuz-$KV vmlinuz
dep() { for m in "$@"; do chroot root /sbin/modprobe -S $KV --show-depends $m; done | awk '$1=="insmod" && !s[$2]++ {print $2}'; }
dep virtio_pci virtio_blk virtio_net ext4 crc32c_generic dm-mod dm-snapshot drbd bridge 8021q tun veth loop libcrc32c 9p 9pnet_virtio > modlist
dep crc32c_generic virtio_pci virtio_blk ext4 > irlist
mkdir -p ir/bin ir/mod ir/proc ir/sys ir/dev ir/new; cp root/bin/busybox ir/bin/
n=10; for f in $(cat irlist); do cp root$f ir/mod/$n-$(basename $f); n=$((n+1)); done
cat > ir/init <<'X'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev; /bin/busybox mount -t proc proc /proc
for m in /mod/*.ko; do /bin/busybox insmod $m; done
i=0; while [ ! -b /dev/vda ] && [ $i -lt 50 ]; do /bin/busybox sleep 0.1; i=$((i+1)); done
init=$(/bin/busybox sed -n 's/.*init=\([^ ]*\).*/\1/p' /proc/cmdline)
/bin/busybox mount -t ext4 /dev/vda /new && exec /bin/busybox switch_root /new ${init:-/init.sh}
/bin/busybox sh
X
chmod 755 ir/init; (cd ir && find . | cpio -o -H newc --quiet | gzip -1) > initrd.gz
mkdir keep; cp root/lib/modules/$KV/modules.builtin* root/lib/modules/$KV/modules.order keep/
for f in $(cat modlist); do p=${f#*/lib/modules/$KV/}; mkdir -p keep/$(dirname $p); cp root$f keep/$p; done
rm -rf root/lib/modules/$KV; cp -r keep root/lib/modules/$KV; chroot root /sbin/depmod $KV
rm -rf root/boot/initrd* root/boot/System.map* root/boot/vmlinuz* root/var/lib/apt root/var/cache/* root/etc/ssh/ssh_host_*
mkdir -p root/payload
cp $(readlink -f $(command -v node)) root/usr/local/bin/node
cat > root/etc/lvm/lvmlocal.conf <<'X'
activation { udev_sync=0  udev_rules=0 }
devices { obtain_device_list_from_udev=0  use_devicesfile=0  external_device_info_source="none" }
X
cat > root/init.sh <<'X'
#!/bin/sh
HOME=~root
export PATH=/sbin:/usr/sbin:/bin:/usr/bin:/usr/local/bin HOME LC_ALL=C
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs tmpfs /run; mkdir -p /run/lock /run/lvm /dev/pts
NODE=$(sed -n 's/.*node=\([^ ]*\).*/\1/p' /proc/cmdline); hostname "$NODE"
mount -t ext4 -o ro /dev/vdb /payload; sh /payload/run.sh "$NODE" 2>&1
echo "DONE $NODE uptime $(cut -d' ' -f1 /proc/uptime)"; sync; echo o > /proc/sysrq-trigger; sleep 10
X
chmod 755 root/init.sh
# The same with init=/sbin/init: systemd runs, and a unit prepares the machine before the SSH server starts.
cat > root/payload.sh <<'X'
#!/bin/sh
NODE=$(sed -n 's/.*node=\([^ ]*\).*/\1/p' /proc/cmdline); hostname "$NODE"
mount -t ext4 -o ro /dev/vdb /payload; exec sh /payload/systemd.sh "$NODE"
X
chmod 755 root/payload.sh; UNITS=root/etc/systemd/system; mkdir -p $UNITS/multi-user.target.wants
cat > $UNITS/payload.service <<'X'
[Unit]
Description=Machine of a test
Before=network-online.target ssh.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/payload.sh
[Install]
WantedBy=multi-user.target
X
ln -s ../payload.service $UNITS/multi-user.target.wants/payload.service
: > root/etc/machine-id; ln -sf /dev/null $UNITS/getty.target
truncate -s 2000M root.img; mke2fs -q -t ext4 -O ^has_journal -m 0 -d root root.img
cp "$RECIPE" recipe; mv vmlinuz initrd.gz root.img recipe "$OUT"; cd /; rm -rf "$W"
