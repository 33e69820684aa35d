/** Room of the nodes of a group, by rank: proves that some instances find room, whichever nodes they take. */
import type { Cluster } from "../model/cluster.js";
import type { RoomByRank } from "../model/emptying-margins.js";
import { field } from "../model/node-columns.js";

/** The nodes of a group by free memory, most first. O(n log n) */
export function roomiestFirst(cluster: Cluster, group: number): readonly number[] {
  const room = (node: number) => cluster.get(node, field.memoryUnallocated);
  return (cluster.nodesByGroup[group] as readonly number[]).toSorted((a, b) => room(b) - room(a));
}

/** @param sorted the nodes of a group, `roomiestFirst`; no disk from the first one with exclusive storage on */
export function roomByRank(cluster: Cluster, sorted: readonly number[]): RoomByRank {
  let memory = Number.POSITIVE_INFINITY;
  let disk = Number.POSITIVE_INFINITY;
  return {
    memoryMib: Float64Array.from(sorted, (node) => {
      memory = Math.min(memory, cluster.get(node, field.memoryUnallocated));
      return memory;
    }),
    diskMib: Float64Array.from(sorted, (node) => {
      const isExclusive = cluster.facts.exclusiveStorage[node] === 1;
      disk = isExclusive ? 0 : Math.min(disk, cluster.get(node, field.diskFree));
      return disk;
    }),
  };
}

/** Instances that look for room in a group, one of whose nodes they leave. Sizes in MiB. */
export interface RoomSeekers {
  readonly count: number;
  /** The most that one of them needs. */
  readonly memoryMib: number;
  readonly diskMib: number;
  /** Maximum of the memory that is taken of one node before. */
  readonly memoryTaken: number;
}

/** Whether the roomiest nodes, one more than there are seekers, each have room for the largest of these. */
export function haveRoom(
  { memoryMib, diskMib }: RoomByRank,
  { count, ...largest }: RoomSeekers,
): boolean {
  if (count >= memoryMib.length) return false;
  return (
    (memoryMib[count] as number) - largest.memoryTaken - largest.memoryMib > 0 &&
    (diskMib[count] as number) - largest.diskMib > 0
  );
}
