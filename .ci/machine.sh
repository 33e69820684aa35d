# What the suites need on a machine: functions for `run` and `long`. With root and apt-get missing packages are installed;
# elsewhere the tests that need them say that they are skipped.
# shellcheck shell=bash

pnpm() { npx --yes pnpm@10.34.9 "$@"; }

# install PACKAGE...: those of Debian's packages that are missing. With run level 1 no service is started.
install() {
  dpkg -s "$@" > /dev/null 2>&1 && return
  if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "no root or no apt-get: what needs $* may be skipped" >&2
    return
  fi
  apt-get update -qq
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "$@"
}

# Ganeti's htools and client, and a database server, which tests start themselves.
for_tests() { install ganeti-htools python3-ganeti-rapi postgresql-15; }

for_browser() { install chromium fonts-dejavu-core; }

# for_reference [--version VERSION]: Debian's Ganeti for the bench, unpacked into a folder: nothing is installed, no service starts.
for_reference() {
  if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then pnpm run reference install "$@"; fi
}

# QEMU, LVM, DRBD and interfaces in namespaces; the image of the guests is built once and kept.
for_machines() {
  install qemu-system-x86 qemu-utils socat iproute2 busybox-static lvm2 drbd-utils mmdebstrap cpio psmisc e2fsprogs \
    openssh-server iputils-ping iputils-arping
  if [ "$(id -u)" = 0 ]; then
    apps/noded/test/guest/build-image.sh "${GANETI_TS_GUEST:-$HOME/.cache/ganeti-ts/guest}" ||
      echo "the image of the guests could not be built: what needs it is skipped" >&2
  fi
}
