/** Changes of mirrors, which calls on either node make in place; counted, so that a save finds the changed ones. */
import type { DrbdSide } from "./node-state.js";

const counts = new WeakMap<object, number>();

/** Changes the side in place; values that it already has are no change. */
export function changeMirror(side: DrbdSide, change: Partial<DrbdSide>): void {
  const keys = Object.keys(change) as (keyof DrbdSide)[];
  if (keys.every((key) => side[key] === change[key])) return;
  Object.assign(side, change);
  counts.set(side, changeCountOf(side) + 1);
}

/** Number of changes of a side made in place; 0 for entries that are replaced. */
export const changeCountOf = (entry: object): number => counts.get(entry) ?? 0;
