/** Checks of root's ssh files. */
import { readFile, stat } from "node:fs/promises";
import type { VerifyRequest } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import {
  authorizedKeys,
  authorizedKeysPath,
  hasKey,
  type NodeKeys,
  nodeKeysPath,
  ownKeyPath,
  readNodeKeys,
} from "./ssh-files.js";
import type { Checks } from "./verification.js";

type Ports = Pick<NodeContext, "paths" | "nodeName">;
type Setup = NonNullable<VerifyRequest["sshSetup"]>;
type Node = Setup["nodes"][number];

export const sshFileChecks = (ports: Ports): Checks => ({
  sshSetup: async (setup) => ({ sshSetup: await setupFaults(ports, setup) }),
  async sshClutter(_, { sshSetup }) {
    const names = sshSetup?.nodes.map(({ name }) => name) ?? [];
    return { sshClutter: await clutter(ports, names) };
  },
});

async function setupFaults({ paths, nodeName }: Ports, { nodes, keyType }: Setup) {
  if (nodes.length === 0) return ["No node list to check against the pub_key_file received."];
  const own = nodes.find(({ name }) => name === nodeName);
  if (own === undefined) return [`Cannot find node information for node '${nodeName}'.`];
  const path = nodeKeysPath(paths);
  const isMissing = (await stat(path).catch(() => null)) === null;
  if (isMissing) {
    return own.isPotentialCandidate
      ? [
          `The public key file '${path}' does not exist. Consider running 'gnt-cluster renew-crypto --new-ssh-keys [--no-ssh-key-check]' to fix this.`,
        ]
      : [];
  }
  const keys = await readNodeKeys(paths);
  const ofOwn = own.isPotentialCandidate
    ? [
        ...listFaults(nodes, keys, `${nodeName}:${path}`),
        ...(await ownKeyFaults(ownKeyPath(paths, keyType), keys.get(own.uuid), nodeName)),
      ]
    : [];
  const lines = await authorizedKeys(paths);
  const ofKeys = nodes
    .filter(({ isOnline }) => isOnline)
    .flatMap((node) => keyFaults(node, keys.get(node.uuid) ?? [], lines, nodeName));
  return [...ofOwn, ...ofKeys];
}

function listFaults(nodes: readonly Node[], keys: NodeKeys, file: string): readonly string[] {
  const offline = nodes.filter(({ isOnline }) => !isOnline).map(({ uuid }) => uuid);
  const expected = nodes
    .filter(({ isPotentialCandidate, isOnline }) => isPotentialCandidate && isOnline)
    .map(({ uuid }) => uuid);
  const unknown = [...keys.keys()].filter((uuid) => ![...expected, ...offline].includes(uuid));
  const missing = expected.filter((uuid) => !keys.has(uuid));
  return [
    ...(unknown.length > 0
      ? [
          `The following node UUIDs are listed in the shared public keys file ${file}, but are not potential master candidates: ${unknown.join(", ")}.`,
        ]
      : []),
    ...(missing.length > 0
      ? [
          `The following node UUIDs of potential master candidates are missing in the shared public keys file ${file}: ${missing.join(", ")}.`,
        ]
      : []),
  ];
}

async function ownKeyFaults(
  path: string,
  listed: readonly string[] | undefined,
  nodeName: string,
): Promise<readonly string[]> {
  if (listed === undefined) return [];
  const file = `${nodeName}:${path}.pub`;
  const own = await readFile(`${path}.pub`, "utf8").catch(() => "");
  const faults: string[] = [];
  if (own.trim() === "" || !hasKey(listed, own)) {
    faults.push(
      `The key for node ${nodeName} in the cluster config does not match this node's key in the node public key file ${file}.`,
    );
  }
  if (listed.length > 1) {
    faults.push(
      `There is more than one key for node ${nodeName} in the node public key file ${file}.`,
    );
  }
  return faults;
}

function keyFaults(
  { name, uuid, isCandidate }: Node,
  keys: readonly string[],
  lines: readonly string[],
  nodeName: string,
): readonly string[] {
  return keys.flatMap((key) => {
    const isThere = hasKey(lines, key);
    const which = `'${name}' (UUID: '${uuid}')`;
    if (isCandidate && !isThere) {
      return [
        `A SSH key of master candidate ${which} is not in the 'authorized_keys' file of node '${nodeName}'.`,
      ];
    }
    if (isCandidate) return [];
    if (name === nodeName && !isThere) {
      return [`A SSH key of normal node ${which} is not in the 'authorized_keys' file of itself.`];
    }
    return name !== nodeName && isThere
      ? [
          `A SSH key of normal node ${which} is in the 'authorized_keys' file of node '${nodeName}'.`,
        ]
      : [];
  });
}

/** Users of nodes with several keys in the file; failed renewals leave such keys behind. */
async function clutter({ paths, nodeName }: Ports, names: readonly string[]) {
  const linesOf = new Map<string, number[]>();
  for (const [at, line] of (await authorizedKeys(paths)).entries()) {
    const user = line.trim().split(/\s+/).at(-1) ?? "";
    if (!names.some((name) => user.endsWith(`@${name}`))) continue;
    linesOf.set(user, [...(linesOf.get(user) ?? []), at + 1]);
  }
  const several = [...linesOf].filter(([, lines]) => lines.length > 1);
  if (several.length === 0) return [];
  return [
    `There are hosts which have more than one SSH key stored for the same user in the '${authorizedKeysPath(paths)}' file of node ${nodeName}: the rest of an operation that failed.`,
    ...several.map(([user, lines]) => `Entries for '${user}' in lines ${lines.join(", ")}.`),
  ];
}
