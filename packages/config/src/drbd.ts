/** Allocation of drbd minors, one number per disk and node, and of secrets. */
import type { NodeUuid } from "@ganeti-ts/protocol";
import { type Random, randomHex } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

/**
 * For each of `nodes`, in order, the lowest minor that is unused on that node; a node listed several times
 * gets several. O(minors on these nodes).
 */
export function drbdMinors(now: Snapshot, nodes: readonly NodeUuid[]): readonly number[] {
  const takenOf = new Map<NodeUuid, Set<number>>();
  return nodes.map((node) => {
    const taken = takenOf.get(node) ?? minorsOf(now, node);
    takenOf.set(node, taken);
    let minor = 0;
    while (taken.has(minor)) minor++;
    taken.add(minor);
    return minor;
  });
}

/** Minors of disks on the node. */
const minorsOf = (now: Snapshot, node: NodeUuid): Set<number> =>
  new Set(now.keysOf("minor", node).map((key) => Number(key.slice(0, key.indexOf("\0")))));

/** 20 random bytes not used by any disk, in hexadecimal. */
export function drbdSecret(now: Snapshot, random: Random): string {
  for (;;) {
    const secret = randomHex(random, 20);
    if (now.keysOf("secret", secret).length === 0) return secret;
  }
}
