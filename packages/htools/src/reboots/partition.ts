/**
 * Partition of nodes into parts that can be emptied at once of the instances that a reboot would stop.
 * Source: Ganeti, HTools/Program/Hroller.hs (`greedyClearNodes`, `partitionNodes`).
 */
import { isMirrored } from "@ganeti-ts/protocol";
import { toArray } from "../model/index-list.js";
import type { Rehearsal, Step } from "./rehearsal.js";

export interface Part {
  /** In the order in which they were emptied. */
  readonly nodes: readonly number[];
  /** All moves for this part, starting from the cluster as loaded. */
  readonly steps: readonly Step[];
  /** Nodes that the original confuses with another one at this point, with that one. */
  readonly mistakenNodes: ReadonlyMap<number, number>;
}

/** How nodes are emptied: primaries without a mirror are moved, or all secondaries are replaced. */
export type Clearing = "move" | "replace";

/**
 * Builds the first part from nodes in order, each added if all its instances find a new place: on the first
 * online node of their group with room that is not in the part. The next part is built from the remaining
 * nodes, and so on, each starting from the state after `start`.
 *
 * Undefined if none of the remaining nodes can be emptied.
 * @param start initial steps; part of each part's steps
 * @param tried called for every node with whether it was added to the part
 * Cost: O(parts * instances of the nodes * log nodes) if memory and disk become free together.
 */
export function partition(
  rehearsal: Rehearsal,
  nodes: readonly number[],
  start: readonly Step[],
  clearing: Clearing,
  tried: (emptied: boolean) => void,
): readonly Part[] | undefined {
  const parts: Part[] = [];
  replay(rehearsal, start);
  for (let left = nodes; left.length > 0; ) {
    const emptied = new Set<number>();
    for (const node of left) {
      const isEmpty = empty(rehearsal, node, clearing);
      if (isEmpty) emptied.add(node);
      tried(isEmpty);
    }
    parts.push({
      nodes: [...emptied],
      steps: rehearsal.stepsSince(0),
      mistakenNodes: rehearsal.mistakenNodes(),
    });
    rehearsal.takeBack(start.length);
    rehearsal.offerAll();
    if (emptied.size === 0) break;
    left = left.filter((node) => !emptied.has(node));
  }
  rehearsal.takeBack(0);
  return parts.at(-1)?.nodes.length === 0 ? undefined : parts;
}

/** Repeats steps that were possible before, in the same state. */
export function replay(rehearsal: Rehearsal, steps: readonly Step[]): void {
  for (const step of steps) {
    if (!rehearsal.make(step))
      throw new Error(`step of instance ${step.index} was possible before`);
  }
}

/** Moves all instances off a node and withdraws the node; or changes nothing. */
function empty(rehearsal: Rehearsal, node: number, clearing: Clearing): boolean {
  const { stepCount } = rehearsal;
  rehearsal.withdraw(node);
  const group = rehearsal.cluster.facts.groupOf[node] as number;
  const leaving = leavingFrom(rehearsal, node, clearing);
  if (leaving.every((index) => moveAway(rehearsal, group, index, clearing))) return true;
  rehearsal.takeBack(stepCount);
  rehearsal.offerLast();
  return false;
}

/** Newest first. */
function leavingFrom({ cluster }: Rehearsal, node: number, clearing: Clearing): number[] {
  if (clearing === "replace") return toArray(cluster.secondaries[node]);
  return toArray(cluster.primaries[node]).filter(
    (index) => !isMirrored(cluster.instances[index]?.data.diskTemplate),
  );
}

function moveAway(rehearsal: Rehearsal, group: number, index: number, kind: Clearing): boolean {
  const place = rehearsal.placeOf(index);
  for (const target of rehearsal.nodesWithRoom(group, index, kind)) {
    if (kind === "replace" && target === place.primary) continue;
    const goal = kind === "move" ? { primary: target } : { secondary: target };
    if (rehearsal.make({ kind, index, ...place, ...goal })) return true;
  }
  return false;
}
