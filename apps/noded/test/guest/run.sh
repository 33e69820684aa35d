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
# After a loss of power the group exists. Nothing but the daemon activates its volumes.
vgs xenvg > /dev/null 2>&1 || { pvcreate -q /dev/vdc /dev/vdd; vgcreate -q xenvg /dev/vdc /dev/vdd; }
# An OS definition whose scripts do nothing.
mkdir -p /srv/ganeti/os/noop
( cd /srv/ganeti/os/noop; echo 20 > ganeti_api_version; echo default > variants.list
  for SCRIPT in create import export rename verify; do printf '#!/bin/sh\nexit 0\n' > $SCRIPT; chmod 755 $SCRIPT; done )
mkdir -p /var/lib/ganeti; cp /payload/*.pem /payload/ssconf_* /var/lib/ganeti
socat -t 300 TCP-LISTEN:1999,fork,reuseaddr EXEC:/bin/sh &
# A daemon that has been killed is started again, as systemd does. Programs in /run/traps go before those of the system.
while :; do
  PATH=/run/traps:$PATH node /payload/noded.mjs --node-name="$NODE" --debug
  sleep 1
done
