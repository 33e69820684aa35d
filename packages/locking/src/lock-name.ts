/** Lock names, their levels and their order. */
import { compareCodePoints } from "@ganeti-ts/protocol";
import { LockError } from "./lock-error.js";

/**
 * Levels from first to last. `node-alloc` exists for code that uses allocation locks as in older versions;
 * `config` is internal, and its only lock is `cluster/config`.
 */
export const lockLevels = [
  "cluster",
  "instance",
  "node-alloc",
  "nodegroup",
  "node",
  "node-res",
  "network",
  "config",
] as const;
/** One of Ganeti's levels, `lockLevels`. */
type LockLevel = (typeof lockLevels)[number];

/**
 * `<level>/<name>`, with the name `[lockset]` for the group lock, which stands for every lock of its level.
 */
export type LockName = `${string}/${string}`;

/** Ganeti's lock of the whole cluster, `cluster/BGL`. */
export const bigLock = "cluster/BGL" satisfies LockName;
/** Ganeti's lock of the configuration, of the internal level `config`. */
const configLock = "cluster/config" satisfies LockName;

/** The lock of one object: `lockName("node", uuid)`. */
export function lockName(level: Exclude<LockLevel, "config">, name: string): LockName {
  return `${level}/${name}`;
}

/** The lock that stands for every present and future lock of the level. */
export function groupLockName(level: Exclude<LockLevel, "config">): LockName {
  return `${level}/[lockset]`;
}

/** The group lock of a lock's level; `undefined` for group locks and the configuration lock. */
export function groupLockOf(lock: LockName): LockName | undefined {
  if (lock === configLock || isGroupLock(lock)) return undefined;
  // A new text would have to be hashed for each look into a map.
  for (const { prefix, group } of knownGroups) if (lock.startsWith(prefix)) return group;
  return `${lock.slice(0, lock.indexOf("/"))}/[lockset]`;
}

const knownGroups = lockLevels
  .filter((level) => level !== "config")
  .map((level) => ({ prefix: `${level}/`, group: groupLockName(level) }));

/** Whether the lock is a group lock. */
export function isGroupLock(lock: LockName): boolean {
  return lock.endsWith("/[lockset]") && lock.indexOf("/") === lock.length - "/[lockset]".length;
}

/** @throws LockError `wrong_input`, "Unknown lock name", if there is no such level */
export function levelOf(lock: LockName): LockLevel {
  if (lock === configLock) return "config";
  const level = levelsByName.get(lock.slice(0, lock.indexOf("/")));
  if (level === undefined) throw new LockError("wrong_input", `Unknown lock name '${lock}'`);
  return level;
}

const levelsByName: ReadonlyMap<string, LockLevel> = new Map(
  lockLevels.filter((level) => level !== "config").map((level) => [level, level]),
);

/** Negative if `a` is taken before `b`: by level, the group lock first, then by code point. */
export function compareLocks(a: LockName, b: LockName): number {
  if (a === b) return 0;
  if (!haveSameLevel(a, b)) {
    const levels = lockLevels.indexOf(levelOf(a)) - lockLevels.indexOf(levelOf(b));
    if (levels !== 0) return levels;
  }
  const groups = Number(isGroupLock(b)) - Number(isGroupLock(a));
  return groups !== 0 ? groups : compareCodePoints(a, b);
}

const slash = 0x2f;
const clusterPrefix = "cluster/";

/** Whether the texts before the slash are equal, without making them: thousands of locks are sorted for one job. */
function haveSameLevel(a: LockName, b: LockName): boolean {
  for (let at = 0; at < a.length && a.charCodeAt(at) === b.charCodeAt(at); at++) {
    // The lock of the configuration has a level of its own.
    if (a.charCodeAt(at) === slash) return !a.startsWith(clusterPrefix);
  }
  return false;
}
