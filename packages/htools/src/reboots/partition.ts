/**
 * Splits nodes into parts that can be emptied at once of what would suffer from a reboot.
 * Source: Ganeti, HTools/Program/Hroller.hs (`greedyClearNodes`, `partitionNodes`).
 */
import { toArray } from "../index-list.js";
import type { Rehearsal, Step } from "./rehearsal.js";

export interface Part {
  /** In the order in which they were emptied. */
  readonly nodes: readonly number[];
  /** Everything that was moved for it, from the cluster as it is. */
  readonly steps: readonly Step[];
}

/** What is moved away: primaries that have no mirror, or all secondaries. */
export type Cargo = "unmirrored primaries" | "secondaries";

/**
 * The first part takes the nodes one after the other, each if all its cargo finds a place: the first
 * online node of its group with room that is not in the part. The next part does the same with the
 * nodes left, and so on, each from the state that `start` leads to.
 *
 * Undefined if no node of those left can be emptied.
 * @param start steps made before; part of each part's steps
 * @param tried told of every node that was tried, and whether it is in the part
 * Cost: O(parts * cargo of the nodes * log nodes) where memory and disk are free together.
 */
export function partition(
  rehearsal: Rehearsal,
  nodes: readonly number[],
  start: readonly Step[],
  cargo: Cargo,
  tried: (emptied: boolean) => void,
): readonly Part[] | undefined {
  const parts: Part[] = [];
  replay(rehearsal, start);
  for (let left = nodes; left.length > 0; ) {
    const emptied = new Set<number>();
    for (const node of left) {
      const isEmpty = empty(rehearsal, node, cargo);
      if (isEmpty) emptied.add(node);
      tried(isEmpty);
    }
    parts.push({ nodes: [...emptied], steps: [...start, ...rehearsal.stepsSince(start.length)] });
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

/** Moves a node's cargo away and withdraws the node; or changes nothing. */
function empty(rehearsal: Rehearsal, node: number, cargo: Cargo): boolean {
  const { stepCount } = rehearsal;
  rehearsal.withdraw(node);
  const group = rehearsal.cluster.facts.groupOf[node] as number;
  const leaving = cargoOf(rehearsal, node, cargo);
  if (leaving.every((index) => moveAway(rehearsal, group, index, cargo))) return true;
  rehearsal.takeBack(stepCount);
  rehearsal.offerLast();
  return false;
}

/** Newest first. */
function cargoOf({ cluster }: Rehearsal, node: number, cargo: Cargo): number[] {
  if (cargo === "secondaries") return toArray(cluster.secondaries[node]);
  return toArray(cluster.primaries[node]).filter(
    (index) => cluster.instances[index]?.data.diskTemplate !== "drbd",
  );
}

function moveAway(rehearsal: Rehearsal, group: number, index: number, cargo: Cargo): boolean {
  const seat = rehearsal.seatOf(index);
  const asPrimary = cargo === "unmirrored primaries";
  for (const target of rehearsal.nodesWithRoom(group, index, asPrimary)) {
    if (!asPrimary && target === seat.primary) continue;
    const step = asPrimary ? { ...seat, primary: target } : { ...seat, secondary: target };
    if (rehearsal.make(step)) return true;
  }
  return false;
}
