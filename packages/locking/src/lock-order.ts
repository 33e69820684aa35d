/** The order in which locks are taken: that of Ganeti, or of levels that a program names itself. */
import { compareCodePoints } from "@ganeti-ts/protocol";
import { LockError } from "./lock-error.js";
import { compareLocks, isGroupLock, type LockName, levelOf } from "./lock-name.js";

/** Levels from first to last, as a lock table needs them. */
export interface LockOrder {
  /** @throws LockError `wrong_input` where the lock belongs to no level */
  levelOf(lock: LockName): string;
  /** Negative if `a` is taken before `b`: by level, the group lock first, then by code point. @throws LockError */
  compare(a: LockName, b: LockName): number;
}

/** The levels of Ganeti: `lockLevels`. */
export const ganetiLockOrder: LockOrder = { levelOf, compare: compareLocks };

/**
 * An order of other levels, first to last: with `["site", "machine"]` there are the locks `site/a` and `machine/b`,
 * and an owner of a machine lock cannot request a site. Give all users of one lock table the same order.
 *
 * @throws LockError `wrong_input` for no level, one that is named twice, or a name that is empty or contains `/`
 */
export function lockOrder(levels: readonly string[]): LockOrder {
  const places = new Map(levels.map((level, place) => [level, place]));
  if (levels.length === 0) throw new LockError("wrong_input", "An order needs at least one level");
  if (places.size < levels.length) throw new LockError("wrong_input", "A level is named twice");
  const wrong = levels.find((level) => level === "" || level.includes("/"));
  if (wrong !== undefined) throw new LockError("wrong_input", `Invalid lock level '${wrong}'`);

  const ofLevel = (lock: LockName): string => {
    const level = lock.slice(0, lock.indexOf("/"));
    if (!places.has(level)) throw new LockError("wrong_input", `Unknown lock name '${lock}'`);
    return level;
  };
  return {
    levelOf: ofLevel,
    compare(a, b) {
      if (a === b) return 0;
      const byLevel = Number(places.get(ofLevel(a))) - Number(places.get(ofLevel(b)));
      const byGroup = Number(isGroupLock(b)) - Number(isGroupLock(a));
      return byLevel || byGroup || compareCodePoints(a, b);
    },
  };
}
