/** Locks of operations on an instance's disks: the instance and its nodes. */
import { nodesOfInstance, type Snapshot } from "@ganeti-ts/config";
import type { LockRequest } from "@ganeti-ts/locking";
import { asExclusive, instanceLock, nodeLock, nodeResourceLock } from "../../unit/locks.js";
import { namedRealInstance } from "../state.js";

type Named = Parameters<typeof namedRealInstance>[1];

/** @throws PrereqError, ConfigError */
export function diskLocks(op: Named, now: Snapshot): readonly LockRequest[] {
  const instance = namedRealInstance(now, op);
  return asExclusive(instanceLock(instance), ...nodesOfInstance(now, instance).map(nodeLock));
}

/**
 * Like `diskLocks`, for operations that allocate or release space. @throws PrereqError, ConfigError
 */
export function storageLocks(op: Named, now: Snapshot): readonly LockRequest[] {
  const nodes = nodesOfInstance(now, namedRealInstance(now, op));
  return [...diskLocks(op, now), ...asExclusive(...nodes.map(nodeResourceLock))];
}
