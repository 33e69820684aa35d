/**
 * Locks of objects, by UUID or, for instances, by name; and the rules by which locks cover others.
 */
import type { LockMode, LockName, LockRequest } from "@ganeti-ts/locking";
import { bigLock, compareLocks, groupLockOf, isGroupLock, lockName } from "@ganeti-ts/locking";

export const asShared = (...locks: readonly LockName[]): LockRequest[] =>
  locks.map((lock) => ({ lock, mode: "shared" }));

export const asExclusive = (...locks: readonly LockName[]): LockRequest[] =>
  locks.map((lock) => ({ lock, mode: "exclusive" }));

/** Lock of an instance by its name, or by the UUID of a reservation without a name. */
export const instanceLock = (instance: {
  readonly name?: string | undefined;
  readonly uuid: string;
}) => lockName("instance", instance.name ?? instance.uuid);

export const nodeLock = (uuid: string): LockName => lockName("node", uuid);
export const nodeResourceLock = (uuid: string): LockName => lockName("node-res", uuid);
export const groupLock = (uuid: string): LockName => lockName("nodegroup", uuid);
export const networkLock = (uuid: string): LockName => lockName("network", uuid);

/** Locks of nodes and of their resources, in one mode. */
export const withNodes = (uuids: Iterable<string>, mode: LockMode): LockRequest[] =>
  [...uuids].flatMap((uuid) => [
    { lock: nodeLock(uuid), mode },
    { lock: nodeResourceLock(uuid), mode },
  ]);

/**
 * The requests in lock order, each lock once (exclusive wins), with the big lock shared unless
 * requested otherwise.
 */
export function mergedRequests(requests: readonly LockRequest[]): readonly LockRequest[] {
  const known = merged.get(requests);
  if (known !== undefined) return known;
  const made = inLockOrder(requests);
  merged.set(requests, made);
  return made;
}

/** By the list that a unit gives, which may be the same for several calls. */
const merged = new WeakMap<readonly LockRequest[], readonly LockRequest[]>();

function inLockOrder(requests: readonly LockRequest[]): readonly LockRequest[] {
  const modes = new Map<LockName, LockRequest["mode"]>([[bigLock, "shared"]]);
  for (const { lock, mode } of requests) {
    if (modes.get(lock) !== "exclusive") modes.set(lock, mode);
  }
  const isCoveredByGroup = ([lock, mode]: readonly [LockName, LockRequest["mode"]]) => {
    const group = groupLockOf(lock);
    return group !== undefined && covers(modes.get(group), mode);
  };
  const all = [...modes];
  // Most jobs ask for no group lock; a verification asks for thousands of others.
  const hasGroups = all.some(([lock]) => isGroupLock(lock));
  return (hasGroups ? all.filter((one) => !isCoveredByGroup(one)) : all)
    .map(([lock, mode]) => ({ lock, mode }))
    .sort((a, b) => compareLocks(a.lock, b.lock));
}

/** Whether the held locks cover the needed ones. */
export function holdsEnough(held: readonly LockRequest[], needed: readonly LockRequest[]): boolean {
  if (held === needed) return true;
  const modes = new Map(held.map(({ lock, mode }) => [lock, mode]));
  return needed.every(({ lock, mode }) => {
    if (covers(modes.get(lock), mode)) return true;
    const group = groupLockOf(lock);
    return group !== undefined && covers(modes.get(group), mode);
  });
}

const covers = (held: LockRequest["mode"] | undefined, wanted: LockRequest["mode"]) =>
  held === wanted || held === "exclusive";
