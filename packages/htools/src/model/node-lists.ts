/** Lists of the instances of all nodes, built from the nodes of all instances at once. */
import { type IndexList, storedList } from "./index-list.js";

type Lists = (IndexList | undefined)[];

interface Placements {
  readonly primaryOf: readonly number[];
  readonly secondaryOf: readonly number[];
  /** By instance: 1 for forthcoming ones, which nodes do not list. */
  readonly forthcoming: Uint8Array;
}

/** The lists that counting all instances would give, newest first. Cost: O(nodes + instances), a few ns each. */
export function nodeLists(
  nodeCount: number,
  { primaryOf, secondaryOf, forthcoming }: Placements,
): { readonly primaries: Lists; readonly secondaries: Lists } {
  const count = primaryOf.length;
  const primary = new Int32Array(count);
  const secondary = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    const [first, second] = [primaryOf[index] as number, secondaryOf[index] as number];
    const isReal = forthcoming[index] === 0;
    // An instance with one node in both roles counts only as a secondary.
    primary[index] = isReal && first !== second ? first : -1;
    secondary[index] = isReal ? second : -1;
  }
  return { primaries: listsOf(nodeCount, primary), secondaries: listsOf(nodeCount, secondary) };
}

/** @param nodeOf by instance; -1 for none */
function listsOf(nodeCount: number, nodeOf: Int32Array): Lists {
  const ends = new Int32Array(nodeCount + 1);
  for (let index = 0; index < nodeOf.length; index++) {
    const node = nodeOf[index] as number;
    if (node >= 0) ends[node + 1] = (ends[node + 1] as number) + 1;
  }
  for (let node = 0; node < nodeCount; node++) {
    ends[node + 1] = (ends[node + 1] as number) + (ends[node] as number);
  }
  const begins = ends.slice();
  const entries = new Int32Array(ends[nodeCount] as number);
  for (let index = nodeOf.length - 1; index >= 0; index--) {
    const node = nodeOf[index] as number;
    if (node < 0) continue;
    const at = begins[node] as number;
    entries[at] = index;
    begins[node] = at + 1;
  }
  const lists: Lists = new Array(nodeCount);
  for (let node = 0; node < nodeCount; node++) {
    lists[node] = storedList(entries, ends[node] as number, ends[node + 1] as number);
  }
  return lists;
}
