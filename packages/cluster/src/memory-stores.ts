/** Stores that live as long as the process: for tests and trials. */
import { createMemoryStores } from "@ganeti-ts/config";
import { MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager, memoryLockStore } from "@ganeti-ts/locking";
import type { Clock } from "@ganeti-ts/protocol";
import type { ClusterStores } from "./ports.js";

/** Options of `memoryStores`. */
interface MemoryStoresOptions {
  readonly clock: Clock;
  /** Time after which a silent worker counts as dead; by default it never does. */
  readonly leaseMs?: number;
}

/** Stores of one cluster for this many workers, which share everything as in a database. */
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
