/** Allocation of drbd minors, one number per disk and node, and of secrets. */
import { type NodeUuid, type Random, randomHex } from "@ganeti-ts/protocol";
import type { Snapshot } from "./snapshot.js";

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
