/**
 * Feasibility by counting: whether instances that leave a node certainly fit elsewhere, or certainly do not,
 * whatever place each of them takes.
 */

/** Memory and disk that an instance needs, or that a node has left; a node with 0 MiB left is full. */
export interface Room {
  readonly memoryMib: number;
  readonly diskMib: number;
}

export interface LeavingInstance extends Room {
  /** It needs a node whose disk is not full. Otherwise `diskMib` is 0. */
  readonly local: boolean;
}

/**
 * Whether one of `destinations`, all of which have room for the instance, still has room after other instances that
 * need `before` in total: these can fill up a limited number of destinations.
 */
export function keepsDestination(
  leaving: LeavingInstance,
  destinations: readonly Room[],
  before: Room,
): boolean {
  const spare = (of: (one: Room) => number) => destinations.map((one) => of(one) - of(leaving));
  let filled = countWithin(spare(memoryOf), before.memoryMib);
  if (leaving.local) filled += countWithin(spare(diskOf), before.diskMib);
  return filled < destinations.length;
}

const memoryOf = ({ memoryMib }: Room) => memoryMib;
const diskOf = ({ diskMib }: Room) => diskMib;

/** Number of amounts, smallest first, whose sum is at most `total`. */
function countWithin(amounts: number[], total: number): number {
  amounts.sort((a, b) => a - b);
  let sum = 0;
  let count = 0;
  for (const amount of amounts) {
    sum += amount;
    if (sum > total) break;
    count++;
  }
  return count;
}

/**
 * Whether this many instances cannot fit into the destinations: for some size, more instances are at least
 * that large than destinations have room for one.
 */
export const overflows = (allLeaving: readonly Room[], destinations: readonly Room[]): boolean =>
  [memoryOf, diskOf].some((of) => {
    const sizes = allLeaving.map(of).filter((size) => size > 0);
    if (sizes.length === 0) return false;
    sizes.sort((a, b) => b - a);
    const rooms = destinations.map(of);
    return sizes.some((size, before) => !hasRoomFor(before + 1, size, rooms));
  });

function hasRoomFor(count: number, size: number, rooms: readonly number[]): boolean {
  let fitting = 0;
  for (const room of rooms) {
    if (room > size) fitting += Math.ceil(room / size) - 1;
    if (fitting >= count) return true;
  }
  return false;
}
