/** Requirements of a node: programs that a machine must have, and the facts found on it. */
import type { DiskTemplate } from "@ganeti-ts/protocol";
import { MachineError } from "./machine-error.js";
import { type Machine, mustRun } from "./machine-way.js";

/** Programs, with the Debian packages that contain them. */
export type Requirements = Readonly<Record<string, string>>;

const always: Requirements = {
  bash: "bash",
  flock: "util-linux",
  ip: "iproute2",
  ping: "iputils-ping",
  openssl: "openssl",
  socat: "socat",
  tar: "tar",
};

const ofTemplates: Readonly<Record<DiskTemplate, Requirements>> = {
  ...{ diskless: {}, file: {}, sharedfile: {}, blockdev: {}, ext: {} },
  plain: { lvs: "lvm2" },
  drbd: { lvs: "lvm2", drbdsetup: "drbd-utils", drbdmeta: "drbd-utils" },
  rbd: { rbd: "ceph-common" },
  gluster: { "mount.glusterfs": "glusterfs-client" },
};

const ofHypervisors: Readonly<Record<string, Requirements>> = {
  kvm: { "qemu-system-x86_64": "qemu-system-x86" },
};

const ofSsh: Requirements = {
  ssh: "openssh-client",
  "ssh-keygen": "openssh-client",
  sshd: "openssh-server",
};

interface Features {
  readonly hypervisors?: readonly string[];
  readonly disk_templates?: readonly DiskTemplate[];
  readonly setsUpSsh: boolean;
}

/** Programs that a node of a cluster with these features must have. Absent features default to KVM, drbd and plain. */
export const requirementsOf = (features: Features): Requirements =>
  Object.assign(
    {},
    always,
    ...(features.hypervisors ?? ["kvm"]).map((name) => ofHypervisors[name]),
    ...(features.disk_templates ?? (["drbd", "plain"] as const)).map((name) => ofTemplates[name]),
    features.setsUpSsh ? ofSsh : {},
  );

/** State of a machine before any change. */
export interface Facts {
  readonly missing: readonly string[];
  /** Output of `uname -m`. */
  readonly architecture: string;
  /** Path of a Node.js that can run the daemon; empty if there is none. */
  readonly node: string;
  /** Name of the cluster to which the machine belongs; empty if there is none. */
  readonly cluster: string;
  /** SHA-256 of that cluster's certificate in hexadecimal digits; empty if there is none. */
  readonly clusterDigest: string;
  readonly hasSystemd: boolean;
  /** Public host keys of its ssh server, as `TYPE KEY`. */
  readonly hostKeys: readonly string[];
}

/** Script that prints facts as lines `KEY VALUE`; it changes nothing. */
const question = (wanted: Requirements): string => `
PATH=$PATH:/usr/sbin:/sbin
echo "architecture $(uname -m)"
for program in ${Object.keys(wanted).join(" ")}; do command -v "$program" > /dev/null || echo "missing $program"; done
for node in /usr/lib/ganeti-ts/node "$(command -v node)"; do
  [ -x "$node" ] && "$node" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit((a > 20 || (a === 20 && b >= 19)) && process.getBuiltinModule ? 0 : 1)' && { echo "node $node"; break; }
done
[ ! -e /var/lib/ganeti/server.pem ] || echo "cluster $(cat /var/lib/ganeti/ssconf_cluster_name 2> /dev/null || echo unknown)"
[ ! -e /var/lib/ganeti/server.pem ] || echo "clusterDigest $(sha256sum < /var/lib/ganeti/server.pem | cut -d ' ' -f 1)"
[ ! -d /run/systemd/system ] || echo systemd yes
for key in /etc/ssh/ssh_host_*_key.pub; do [ ! -f "$key" ] || echo "hostKey $(cut -d ' ' -f 1,2 "$key")"; done
exit 0
`;

/** Collects facts of a machine without changing it. @throws MachineError if it does not answer */
export async function factsOf(machine: Machine, wanted: Requirements): Promise<Facts> {
  const lines = (await mustRun(machine, "exec sh -s", question(wanted))).split("\n");
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1));
  return {
    missing: all("missing"),
    architecture: all("architecture")[0] ?? "",
    node: all("node")[0] ?? "",
    cluster: all("cluster")[0] ?? "",
    clusterDigest: all("clusterDigest")[0] ?? "",
    hasSystemd: all("systemd").length > 0,
    hostKeys: all("hostKey"),
  };
}

/** @throws MachineError with the missing programs and a command line that installs them; nothing has been changed */
export function checkRequirements({ missing }: Facts, wanted: Requirements, machine: string): void {
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((program) => wanted[program] ?? program))].sort();
  throw new MachineError(
    `${machine} lacks ${missing.join(", ")}; nothing has been changed. Install them with:\n` +
      `  apt-get install ${packages.join(" ")}`,
  );
}
