# Runs in the guest NODE (n1 or n2) under systemd: names, addresses, a volume group, a shell for the test behind port 1999.
NODE=$1; NUMBER=${NODE#n}
hostname "node$NUMBER.example.com"
modprobe -a virtio_net dm-mod dm-snapshot tun 9pnet_virtio 9p
for LINK in /sys/class/net/*; do
  case $(cat "$LINK/address") in
    52:54:00:00:01:*) ip addr add "192.0.2.$NUMBER/24" dev "${LINK##*/}"; ip link set "${LINK##*/}" up ;;
    52:54:00:00:02:*) ip addr add 10.0.2.15/24 dev "${LINK##*/}"; ip link set "${LINK##*/}" up ;;
  esac
done
SHARED=$(sed -n 's/.*shared=\([^ ]*\).*/\1/p' /proc/cmdline)
mkdir -p "$SHARED"; mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,ro shared "$SHARED"
setsid socat -t 600 TCP-LISTEN:1999,fork,reuseaddr EXEC:/bin/sh &
vgs xenvg > /dev/null 2>&1 || { pvcreate -q /dev/vdc /dev/vdd; vgcreate -q xenvg /dev/vdc /dev/vdd; }
# What an administrator has prepared before the first boot of this test.
[ ! -e /etc/ssh/ssh_host_rsa_key ] || exit 0
ssh-keygen -A
cat > /etc/hosts <<'END'
127.0.0.1 localhost
192.0.2.10 cluster.example.com
192.0.2.1 node1.example.com node1
192.0.2.2 node2.example.com node2
END
for PROGRAM in "$SHARED"/apps/gnt/dist/gnt-*.js; do
  NAME=${PROGRAM##*/}; ln -s "$PROGRAM" "/usr/local/bin/${NAME%.js}"
done
ln -s "$SHARED/apps/rapi/dist/ganeti-rapi.js" /usr/local/bin/ganeti-rapi
mkdir -p /srv/ganeti/os/noop; cd /srv/ganeti/os/noop; echo 20 > ganeti_api_version; echo default > variants.list
for SCRIPT in create import export rename verify; do printf '#!/bin/sh\nexit 0\n' > $SCRIPT; chmod 755 $SCRIPT; done
