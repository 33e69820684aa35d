/** Stores that live as long as the process: for tests, and for clusters to try something out. */
import { createMemoryStores } from "@ganeti-ts/config";
import { MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager, memoryLockStore } from "@ganeti-ts/locking";
import type { Clock } from "@ganeti-ts/protocol";
import type { ClusterStores } from "./ports.js";

export interface MemoryStoresOptions {
  readonly clock: Clock;
  /** How long a worker that is not heard of counts as alive; without it for ever. */
  readonly leaseMs?: number;
}

/** Stores of one cluster for so many workers, which share everything as in a database. */
export function memoryStoresOf(
  count: number,
  { clock, leaseMs }: MemoryStoresOptions,
): readonly ClusterStores[] {
  const jobs = new MemoryDatabase(clock, leaseMs === undefined ? {} : { leaseMs });
  const store = memoryLockStore();
  return createMemoryStores(count).map((config) => ({
    jobs: jobs.connect(),
    config,
    locks: createLockManager({ store }),
  }));
}

/** Stores of a cluster with one worker. */
export const memoryStores = (options: MemoryStoresOptions): ClusterStores =>
  memoryStoresOf(1, options)[0] as ClusterStores;
