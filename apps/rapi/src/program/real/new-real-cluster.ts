/** newRealCluster: makes this machine the master and only node of a new cluster. */

import { randomBytes } from "node:crypto";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { allocatorPrograms } from "@ganeti-ts/allocators/programs";
import { createCluster, NewClusterError, type NewClusterSettings } from "@ganeti-ts/cluster";
import { Configuration, type Snapshot } from "@ganeti-ts/config";
import {
  answers,
  authorize,
  checkRequirements,
  clearNode,
  digestOf,
  type Facts,
  factsOf,
  type GanetiSite,
  type Machine,
  newClusterPem,
  newNodePem,
  requirementsOf,
  rootKey,
  setUpNode,
  shellWord,
  systemResolver,
  thisMachine,
  writePublicKeys,
} from "@ganeti-ts/machines";
import type { Resolver } from "@ganeti-ts/node-calls";
import { secureRandom, systemClock, usesLvm } from "@ganeti-ts/protocol";
import { markRealNodes } from "@ganeti-ts/takeover";
import type { DataDirectory } from "../data-directory.js";
import { ganetiNodes } from "../ganeti/ganeti-nodes.js";
import { nodeProgramFolder } from "../node-program-folder.js";
import { StartError } from "../start-error.js";
import type { Stores } from "../stores.js";
import { firstCopies } from "./first-copies.js";

export interface RealClusterPlace {
  readonly stores: Pick<Stores, "config">;
  readonly directory: DataDirectory;
  readonly site: GanetiSite;
  readonly allocatorPath: readonly string[];
  /** Called with a line for each step. */
  readonly say: (line: string) => void;
}

/** Directories for disks in files, by the template that uses them. */
const fileStorageOf = {
  file: ["file_storage_dir", "/srv/ganeti/file-storage"],
  sharedfile: ["shared_file_storage_dir", "/srv/ganeti/shared-file-storage"],
} as const;

/** Directories of the enabled templates. */
const fileStorageIn = ({ disk_templates, cluster }: NewClusterSettings) =>
  Object.entries(fileStorageOf).flatMap(([template, [key, usual]]) =>
    (disk_templates as readonly string[] | undefined)?.includes(template)
      ? [cluster?.[key] ?? usual]
      : [],
  );

/**
 * Steps in the order of Ganeti: checks, certificates, daemon, configuration. If one fails after the checks, daemon and
 * certificates are removed again.
 * @throws StartError, NewClusterError
 */
export async function newRealCluster(
  name: string,
  settings: NewClusterSettings,
  place: RealClusterPlace,
): Promise<void> {
  const { site, say } = place;
  const checked = await checkedMaster(name, settings, site);
  const machine = thisMachine(checked.host);
  const setsUpSsh = settings.cluster?.modify_ssh_setup !== false;
  const wanted = requirementsOf({ ...settings, setsUpSsh });
  const facts = await factsOf(machine, wanted);
  checkRequirements(facts, wanted, "this machine");
  if (facts.cluster !== "") {
    throw new NewClusterError(`This machine belongs to the cluster ${facts.cluster} already`);
  }
  await checkVolumeGroup(machine, settings);
  const program = nodeProgramFolder(process.env);
  say(`${checked.host} (${checked.ip}) becomes the master of ${name}`);
  try {
    const clusterPem = await makeNode({
      ...{ name, settings, machine, facts, program, host: checked.host },
    });
    await answers(checked.ip, clusterPem, join(site.data, "client.pem"));
    say("its node daemon answers");
    const now = await makeConfiguration(name, settings, checked, place);
    if (setsUpSsh) await prepareSsh(machine, now, site);
    markRealNodes(place.directory);
  } catch (error) {
    await clearNode(machine).catch(() => undefined);
    throw error;
  }
}

interface CheckedMaster {
  readonly host: string;
  readonly ip: string;
  readonly clusterIp: string;
  readonly device: string;
}

/** Checks that names and addresses resolve, and that the master's is an address of this machine. @throws NewClusterError, StartError */
async function checkedMaster(
  name: string,
  { nodes, cluster }: NewClusterSettings,
  site: GanetiSite,
): Promise<CheckedMaster> {
  if (process.getuid?.() !== 0) throw new StartError("a cluster of real nodes is made by root");
  const own = await addressOf(nodes?.[0]?.name ?? site.host, systemResolver);
  const ip = nodes?.[0]?.primary_ip ?? own.ip;
  if (ip.startsWith("127.") || ip === "::1") {
    throw new NewClusterError(
      `This host's IP (${ip}) resolves to a loopback address: other nodes cannot reach it. Check /etc/hosts`,
    );
  }
  const device = Object.entries(networkInterfaces()).find(([, addresses]) =>
    addresses?.some(({ address }) => address === ip),
  )?.[0];
  if (device === undefined) {
    throw new NewClusterError(
      `Inconsistency: this host's name resolves to ${ip}, which is not its`,
    );
  }
  const { ip: clusterIp } = await addressOf(name, systemResolver);
  if (await systemResolver.isAlive(clusterIp, 1811)) {
    throw new NewClusterError(`Cluster IP already active: a node daemon answers at ${clusterIp}`);
  }
  return { host: own.name, ip, clusterIp, device: cluster?.master_netdev ?? device };
}

