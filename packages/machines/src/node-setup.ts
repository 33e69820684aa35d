/** setUpNode and clearNode: turn a machine into a node of a cluster with a running daemon, and undo that. */
import { dataDirectory } from "@ganeti-ts/node-calls";
import { type Machine, mustRun } from "./machine-way.js";
import { nodeProgramFiles } from "./node-program.js";
import type { Facts } from "./requirements.js";
import { type ArchivedFile, tarArchive } from "./tar-archive.js";

/** Contents of the files that make a machine a node of its cluster. */
interface Membership {
  readonly clusterPem: string;
  readonly nodePem: string;
  readonly confdKey: string;
  readonly knownHosts: string;
  /** Texts of ssconf files by key. */
  readonly ssconf: Readonly<Record<string, string>>;
}

export interface NewNodeSetup {
  readonly nodeName: string;
  readonly facts: Facts;
  /** Folder with the single file of the daemon. */
  readonly program: string;
  readonly membership: Membership;
  /** Directories below which file-based disks are allowed, unless the machine has its own list. */
  readonly fileStorage: readonly string[];
  /** Program that the kernel calls at events of mirrors; undefined for clusters without mirrors. */
  readonly drbdHelper: string | undefined;
  readonly now: number;
}

/**
 * Module options for later boots. Debian's drbd-utils load the module at each boot, with drbdadm as its helper, which does not
 * know the mirrors of instances and fails, which ends their synchronisation. A helper chosen by the administrator is kept.
 */
const drbdOptions = "/etc/modprobe.d/ganeti-ts-drbd.conf";

const start = `
set -eu
umask 077
for folder in /var/lib/ganeti /var/log/ganeti /etc/ganeti; do mkdir -p -m 755 "$folder"; done
mkdir -p -m 750 /var/lib/ganeti/queue /var/lib/ganeti/queue/archive /var/lib/ganeti/export /var/log/ganeti/os
mkdir -p -m 755 /run/ganeti
tar -x -p -f - -C /
if [ ! -e /etc/ganeti/file-storage-paths ] && [ -s /var/lib/ganeti/file-storage-paths.new ]; then
  while read -r folder; do mkdir -p -m 755 "$folder"; done < /var/lib/ganeti/file-storage-paths.new
  (umask 022 && cp /var/lib/ganeti/file-storage-paths.new /etc/ganeti/file-storage-paths)
fi
rm -f /var/lib/ganeti/file-storage-paths.new
helper=$(cat /var/lib/ganeti/drbd-helper.new)
rm -f /var/lib/ganeti/drbd-helper.new ${drbdOptions}
if [ -n "$helper" ] && ! cat /etc/modprobe.d/*.conf /etc/modules 2> /dev/null | grep -q usermode_helper; then
  (umask 022 && echo "options drbd minor_count=128 usermode_helper=$helper" > ${drbdOptions})
  loaded=/sys/module/drbd/parameters/usermode_helper
  [ ! -w "$loaded" ] || printf %s "$helper" > "$loaded"
fi
if [ ! -e /usr/lib/ganeti/ssh-update ]; then
  mkdir -p -m 755 /usr/lib/ganeti
  ln -s ../ganeti-ts/ssh-update /usr/lib/ganeti/ssh-update
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl enable --quiet ganeti-ts-noded
  systemctl restart ganeti-ts-noded
else
  setsid /usr/lib/ganeti-ts/ganeti-ts-noded < /dev/null > /dev/null 2>&1 &
fi
`;

/** Copies the program, certificates and ssconf files, and starts the daemon. @throws MachineError */
export async function setUpNode(machine: Machine, setup: NewNodeSetup): Promise<void> {
  const { nodeName, facts, program: folder, membership, fileStorage, now } = setup;
  const files = [
    ...nodeProgramFiles({
      ...{ folder, nodeName, hasSystemd: facts.hasSystemd, withNode: facts.node === "" },
    }),
    ...filesOf(membership),
    inData("file-storage-paths.new", fileStorage.map((path) => `${path}\n`).join(""), 0o600),
    inData("drbd-helper.new", setup.drbdHelper ?? "", 0o600),
  ];
  await mustRun(machine, start, tarArchive(files, now));
}

function filesOf(membership: Membership): readonly ArchivedFile[] {
  const { clusterPem, nodePem, confdKey, knownHosts, ssconf } = membership;
  return [
    ...Object.entries(ssconf).map(([key, text]) => inData(`ssconf_${key}`, text, 0o444)),
    inData("hmac.key", confdKey, 0o440),
    inData("known_hosts", knownHosts, 0o644),
    inData("client.pem", nodePem, 0o440),
    // Must be the last file: the daemon does not start without it.
    inData("server.pem", clusterPem, 0o440),
  ];
}

const inData = (name: string, content: string, mode: number): ArchivedFile => ({
  path: `${dataDirectory.slice(1)}/${name}`,
  content,
  mode,
});

/** Script that ends the daemon and removes the files of the cluster; it may be repeated. */
const leave = `
set -u
if [ -d /run/systemd/system ]; then systemctl disable --quiet --now ganeti-ts-noded 2> /dev/null
elif [ -f /run/ganeti/ganeti-ts-noded.pid ]; then
  pid=$(cat /run/ganeti/ganeti-ts-noded.pid)
  grep -q ganeti-ts-noded "/proc/$pid/cmdline" 2> /dev/null && kill "$pid"
  for i in $(seq 100); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
fi
rm -f ${drbdOptions}
cd /var/lib/ganeti 2> /dev/null || exit 0
rm -f ssconf_* hmac.key known_hosts client.pem server.pem rapi.pem cluster-domain-secret ganeti_pub_keys config.data* rapi/users
rm -rf queue
`;

/** Undoes `setUpNode`, but keeps the program; instances keep running. @throws MachineError */
export const clearNode = (machine: Machine): Promise<string> => mustRun(machine, leave);

/** Adds missing lines to root's `authorized_keys`. @throws MachineError */
export const authorize = (machine: Machine, keys: readonly string[]): Promise<string> =>
  mustRun(
    machine,
    `set -eu; umask 077; cd ~root; mkdir -p .ssh; touch .ssh/authorized_keys
while read -r key; do grep -qxF "$key" .ssh/authorized_keys || echo "$key" >> .ssh/authorized_keys; done`,
    keys.map((key) => `${key}\n`).join(""),
  );

/** Removes lines from root's `authorized_keys`. @throws MachineError */
export const revoke = (machine: Machine, keys: readonly string[]): Promise<string> =>
  mustRun(
    machine,
    `set -eu; umask 077; cd ~root/.ssh 2> /dev/null || exit 0; [ -f authorized_keys ] || exit 0
grep -vxF -f - authorized_keys > authorized_keys.new || [ $? = 1 ]; mv authorized_keys.new authorized_keys`,
    keys.map((key) => `${key}\n`).join(""),
  );

/** Root's public key, generated if there is none. @throws MachineError */
export async function rootKey(machine: Machine, type: string, bits: number): Promise<string> {
  const file = `id_${type}`;
  const printed = await mustRun(
    machine,
    `set -eu; umask 077; cd ~root; mkdir -p .ssh; cd .ssh
[ -f ${file} ] || ssh-keygen -q -t ${type} -b ${bits} -N '' -f ${file}; cat ${file}.pub`,
  );
  return printed.trim();
}
