# Functions shared by the scripts of this OS definition; the daemon runs them in this directory.
set -eu

# The root file system begins here on the disk (bytes); before it are the partition table and the boot loader.
partition_start=1048576
root_label=root
# Home of root, the same in guests as on the node.
home=~root
variant=${OS_VARIANT:-bookworm}
cache=${GANETI_TS_OS_CACHE:-/var/cache/ganeti-ts/os}

fail() {
  echo "debian: $*" >&2
  exit 1
}

# The programs that are missing, each with the Debian package that has it, end the script.
need() {
  missing=
  packages=
  for pair in "$@"; do
    command -v "${pair%%=*}" > /dev/null && continue
    missing="$missing ${pair%%=*}"
    packages="$packages ${pair#*=}"
  done
  [ -z "$missing" ] || fail "missing programs:$missing; apt-get install$packages"
}

# Size of a device or file in bytes.
size_of() {
  if [ -b "$1" ]; then blockdev --getsize64 "$1"; else stat -L -c %s "$1"; fi
}

# Checks the values of parameters; also what `verify` runs.
check_parameters() {
  case ${OSP_CONSOLE:-login} in
    login | shell) ;;
    *) fail "parameter console: '$OSP_CONSOLE' is neither login nor shell" ;;
  esac
  case ${OSP_NETMASK:-24} in
    *[!0-9]* | ???*) fail "parameter netmask: '$OSP_NETMASK' is not a prefix length" ;;
  esac
  case ${OSP_GATEWAY:-} in
    *[!0-9a-fA-F.:]*) fail "parameter gateway: '$OSP_GATEWAY' is not an address" ;;
  esac
  case ${OSP_MIRROR:-http://} in
    http://* | https://* | file:/* | copy:/*) ;;
    *) fail "parameter mirror: '$OSP_MIRROR' is not the address of a mirror" ;;
  esac
  case ${OSP_PACKAGES:-} in
    *[!a-z0-9.+\ -]*) fail "parameter packages: '$OSP_PACKAGES' has characters that names of packages never have" ;;
  esac
  case ${OSP_SOURCE:-/} in
    /*) ;;
    *) fail "parameter source: '$OSP_SOURCE' is not an absolute path" ;;
  esac
  if [ "$variant" = small ] && [ -n "${OSP_PACKAGES:-}" ]; then
    fail "parameter packages: the variant small takes none"
  fi
}
