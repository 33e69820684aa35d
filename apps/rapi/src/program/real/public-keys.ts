/** Public ssh keys of root on all nodes, which each node that can become the master keeps in a file; and ssh by these keys. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filledNdparams, type Snapshot } from "@ganeti-ts/config";
import { dataDirectory } from "@ganeti-ts/node-calls";
import type { NodeObject } from "@ganeti-ts/protocol";
import type { GanetiSite } from "../ganeti/site.js";
import { sshArguments } from "../ganeti/ssh.js";
import { type Machine, machineBySsh, mustRun, thisMachine } from "./machine-way.js";
import { rootKey } from "./node-setup.js";

interface KeysPlace {
  readonly now: Snapshot;
  readonly site: GanetiSite;
  /** Gets a line for each machine that cannot be reached. */
  readonly say: (line: string) => void;
}

const fileName = "ganeti_pub_keys";

/** File of `NODE KEY` lines. */
const publicKeysFile = ({ data }: GanetiSite): string => join(data, fileName);

const textOf = (keys: ReadonlyMap<string, string>): string =>
  Array.from(keys, ([name, key]) => `${name} ${key}\n`).join("");

/** Keys of a new cluster, which has only its master. */
export const writePublicKeys = (site: GanetiSite, keys: ReadonlyMap<string, string>): void =>
  writeFileSync(publicKeysFile(site), textOf(keys), { mode: 0o600 });

/** Keys by node: those of the file, or where it is missing those that the nodes which answer have. */
export async function publicKeys({ now, site, say }: KeysPlace): Promise<Map<string, string>> {
  const file = publicKeysFile(site);
  if (existsSync(file)) return keysIn(readFileSync(file, "utf8"));
  const { master_node, ssh_key_type: type, ssh_key_bits: bits } = now.cluster;
  const master = now.expectNode(master_node).name;
  const keys = new Map([[master, await rootKey(thisMachine(master), type, bits)]]);
  for (const machine of otherNodes(now, site, master)) {
    await rootKey(machine, type, bits).then(
      (key) => keys.set(machine.name, key),
      (error: Error) => say(`WARNING: the ssh key of ${machine.name}: ${error.message}`),
    );
  }
  return keys;
}

const keysIn = (text: string): Map<string, string> =>
  new Map(
    text.split("\n").flatMap((line) => {
      const at = line.indexOf(" ");
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );

/** Writes the file here and on other machines; any of them may be the next master. */
export async function storePublicKeys(
  { site, say }: KeysPlace,
  keys: ReadonlyMap<string, string>,
  others: readonly Machine[],
): Promise<void> {
  writePublicKeys(site, keys);
  const script = `umask 077; cd ${dataDirectory} 2> /dev/null || mkdir -p -m 755 ${dataDirectory} && cd ${dataDirectory} &&
cat > ${fileName}.new && mv -f ${fileName}.new ${fileName}`;
  for (const other of others) {
    await mustRun(other, script, textOf(keys)).catch((error: Error) =>
      say(`WARNING: ${other.name} does not have the new list of ssh keys: ${error.message}`),
    );
  }
}

/** Other nodes of the cluster that are online, by the ssh of its own keys. */
export function otherNodes(now: Snapshot, site: GanetiSite, except: string): readonly Machine[] {
  const { cluster } = now;
  return [...now.nodes()]
    .filter(
      ({ uuid, offline, name }) => uuid !== cluster.master_node && !offline && name !== except,
    )
    .map((node) => machineOverSsh(now, site, node.name, node));
}

/** A machine by the ssh of the cluster's keys, with the port of a node. */
export function machineOverSsh(
  now: Snapshot,
  site: GanetiSite,
  host: string,
  node: NodeObject,
): Machine {
  const { cluster } = now;
  const port = Number(filledNdparams(now, node).ssh_port);
  const options = sshArguments({
    ...{ clusterName: cluster.cluster_name, port },
    knownHosts: join(site.data, "known_hosts"),
    family: cluster.primary_ip_family === 10 ? 10 : 2,
  });
  return machineBySsh({ host, port, options });
}
