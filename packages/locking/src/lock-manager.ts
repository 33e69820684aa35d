/** Lock manager for opcodes, as promises: requests, timeouts and releases. */
import { systemClock, type Timers } from "@ganeti-ts/protocol";
import type { LockName } from "./lock-name.js";
import type { LockOrder } from "./lock-order.js";
import type { LockOwner } from "./lock-owner.js";
import type { LockMode, LockRequest } from "./lock-request.js";
import { type LockStore, memoryLockStore } from "./lock-store.js";
import { type LockRow, lockRows } from "./monitor.js";
import { type AcquireOptions, PendingCalls } from "./pending-calls.js";

/** Locks for opcodes as promises: acquire with timeouts and signals, release, downgrade, monitor. */
export interface LockManager {
  /**
   * Resolves `true` once everything requested is held, `false` after the timeout; then, and on abort, locks
   * taken by this call are released, and earlier ones are still held. @throws LockError on requests that
   * contradict the order, themselves or a pending request
   */
  acquire(
    owner: LockOwner,
    requests: readonly LockRequest[],
    options?: AcquireOptions,
  ): Promise<boolean>;
  release(owner: LockOwner, locks: readonly LockName[]): Promise<void>;
  /** Also withdraws the owner's waiting request, as `releaseAll` does. */
  releaseLevel(owner: LockOwner, level: string): Promise<void>;
  releaseAll(owner: LockOwner): Promise<void>;
  /** Releases all locks and withdraws all requests of the owners of a dead worker; returns those owners. */
  releaseLease(lease: string): Promise<readonly LockOwner[]>;
  downgrade(owner: LockOwner, locks: readonly LockName[]): Promise<void>;
  holdsOf(owner: LockOwner): Promise<ReadonlyMap<LockName, LockMode>>;
  /** Every lock held or requested, sorted naturally. */
  monitor(): Promise<readonly LockRow[]>;
  /** Closes the store; waiting calls are withdrawn and reject. */
  close(): Promise<void>;
}

/**
 * A manager of a table in memory, unless another store is given. `order` is for that table, and Ganeti's if absent:
 * `lockOrder(["site", "machine"])`; another store is opened with an order of its own.
 */
export function createLockManager({
  order,
  store = memoryLockStore(order),
  clock = systemClock,
}: {
  readonly order?: LockOrder;
  readonly store?: LockStore;
  readonly clock?: Timers;
} = {}): LockManager {
  const calls = new PendingCalls(store, clock);

  return {
    acquire: (owner, requests, options = {}) => calls.acquire(owner, requests, options),

    async release(owner, locks) {
      const waiting = await store.change((table) => {
        table.release(owner, locks);
        return table.isWaiting(owner);
      });
      if (!waiting) calls.withdrawn(owner);
    },
    async releaseLevel(owner, level) {
      await store.change((table) => table.releaseLevel(owner, level));
      calls.withdrawn(owner);
    },
    async releaseAll(owner) {
      await store.change((table) => table.releaseAll(owner));
      calls.withdrawn(owner);
    },
    async releaseLease(lease) {
      const owners = await store.change((table) => table.releaseLease(lease));
      for (const owner of owners) calls.withdrawn(owner);
      return owners;
    },
    async downgrade(owner, locks) {
      const waiting = await store.change((table) => {
        table.downgrade(owner, locks);
        return table.isWaiting(owner);
      });
      if (!waiting) calls.withdrawn(owner);
    },
    holdsOf: async (owner) => store.change((table) => table.holdsOf(owner)),
    monitor: async () => lockRows(await store.change((table) => table.rows())),
    close: () => calls.close(),
  };
}
