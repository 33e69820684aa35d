# The root file system of a variant: where it comes from, how it is built, and what is written into it for one instance.

# What it is copied from, for messages.
source_name() {
  echo "${OSP_SOURCE:-Debian packages ($variant)}"
}

# Copies the root file system into the directory $1.
copy_source() {
  if [ -d "${OSP_SOURCE:-}" ]; then
    (cd "$OSP_SOURCE" && tar -c --one-file-system --numeric-owner -f - .) | tar -x --numeric-owner -p -f - -C "$1"
  elif [ -n "${OSP_SOURCE:-}" ]; then
    [ -f "$OSP_SOURCE" ] || fail "parameter source: there is no $OSP_SOURCE"
    tar -x --numeric-owner -p -f "$OSP_SOURCE" -C "$1"
  else
    built=$(built_archive)
    tar -x --numeric-owner -p -f "$built" -C "$1"
  fi
}

# Path of the archive of this variant, which is built once for each choice of mirror and packages, and again by other scripts.
built_archive() {
  key=$({ printf '%s\n' "$variant" "${OSP_MIRROR:-}" "${OSP_PACKAGES:-}" && cat build boot-loader *-tree small-*; } | sha256sum | cut -c 1-12)
  archive=$cache/debian-$variant-$key.tar
  if [ ! -f "$archive" ]; then
    need mmdebstrap=mmdebstrap flock=util-linux
    mkdir -p "$cache"
    # The second of two instances waits for the first one's archive.
    flock "$cache/lock" sh -c '[ -f "$0" ] || exec ./build "$0"' "$archive" >&2
  fi
  echo "$archive"
}

# Settings of the instance: names, network, access, command.
settle() {
  printf '%s\n' "$INSTANCE_NAME" > "$1/etc/hostname"
  printf '127.0.0.1\tlocalhost\n127.0.1.1\t%s %s\n' "$INSTANCE_NAME" "${INSTANCE_NAME%%.*}" > "$1/etc/hosts"
  interfaces > "$1/etc/network/interfaces"
  rm -f "$1/etc/resolv.conf"
  [ ! -f /etc/resolv.conf ] || cp -L /etc/resolv.conf "$1/etc/resolv.conf"
  if [ -n "${OSP_ROOT_PASSWORD:-}" ]; then set_password "$1"; fi
  if [ -n "${OSP_SSH_KEY:-}" ]; then
    mkdir -p -m 700 "$1$home/.ssh"
    printf '%s\n' "$OSP_SSH_KEY" > "$1$home/.ssh/authorized_keys"
  fi
  printf '%s\n' "${OSP_CONSOLE:-login}" > "$1/etc/ganeti-console"
  if [ -n "${OSP_COMMAND:-}" ]; then
    printf '#!/bin/sh\n%s\n' "$OSP_COMMAND" > "$1/etc/ganeti-command"
    chmod 755 "$1/etc/ganeti-command"
  fi
}

# Through standard input: the password is in no list of processes.
set_password() {
  need openssl=openssl
  hash=$(printf '%s\n' "$OSP_ROOT_PASSWORD" | openssl passwd -6 -stdin)
  umask 077
  awk -F : -v OFS=: -v hash="$hash" '$1 == "root" { $2 = hash } { print }' "$1/etc/shadow" > "$1/etc/shadow.new"
  chmod 640 "$1/etc/shadow.new"
  mv "$1/etc/shadow.new" "$1/etc/shadow"
  umask 022
}

# /etc/network/interfaces: an address that the NIC has, else DHCP.
interfaces() {
  printf 'auto lo\niface lo inet loopback\n'
  n=0
  while [ "$n" -lt "${NIC_COUNT:-0}" ]; do
    eval "ip=\${NIC_${n}_IP:-} subnet=\${NIC_${n}_NETWORK_SUBNET:-} router=\${NIC_${n}_NETWORK_GATEWAY:-}"
    printf '\nauto eth%s\n' "$n"
    if [ -z "$ip" ]; then
      printf 'iface eth%s inet dhcp\n' "$n"
    else
      prefix=${OSP_NETMASK:-24}
      if [ -n "$subnet" ]; then prefix=${subnet#*/}; elif [ "$n" = 0 ]; then router=${OSP_GATEWAY:-}; fi
      printf 'iface eth%s inet static\n  address %s\n  netmask %s\n' "$n" "$ip" "$(dotted "$prefix")"
      [ -z "$router" ] || printf '  gateway %s\n' "$router"
    fi
    n=$((n + 1))
  done
}

# A prefix length in the form 255.255.255.0.
dotted() {
  bits=$1
  mask=
  for _ in 1 2 3 4; do
    part=0
    bit=128
    while [ "$bits" -gt 0 ] && [ "$bit" -gt 0 ]; do
      part=$((part + bit))
      bit=$((bit / 2))
      bits=$((bits - 1))
    done
    mask=$mask${mask:+.}$part
  done
  echo "$mask"
}
