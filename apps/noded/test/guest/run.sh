# Runs in the guest NODE (n1 or n2): a volume group, the daemon, and a shell for the test behind port 1999.
NODE=$1; NUMBER=${NODE#n}
modprobe -a virtio_net dm-mod dm-snapshot
for LINK in /sys/class/net/*; do
  case $(cat "$LINK/address") in
    52:54:00:00:01:*) ip addr add "192.0.2.$NUMBER/24" dev "${LINK##*/}"; ip link set "${LINK##*/}" up ;;
    52:54:00:00:02:*) ip addr add 10.0.2.15/24 dev "${LINK##*/}"; ip link set "${LINK##*/}" up ;;
  esac
done
ip link set lo up
pvcreate -q /dev/vdc /dev/vdd; vgcreate -q xenvg /dev/vdc /dev/vdd
mkdir -p /var/lib/ganeti; cp /payload/*.pem /payload/ssconf_* /var/lib/ganeti
socat -t 300 TCP-LISTEN:1999,fork,reuseaddr EXEC:/bin/sh &
node /payload/noded.mjs --node-name="$NODE" --debug