async function addressOf(name: string, resolver: Resolver) {
  const found = await resolver.resolve(name);
  if (found.ok) return found;
  throw new NewClusterError(`The given name (${name}) does not resolve: ${found.reason}`);
}

const needsVolumeGroup = ({ disk_templates = ["drbd", "plain"] }: NewClusterSettings): boolean =>
  disk_templates.some(usesLvm);

/** Undefined for a cluster without mirrors. */
const drbdHelperOf = ({ disk_templates = ["drbd"], cluster }: NewClusterSettings) =>
  disk_templates.includes("drbd") ? (cluster?.drbd_usermode_helper ?? "/bin/true") : undefined;

/** @throws NewClusterError */
async function checkVolumeGroup(machine: Machine, settings: NewClusterSettings): Promise<void> {
  if (!needsVolumeGroup(settings)) return;
  const group = settings.cluster?.volume_group_name ?? "xenvg";
  const { code } = await machine.run(`vgs --noheadings -- ${shellWord(group)} > /dev/null 2>&1`);
  if (code === 0) return;
  throw new NewClusterError(
    `volume group '${group}' missing: make it, name another with --vg-name, or choose templates without LVM with --enabled-disk-templates`,
  );
}

interface MasterNode {
  readonly name: string;
  readonly settings: NewClusterSettings;
  readonly machine: Machine;
  readonly facts: Facts;
  readonly program: string;
  readonly host: string;
}

/** Certificates, files and the running daemon. */
async function makeNode({ name, settings, machine, facts, program, host }: MasterNode) {
  const now = Date.now();
  const clusterPem = await newClusterPem(now);
  const nodePem = await newNodePem(clusterPem, host, now);
  const confdKey = `${randomBytes(20).toString("hex")}\n`;
  const knownHosts = facts.hostKeys.map((key) => `${name} ${key}\n`).join("");
  // Until there is a configuration, only this certificate may call the daemon.
  const ssconf = {
    cluster_name: `${name}\n`,
    master_node: `${host}\n`,
    master_candidates_certs: `bootstrap=${digestOf(nodePem)}\n`,
    // The daemon listens on addresses of this family.
    primary_ip_family: `${settings.cluster?.primary_ip_family ?? 2}\n`,
  };
  const membership = { clusterPem, nodePem, confdKey, knownHosts, ssconf };
  const fileStorage = fileStorageIn(settings);
  const drbdHelper = drbdHelperOf(settings);
  await setUpNode(machine, {
    ...{ nodeName: host, facts, program, membership, fileStorage, drbdHelper, now },
  });
  return clusterPem;
}

/** Stores the configuration, and writes its files on this machine. @throws NewClusterError */
async function makeConfiguration(
  name: string,
  settings: NewClusterSettings,
  { host, ip, clusterIp, device }: CheckedMaster,
  { stores, directory, site, allocatorPath: searchPath }: RealClusterPlace,
): Promise<Snapshot> {
  const [first] = settings.nodes ?? [];
  const { resolver, nodes } = ganetiNodes(
    { ...site, host },
    { callsFile: directory.callsInFlight },
  );
  await createCluster(
    {
      ...settings,
      name,
      nodes: [{ ...first, name: host, primary_ip: ip }],
      cluster: { ...settings.cluster, master_ip: clusterIp, master_netdev: device },
    },
    {
      store: stores.config,
      clock: systemClock,
      random: secureRandom,
      allocatorPrograms: allocatorPrograms({ searchPath }),
      ...{ resolver, nodes },
    },
  );
  const { snapshot } = await Configuration.open(stores.config, {
    clock: systemClock,
    random: secureRandom,
  });
  await firstCopies(snapshot, { ...site, host }, directory);
  return snapshot;
}

/** Allows root of the master to log in to the master itself. */
async function prepareSsh(
  machine: Machine,
  { cluster }: Snapshot,
  site: GanetiSite,
): Promise<void> {
  const { master_node, ssh_key_type, ssh_key_bits } = cluster;
  const key = await rootKey(machine, ssh_key_type, ssh_key_bits);
  await authorize(machine, [key]);
  writePublicKeys(site, new Map([[master_node, key]]));
}
