/** prepareNode and releaseNode: work over ssh before a node joins the cluster, and after it has left. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filledNdparams, type Snapshot } from "@ganeti-ts/config";
import { answers } from "./daemon-answers.js";
import { MachineError } from "./machine-error.js";
import { type Machine, machineBySsh } from "./machine-way.js";
import { authorize, clearNode, revoke, rootKey, setUpNode } from "./node-setup.js";
import { newNodePem } from "./pem.js";
import { candidatesKeys, machineOverSsh, publicKeys, writePublicKeys } from "./public-keys.js";
import { checkRequirements, type Facts, factsOf, requirementsOf } from "./requirements.js";
import type { GanetiSite } from "./site.js";
import { systemResolver } from "./system-resolver.js";

/** The cluster that machines join and leave, from the perspective of its master. */
export interface JoiningPlace {
  readonly now: Snapshot;
  readonly site: GanetiSite;
  readonly say: (line: string) => void;
}

/** Additional ports for machines that get a daemon. */
export interface PreparationPlace extends JoiningPlace {
  /** Returns the folder with the single file of the node daemon, or throws. */
  readonly program: () => string;
}

/** The machine that joins, as specified by the administrator. */
export interface JoiningNode {
  readonly name: string;
  /** Address of the machine, for a name that does not resolve. */
  readonly primaryIp: string | undefined;
  /** Whether an unknown host key is accepted without a question. */
  readonly trustsHostKey: boolean;
  /** Whether the machine was a node of this cluster, and gets all files again. */
  readonly readd: boolean;
}

/**
 * Installs the daemon and the node's files of the cluster on a machine; OP_NODE_ADD comes afterwards. The first contact uses
 * the user's own ssh, with a password or key, and a question for an unknown host.
 * @throws MachineError
 */
export const prepareNode = (node: JoiningNode, place: PreparationPlace): Promise<void> =>
  withFirstContact(node, place.now, (found) => prepare({ ...place, ...found, readd: node.readd }));

interface FoundMachine {
  readonly machine: Machine;
  readonly name: string;
  readonly ip: string;
}

