// A Ganeti cluster on the virtual nodes of a bench: initialised by Ganeti's own commands.
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { masterDaemons, nodeDaemons, startDaemon } from "./daemons.js";
import { mustSucceed, runInside } from "./inside.js";
import {
  bridge,
  clusterName,
  fileStorageFolder,
  type ReferenceNode,
  rapiUsers,
  volumeGroup,
} from "./layout.js";

/** A bench while it is made: its folder, its nodes with the master first, and its first process. */
export interface Site {
  readonly directory: string;
  readonly nodes: readonly [ReferenceNode, ...ReferenceNode[]];
  readonly initPid: number;
  /** Whether there are stand-ins for LVM and DRBD. */
  readonly storage: boolean;
}

/** Makes the cluster: `gnt-cluster init` on the first node, `gnt-node add` of the others, all daemons. */
export async function makeCluster(site: Site): Promise<void> {
  const [master, ...others] = site.nodes;
  const onMaster = async (...command: string[]) =>
    mustSucceed(command, await runInside(site.initPid, master, command));

  await startSsh(site);
  for (const node of site.nodes) {
    const command = ["/usr/lib/ganeti/ensure-dirs"];
    mustSucceed(command, await runInside(site.initPid, node, command));
  }
  await onMaster("gnt-cluster", "init", ...initOptions, clusterName);
  writeRapiUsers(site);
  // Starting a daemon also corrects the owners of files that the initialisation has left to root.
  for (const daemon of nodeDaemons) await startDaemon(site.initPid, master, daemon);
  for (const { name } of others) {
    await onMaster("gnt-node", "add", "--no-ssh-key-check", name);
  }
  await startDaemons(site);
  if (site.storage) await onMaster("gnt-cluster", "modify", ...storageOptions);
}

/** Starts every daemon of the cluster that does not run. */
export async function startDaemons({ initPid, nodes }: Site): Promise<void> {
  await Promise.all(
    nodes.map(async (node, index) => {
      const daemons = index === 0 ? [...nodeDaemons, ...masterDaemons] : nodeDaemons;
      for (const daemon of daemons) await startDaemon(initPid, node, daemon);
    }),
  );
}

const least = "disk-size=0,cpu-count=1,disk-count=0,memory-size=1,nic-count=0,spindle-use=0";
const most =
  "disk-size=1048576,cpu-count=8,disk-count=16,memory-size=32768,nic-count=8,spindle-use=12";

const initOptions = [
  "--no-etc-hosts",
  "--no-ssh-init",
  `--master-netdev=${bridge}`,
  "--master-netmask=24",
  "--enabled-disk-templates=diskless,file",
  `--file-storage-dir=${fileStorageFolder}`,
  "--enabled-hypervisors=fake",
  "--default-iallocator=hail",
  `--nic-parameters=mode=bridged,link=${bridge}`,
  `--ipolicy-bounds-specs=min:${least}/max:${most}`,
  // All virtual nodes have the memory and the processors of one machine.
  "--ipolicy-vcpu-ratio=64",
];

// Not at the initialisation, which would look for DRBD itself: this way the node daemons check it.
const storageOptions = [
  "--enabled-disk-templates=drbd,plain,file,diskless",
  "--ipolicy-disk-templates=drbd,plain,file,diskless",
  `--vg-name=${volumeGroup}`,
  "--drbd-usermode-helper=/bin/true",
];

/** Starts the one sshd of all nodes; `gnt-node add` calls the new node through it. */
export async function startSsh({ initPid, nodes: [master], directory }: Site): Promise<void> {
  const run = async (...command: string[]) =>
    mustSucceed(command, await runInside(initPid, master, command));
  const keys = ["/etc/ssh/ssh_host_rsa_key", "/srv/home/.ssh/id_rsa"];
  const made = existsSync(join(directory, "home/.ssh/id_rsa"));
  if (!made) {
    // A machine with an ssh server has keys of its own, which show through the layers.
    await run("rm", "-f", ...keys);
    await Promise.all(
      keys.map((key) => run("ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", key)),
    );
    const publicKey = readFileSync(join(directory, "home/.ssh/id_rsa.pub"), "utf8");
    writeFileSync(join(directory, "home/.ssh/authorized_keys"), publicKey, { mode: 0o600 });
  }
  await run("/usr/sbin/sshd", "-f", "/etc/ssh/sshd_config");
}

/** The users of the remote API. The owner matters: the master copies the file to other nodes. */
function writeRapiUsers({ directory, nodes: [master] }: Site): void {
  const folder = join(master.dataFolder, "rapi");
  mkdirSync(folder, { recursive: true });
  const { writer, reader } = rapiUsers;
  const file = join(folder, "users");
  const lines = [
    `${writer.name} ${writer.password} write`,
    `${reader.name} ${reader.password} read`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const accounts = readFileSync(join(directory, "layer/etc/passwd"), "utf8");
  const groups = readFileSync(join(directory, "layer/etc/group"), "utf8");
  chownSync(file, idOf(accounts, "gnt-rapi"), idOf(groups, "gnt-masterd"));
  chmodSync(file, 0o640);
}

function idOf(table: string, name: string): number {
  const line = table.split("\n").find((candidate) => candidate.startsWith(`${name}:`));
  if (line === undefined) throw new Error(`no account ${name}`);
  return Number(line.split(":")[2]);
}
