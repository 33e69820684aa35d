/** Values that no other object has: UUIDs, MAC addresses, minors and secrets of mirrors, ports. */
import type { ClusterObject, NetworkObject, NodeUuid, Random } from "@ganeti-ts/protocol";
import { randomHex } from "@ganeti-ts/protocol";
import { ConfigError, wrongInput } from "./config-error.js";
import { portFirst, portLast } from "./defaults.js";
import { objectTypes } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/** Random (version 4), lower case. */
export function randomUuid(random: Random): string {
  const hex = randomHex(random, 16);
  const variant = "89ab"[Math.floor(random.fraction() * 4)];
  const [timeLow, timeMid, rest] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(20)];
  return `${timeLow}-${timeMid}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${rest}`;
}

/** A UUID not used by any object; the type parameter names the kind of object. */
export function newUuid<Uuid extends string = string>(now: Snapshot, random: Random): Uuid {
  for (;;) {
    const uuid = randomUuid(random);
    const isTaken =
      uuid === now.cluster.uuid ||
      objectTypes.some((type) => now.get(type, uuid) !== undefined) ||
      now.keysOf("nic", uuid).length > 0;
    if (!isTaken) return uuid as Uuid;
  }
}

/** MAC addresses: notation and generation. */
const triesMax = 64;

/** In lower case. @throws ConfigError `wrong_input` if it is invalid, or a multicast address */
export function readMac(text: string): string {
  const mac = text.toLowerCase();
  const isMulticast = (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac) || isMulticast) {
    wrongInput(`Invalid MAC address '${text}'`);
  }
  return mac;
}

/** @throws ConfigError `resource_not_unique` if a NIC has it, or a claim */
export function mustBeFreeMac(now: Snapshot, mac: string): void {
  if (now.keysOf("mac", mac.toLowerCase()).length === 0) return;
  throw new ConfigError("resource_not_unique", `MAC address ${mac} already in use in cluster`);
}

/**
 * A new address with the prefix of the network, otherwise of the cluster; not one of `taken`. @throws
 * ConfigError `insufficient_resources` after 64 failed tries
 */
export function generateMac(
  now: Snapshot,
  random: Random,
  network?: NetworkObject,
  taken: ReadonlySet<string> = new Set(),
): string {
  const prefix = (network?.mac_prefix ?? now.cluster.mac_prefix).toLowerCase();
  for (let tries = 0; tries < triesMax; tries++) {
    const rest = randomHex(random, 3).replace(/(..)(?=.)/g, "$1:");
    const mac = `${prefix}:${rest}`;
    if (!taken.has(mac) && now.keysOf("mac", mac).length === 0) return mac;
  }
  throw new ConfigError("insufficient_resources", "Can't generate unique MAC address");
}

/**
 * For each of `nodes`, in order, the lowest minor that is unused on that node; a node listed several times
 * gets several. O(minors on these nodes).
 */
export function drbdMinors(now: Snapshot, nodes: readonly NodeUuid[]): readonly number[] {
  const takenOf = new Map<NodeUuid, Uint8Array>();
  return nodes.map((node) => {
    const taken = takenOf.get(node) ?? takenMinors(now, node, nodes.length);
    takenOf.set(node, taken);
    const minor = taken.indexOf(0);
    taken[minor] = 1;
    return minor;
  });
}

/** 1 for each minor in use on the node, and 0 for at least `wanted` others. */
function takenMinors(now: Snapshot, node: NodeUuid, wanted: number): Uint8Array {
  const numbers = now.minorNumbersOf(node);
  const taken = new Uint8Array(numbers.length + wanted);
  for (const minor of numbers) taken[minor] = 1;
  return taken;
}

/** 20 random bytes not used by any disk, in hexadecimal. */
export function drbdSecret(now: Snapshot, random: Random): string {
  for (;;) {
    const secret = randomHex(random, 20);
    if (now.keysOf("secret", secret).length === 0) return secret;
  }
}

/**
 * The lowest released port, otherwise the next unused one; and the cluster without it. For several ports in
 * one change, pass on the returned cluster. @throws ConfigError `insufficient_resources` if there are no more
 */
export function allocatePort(cluster: ClusterObject): {
  readonly port: number;
  readonly cluster: ClusterObject;
} {
  const pool = [...cluster.tcpudp_port_pool].sort((a, b) => a - b);
  const [free] = pool;
  if (free !== undefined) {
    return { port: free, cluster: { ...cluster, tcpudp_port_pool: pool.slice(1) } };
  }
  const port = Math.max(cluster.highest_used_port + 1, portFirst);
  if (port > portLast) {
    throw new ConfigError(
      "insufficient_resources",
      `The highest used port is greater than ${portLast}. Aborting.`,
    );
  }
  return { port, cluster: { ...cluster, highest_used_port: port } };
}

/** The cluster with these ports released. */
export function releasePorts(cluster: ClusterObject, ports: readonly number[]): ClusterObject {
  if (ports.length === 0) return cluster;
  const pool = new Set([...cluster.tcpudp_port_pool, ...ports]);
  return { ...cluster, tcpudp_port_pool: [...pool].sort((a, b) => a - b) };
}