/** Runs `use` with a machine that the cluster does not know yet, reached by the user's own ssh. */
export async function withFirstContact<Value>(
  node: JoiningNode,
  now: Snapshot,
  use: (found: FoundMachine) => Promise<Value>,
): Promise<Value> {
  const { name, ip } = await addressed(node);
  const folder = await mkdtemp(join(tmpdir(), "ssh-"));
  const machine = machineBySsh({
    host: node.primaryIp ?? name,
    port: Number(filledNdparams(now, now.expectNode(now.cluster.master_node)).ssh_port),
    options: [
      `-oStrictHostKeyChecking=${node.trustsHostKey ? "no" : "ask"}`,
      // Share one connection, so that the user logs in only once.
      ...["-oControlMaster=auto", `-oControlPath=${join(folder, "way")}`, "-oControlPersist=30"],
      ...["-oConnectTimeout=10", "-oLogLevel=ERROR"],
    ],
  });
  try {
    return await use({ machine, name, ip });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function addressed({ name, primaryIp }: JoiningNode) {
  const found = await systemResolver.resolve(name);
  if (found.ok) return { name: found.name, ip: primaryIp ?? found.ip };
  if (primaryIp !== undefined) return { name, ip: primaryIp };
  throw new MachineError(`The given name (${name}) does not resolve: ${found.reason}`);
}

interface Preparation extends PreparationPlace, FoundMachine {
  readonly readd: boolean;
}

async function prepare(preparation: Preparation): Promise<void> {
  const { now, machine, name, ip, site, program, say } = preparation;
  const { cluster } = now;
  const wanted = requirementsOf({
    hypervisors: cluster.enabled_hypervisors,
    disk_templates: cluster.enabled_disk_templates,
    setsUpSsh: cluster.modify_ssh_setup,
  });
  const facts = await factsOf(machine, wanted);
  checkRequirements(facts, wanted, name);
  const data = (file: string): string => readFileSync(join(site.data, file), "utf8");
  const clusterPem = data("server.pem");
  checkMachine(preparation, facts, clusterPem);
  if (facts.cluster !== "") {
    await clearNode(machine);
    say(`${name} was a node of this cluster before: what it held of it has been removed`);
  }
  if (cluster.modify_ssh_setup) await exchangeKeys(preparation);
  const knownHosts = withHostKeys(data("known_hosts"), cluster.cluster_name, facts.hostKeys);
  writeFileSync(join(site.data, "known_hosts"), knownHosts, { mode: 0o644 });
  const time = Date.now();
  try {
    await setUpNode(machine, {
      ...{ nodeName: name, facts, program: program(), now: time },
      membership: {
        ...{ clusterPem, knownHosts, confdKey: data("hmac.key") },
        nodePem: await newNodePem(clusterPem, name, time),
        ssconf: ssconfOf(now, site),
      },
      fileStorage: [
        ...(cluster.enabled_disk_templates.includes("file") ? [cluster.file_storage_dir] : []),
        ...(cluster.enabled_disk_templates.includes("sharedfile")
          ? [cluster.shared_file_storage_dir]
          : []),
      ],
      drbdHelper: cluster.enabled_disk_templates.includes("drbd")
        ? cluster.drbd_usermode_helper
        : undefined,
    });
    await answers(ip, clusterPem, join(site.data, "client.pem"));
  } catch (error) {
    await clearNode(machine).catch(() => undefined);
    throw error;
  }
  say(`the node daemon of ${name} answers`);
}

/**
 * Checks that the machine may join. A node that was unreachable when it was removed still has the certificate of this
 * cluster, and may join again.
 * @throws MachineError for a machine of another architecture, or a member of another cluster
 */
function checkMachine(
  { now, name, readd }: Preparation,
  { cluster, clusterDigest, architecture, node }: Facts,
  clusterPem: string,
): void {
  const isOwn =
    (readd && cluster === now.cluster.cluster_name) ||
    clusterDigest === createHash("sha256").update(clusterPem).digest("hex");
  if (cluster !== "" && !isOwn) {
    throw new MachineError(`${name} belongs to the cluster ${cluster} already`);
  }
  const here = { x64: "x86_64", arm64: "aarch64" }[process.arch as string] ?? process.arch;
  if (node !== "" || architecture === here) return;
  throw new MachineError(
    `${name} is ${architecture}, this machine is ${here}: install Node 20.19 or newer there yourself`,
  );
}

/** Contents of the master's ssconf files. */
function ssconfOf(now: Snapshot, { data }: GanetiSite): Readonly<Record<string, string>> {
  const keys = ["cluster_name", "master_node", "master_candidates_certs", "primary_ip_family"];
  const master = now.expectNode(now.cluster.master_node);
  const read = (key: string) => [key, readFileSync(join(data, `ssconf_${key}`), "utf8")] as const;
  return { ...Object.fromEntries(keys.map(read)), master_node: `${master.name}\n` };
}

function withHostKeys(known: string, cluster: string, keys: readonly string[]): string {
  const lines = new Set(known.split("\n").filter((line) => line !== ""));
  for (const key of keys) lines.add(`${cluster} ${key}`);
  return [...lines].map((line) => `${line}\n`).join("");
}

/** Lets the machine accept the candidates' keys, and records its own key under its name, from where OP_NODE_ADD distributes it. */
async function exchangeKeys({ now, machine, name, site, say }: Preparation): Promise<void> {
  const { ssh_key_type, ssh_key_bits } = now.cluster;
  const keys = await publicKeys({ now, site, say });
  await authorize(machine, candidatesKeys(now, keys));
  const former = [...now.nodes()].find((node) => node.name === name);
  if (former !== undefined) keys.delete(former.uuid);
  writePublicKeys(site, keys.set(name, await rootKey(machine, ssh_key_type, ssh_key_bits)));
}

/**
 * Clears a machine over ssh after OP_NODE_REMOVE, and finally removes the keys of the cluster there. By that opcode a node
 * that answers has ended its daemon and removed its files, and the other nodes no longer accept the key of its root. For a
 * machine that cannot be reached, reports the files that are left on it.
 */
export async function releaseNode(
  { name, primaryIp }: Pick<JoiningNode, "name" | "primaryIp">,
  place: JoiningPlace,
): Promise<void> {
  const { site, say, now } = place;
  if (!now.cluster.modify_ssh_setup) return;
  const master = now.expectNode(now.cluster.master_node);
  const machine = machineOverSsh(now, site, primaryIp ?? name, master);
  try {
    await clearNode(machine);
    await revoke(machine, candidatesKeys(now, await publicKeys(place)));
  } catch (error) {
    say(
      `WARNING: ${name} keeps its daemon and its files of the cluster (${(error as Error).message}): gnt-node add removes` +
        " them, or systemctl disable --now ganeti-ts-noded and rm -r /var/lib/ganeti there",
    );
  }
}
