/** Rules for requests, depending on the locks that the owner holds. */
import { LockError } from "./lock-error.js";
import { groupLockOf, type LockName } from "./lock-name.js";
import type { LockOrder } from "./lock-order.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import type { Wish } from "./waits.js";

/** Removes duplicates. @throws LockError if a lock is named in two modes, or has no level */
export function withoutRepeats(
  requests: readonly LockRequest[],
  order: LockOrder,
): readonly LockRequest[] {
  const modes = new Map<LockName, LockRequest["mode"]>();
  for (const { lock, mode } of requests) {
    const other = modes.get(lock);
    if (other !== undefined && other !== mode) {
      throw new LockError("wrong_input", `Inconsistent requests for lock ${lock}`);
    }
    modes.set(lock, mode);
  }
  for (const lock of modes.keys()) order.levelOf(lock);
  if (modes.size === requests.length) return requests;
  return [...modes].map(([lock, mode]) => ({ lock, mode }));
}

/** Whether the request would change nothing. */
export function isSatisfied(
  held: ReadonlyMap<LockName, LockMode>,
  requests: readonly LockRequest[],
): boolean {
  return requests.every(
    ({ lock, mode }) => held.get(lock) === (mode === "release" ? undefined : mode),
  );
}

/** Whether the lock, or the group lock above it, is held in that mode or a stronger one. */
export function covers(held: ReadonlyMap<LockName, LockMode>, { lock, mode }: Wish): boolean {
  const group = groupLockOf(lock);
  return enough(held.get(lock), mode) || (group !== undefined && enough(held.get(group), mode));
}

/** Whether holding a lock in one mode satisfies a request for another mode. */
export function enough(held: LockMode | undefined, wanted: LockMode): boolean {
  return held === "exclusive" || (held === "shared" && wanted === "shared");
}

/**
 * Locks are acquired in order: nothing below the highest one held, unless held locks cover it; no exclusive
 * lock under a group lock held shared; and no waiting without limit for an upgrade, because two of them would
 * wait for each other. Without limit (`definite`) locks are acquired one after the other, so earlier locks of the
 * request count as held. @throws LockError `wrong_state`
 */
export function refuseDisorder(
  held: ReadonlyMap<LockName, LockMode>,
  requests: readonly LockRequest[],
  order: LockOrder,
  definite = false,
): void {
  const refuse = (lock: LockName, holding: string, how = "requesting") => {
    throw new LockError("wrong_state", `Order violation: ${how} ${lock} while holding ${holding}`);
  };
  const highest = [...held.keys()].reduce<LockName | undefined>(
    (a, b) => (a === undefined || order.compare(a, b) < 0 ? b : a),
    undefined,
  );
  const shared = new Set<LockName>(
    definite ? requests.flatMap(({ lock, mode }) => (mode === "shared" ? [lock] : [])) : [],
  );
  for (const { lock, mode } of requests) {
    if (mode === "release") continue;
    const group = groupLockOf(lock);
    if (mode === "exclusive" && group !== undefined) {
      if (held.get(group) === "shared" || shared.has(group)) {
        const holding = `a shared lock on the group lock ${group} it belongs to.`;
        refuse(lock, holding, "requesting exclusively");
      }
    }
    if (highest === undefined || covers(held, { lock, mode })) continue;
    if (definite && held.has(lock)) refuse(lock, lock);
    if (order.compare(lock, highest) < 0) refuse(lock, highest);
  }
}
