/** prepareNode and releaseNode: what happens by ssh before a node joins the cluster, and after it has left. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filledNdparams, type Snapshot } from "@ganeti-ts/config";
import type { GanetiSite } from "../ganeti/site.js";
import { StartError } from "../start-error.js";
import { systemResolver } from "../system-resolver.js";
import { answers } from "./daemon-answers.js";
import { type Machine, machineBySsh, thisMachine } from "./machine-way.js";
import { nodeProgramFolder } from "./node-program.js";
import { authorize, clearNode, revoke, rootKey, setUpNode } from "./node-setup.js";
import { newNodePem } from "./pem.js";
import { machineOverSsh, otherNodes, publicKeys, storePublicKeys } from "./public-keys.js";
import { checkRequirements, type Facts, factsOf, requirementsOf } from "./requirements.js";

export interface JoiningPlace {
  readonly now: Snapshot;
  readonly site: GanetiSite;
  readonly say: (line: string) => void;
}

export interface JoiningNode {
  readonly name: string;
  /** Known address, for a name that does not resolve. */
  readonly primaryIp: string | undefined;
  /** An unknown host key is accepted without a question. */
  readonly trustsHostKey: boolean;
  /** The machine was a node of this cluster and gets everything again. */
  readonly readd: boolean;
}

/**
 * Gives a machine the daemon and what nodes hold of the cluster; OP_NODE_ADD comes afterwards. The first contact is that
 * of the user's own ssh, with a password or key, and a question for an unknown host.
 * @throws StartError
 */
export const prepareNode = (node: JoiningNode, place: JoiningPlace): Promise<void> =>
  withFirstContact(node, place.now, (found) => prepare({ ...place, ...found, readd: node.readd }));

interface FoundMachine {
  readonly machine: Machine;
  readonly name: string;
  readonly ip: string;
}

/** Runs `use` with the way to a machine that the cluster does not know yet: by the user's own ssh. */
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
      // One login for all steps.
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
  throw new StartError(`The given name (${name}) does not resolve: ${found.reason}`);
}

interface Preparation extends JoiningPlace, FoundMachine {
  readonly readd: boolean;
}

async function prepare(preparation: Preparation): Promise<void> {
  const { now, machine, name, ip, site, say } = preparation;
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
      ...{ nodeName: name, facts, program: nodeProgramFolder(process.env), now: time },
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
 * A node that was away when it was removed still has the certificate of this cluster, and may join again.
 * @throws StartError for a machine of another architecture, or a member of another cluster
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
    throw new StartError(`${name} belongs to the cluster ${cluster} already`);
  }
  const here = { x64: "x86_64", arm64: "aarch64" }[process.arch as string] ?? process.arch;
  if (node !== "" || architecture === here) return;
  throw new StartError(
    `${name} is ${architecture}, this machine is ${here}: install Node 20.19 or newer there yourself`,
  );
}

/** ssconf files as the master has them. */
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

/** Root of each node may log in to every node. A node that cannot be reached is named, and gets the key when it is added again. */
async function exchangeKeys({ now, machine, name, site, say }: Preparation): Promise<void> {
  const { cluster } = now;
  const keys = await publicKeys({ now, site, say });
  const key = await rootKey(machine, cluster.ssh_key_type, cluster.ssh_key_bits);
  keys.set(name, key);
  await authorize(machine, [...keys.values()]);
  await authorize(thisMachine("this machine"), [key]);
  const others = otherNodes(now, site, name);
  await storePublicKeys({ now, site, say }, keys, [machine, ...others]);
  for (const other of others) {
    await authorize(other, [key]).catch((error: Error) =>
      say(`WARNING: ${other.name} does not know the ssh key of ${name}: ${error.message}`),
    );
  }
}

/**
 * After OP_NODE_REMOVE, by which a node that answers has ended its daemon and removed its files: one whose daemon did not
 * answer is cleared over ssh, and the other nodes no longer accept the key of its root. Machines that cannot be reached are
 * named with what is left on them.
 */
export async function releaseNode(
  { name, primaryIp }: Pick<JoiningNode, "name" | "primaryIp">,
  place: JoiningPlace,
): Promise<void> {
  const { site, say, now } = place;
  if (!now.cluster.modify_ssh_setup) return;
  const master = now.expectNode(now.cluster.master_node);
  await clearNode(machineOverSsh(now, site, primaryIp ?? name, master)).catch((error: Error) =>
    say(
      `WARNING: ${name} keeps its daemon and its files of the cluster (${error.message}): gnt-node add removes` +
        " them, or systemctl disable --now ganeti-ts-noded and rm -r /var/lib/ganeti there",
    ),
  );
  const keys = await publicKeys(place);
  const key = keys.get(name);
  if (key === undefined) {
    say(`WARNING: the ssh key of ${name} is unknown here: remove it from root's authorized_keys`);
    return;
  }
  keys.delete(name);
  const others = otherNodes(now, site, name);
  for (const other of [thisMachine("this machine"), ...others]) {
    await revoke(other, key).catch((error: Error) =>
      say(`WARNING: ${other.name} still accepts the ssh key of ${name}: ${error.message}`),
    );
  }
  await storePublicKeys(place, keys, others);
}
