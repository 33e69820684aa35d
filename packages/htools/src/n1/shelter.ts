/**
 * Whether instances that leave a node surely find places elsewhere, or surely do not, whatever place
 * each of them chooses: by counting, without trying it.
 */

/** Of an instance: what it needs where it goes. Of a node: what is left; with 0 MiB it is full. */
export interface Room {
  readonly memoryMib: number;
  readonly diskMib: number;
}

export interface Leaver extends Room {
  /** It needs a node whose disk is not full. Otherwise `diskMib` is 0. */
  readonly local: boolean;
}

/**
 * Whether one of `shelters`, each of which has room for the instance, still has when others have come
 * before: these need `before` in all, and can fill up only so many.
 */
export function staysOpen(leaver: Leaver, shelters: readonly Room[], before: Room): boolean {
  const spare = (of: (one: Room) => number) => shelters.map((one) => of(one) - of(leaver));
  let filled = countWithin(spare(memoryOf), before.memoryMib);
  if (leaver.local) filled += countWithin(spare(diskOf), before.diskMib);
  return filled < shelters.length;
}

const memoryOf = ({ memoryMib }: Room) => memoryMib;
const diskOf = ({ diskMib }: Room) => diskMib;

/** How many of the amounts, the least first, come to no more than `total`. */
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
 * Whether so many instances cannot fit into the shelters together: of some size, there are more of at
 * least that size than have room.
 */
export const overflows = (leavers: readonly Room[], shelters: readonly Room[]): boolean =>
  [memoryOf, diskOf].some((of) => {
    const sizes = leavers.map(of).filter((size) => size > 0);
    if (sizes.length === 0) return false;
    sizes.sort((a, b) => b - a);
    const rooms = shelters.map(of);
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
