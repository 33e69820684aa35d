/**
 * Splits nodes into parts that can be emptied at once of what would suffer from a reboot.
 * Source: Ganeti, HTools/Program/Hroller.hs (`greedyClearNodes`, `partitionNodes`).
 */
import { toArray } from "../model/index-list.js";
import type { Rehearsal, Step } from "./rehearsal.js";

export interface Part {
  /** In the order in which they were emptied. */
  readonly nodes: readonly number[];
  /** Everything that was moved for it, from the cluster as it is. */
  readonly steps: readonly Step[];
  /** Nodes that the original takes for another one by now, with that one. */
  readonly mistakenNodes: ReadonlyMap<number, number>;
}

/** How nodes are emptied: primaries without a mirror move away, or all secondaries are replaced. */
export type Clearing = "move" | "replace";

/**
 * The first part takes the nodes one after the other, each if all that leaves finds a place: the first
 * online node of its group with room that is not in the part. The next part does the same with the
 * nodes left, and so on, each from the state that `start` leads to.
 *
 * Undefined if no node of those left can be emptied.
 * @param start steps made before; part of each part's steps
 * @param tried told of every node that was tried, and whether it is in the part
 * Cost: O(parts * instances of the nodes * log nodes) where memory and disk are free together.
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

/** Makes steps that were possible before, in the same state. */
export function replay(rehearsal: Rehearsal, steps: readonly Step[]): void {
  for (const step of steps) {
    if (!rehearsal.make(step))
      throw new Error(`step of instance ${step.index} was possible before`);
  }
}

/** Moves away what there is on a node and withdraws the node; or changes nothing. */
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
    (index) => cluster.instances[index]?.data.diskTemplate !== "drbd",
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
