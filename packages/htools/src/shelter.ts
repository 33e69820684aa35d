/**
 * Whether instances that leave a node surely find places elsewhere, or surely do not, whatever place
 * each of them chooses: by counting, without trying it.
 */

/** What an instance needs where it goes; `diskMib` is 0 if its disks stay where they are. */
export interface Leaver {
  readonly memoryMib: number;
  readonly diskMib: number;
}

/** What is left on a node. With 0 MiB left it is full. */
export interface Shelter {
  readonly memoryMib: number;
  readonly diskMib: number;
}

/**
 * Whether one of `shelters`, each of which has room for the instance, still has when others have come
 * before: these need `before` in all, and can fill up only so many.
 */
export function staysOpen(leaver: Leaver, shelters: readonly Shelter[], before: Leaver): boolean {
  const spare = (of: (one: Leaver) => number) => shelters.map((one) => of(one) - of(leaver));
  let filled = countWithin(spare(memoryOf), before.memoryMib);
  if (leaver.diskMib > 0) filled += countWithin(spare(diskOf), before.diskMib);
  return filled < shelters.length;
}

const memoryOf = ({ memoryMib }: Leaver) => memoryMib;
const diskOf = ({ diskMib }: Leaver) => diskMib;

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
export const overflows = (leavers: readonly Leaver[], shelters: readonly Shelter[]): boolean =>
  [memoryOf, diskOf].some((of) => {
    const sizes = leavers.map(of).filter((size) => size > 0);
    sizes.sort((a, b) => b - a);
    return sizes.some((size, before) => !hasRoomFor(before + 1, size, shelters.map(of)));
  });

function hasRoomFor(count: number, size: number, rooms: readonly number[]): boolean {
  let fitting = 0;
  for (const room of rooms) {
    if (room > size) fitting += Math.ceil(room / size) - 1;
    if (fitting >= count) return true;
  }
  return false;
}
