/** Public ssh keys of root on all nodes, which every node stores in a file; and ssh connections with these keys. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filledNdparams, type Snapshot } from "@ganeti-ts/config";
import type { NodeObject } from "@ganeti-ts/protocol";
import { type Machine, machineBySsh, thisMachine } from "./machine-way.js";
import { rootKey } from "./node-setup.js";
import type { GanetiSite } from "./site.js";
import { type SshOptions, sshArguments } from "./ssh.js";

interface KeysPlace {
  readonly now: Snapshot;
  readonly site: GanetiSite;
  /** Gets a line for each machine that cannot be reached. */
  readonly say: (line: string) => void;
}

/** File of `NODE KEY` lines: the UUID of a node, or its name before it has one. */
export const publicKeysFile = ({ data }: GanetiSite): string => join(data, "ganeti_pub_keys");

/** Writes the file on this machine; the node daemon of the master changes the files on other nodes. */
export const writePublicKeys = (
  site: GanetiSite,
  keys: Iterable<readonly [string, string]>,
): void =>
  writeFileSync(
    publicKeysFile(site),
    Array.from(keys, ([node, key]) => `${node} ${key}\n`).join(""),
    { mode: 0o600 },
  );

/** Keys by UUID, from the file or, if it is missing, from the nodes that can be reached. */
export async function publicKeys({ now, site, say }: KeysPlace): Promise<Map<string, string>> {
  if (existsSync(publicKeysFile(site))) {
    // Files of clusters made by earlier versions contain names instead of UUIDs.
    const uuids = new Map<string, string>(Array.from(now.nodes(), (one) => [one.name, one.uuid]));
    return new Map(publicKeyLines(site).map(([node, key]) => [uuids.get(node) ?? node, key]));
  }
  const { master_node, ssh_key_type: type, ssh_key_bits: bits } = now.cluster;
  const { name: master } = now.expectNode(master_node);
  const keys = new Map<string, string>();
  keys.set(master_node, await rootKey(thisMachine(master), type, bits));
  for (const node of now.nodes()) {
    const { uuid, name, offline } = node;
    if (uuid === master_node || offline) continue;
    await rootKey(machineOverSsh(now, site, name, node), type, bits).then(
      (key) => keys.set(uuid, key),
      (error: Error) => say(`WARNING: the ssh key of ${name}: ${error.message}`),
    );
  }
  return keys;
}

/** Keys in the order of the file, each with the UUID or name of its node. */
export const publicKeyLines = (
  site: GanetiSite,
): readonly (readonly [node: string, key: string])[] =>
  readFileSync(publicKeysFile(site), "utf8")
    .split("\n")
    .flatMap((line) => {
      const at = line.indexOf(" ");
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    });

/** Keys by which root of a candidate may log in to every node. */
export const candidatesKeys = (now: Snapshot, keys: ReadonlyMap<string, string>) =>
  Array.from(now.nodes()).flatMap(({ uuid, master_candidate }) =>
    master_candidate ? (keys.get(uuid) ?? []) : [],
  );

/** A machine reached over ssh with the cluster's keys, on the ssh port of a node. */
export function machineOverSsh(
  now: Snapshot,
  site: GanetiSite,
  host: string,
  node: NodeObject,
): Machine {
  const how = sshOptions(now, site, node);
  return machineBySsh({ host, port: how.port, options: sshArguments(how) });
}

/** Options for ssh connections from the master to a node, with the keys of the cluster. */
export const sshOptions = (now: Snapshot, site: GanetiSite, node: NodeObject): SshOptions => ({
  clusterName: now.cluster.cluster_name,
  knownHosts: join(site.data, "known_hosts"),
  family: now.cluster.primary_ip_family === 10 ? 10 : 2,
  port: Number(filledNdparams(now, node).ssh_port),
});
