/** Where jobs, locks and the configuration are kept. */
import type { ConfigStore } from "@ganeti-ts/config";
import type { JobStore } from "@ganeti-ts/job-queue";
import { createLockManager, type LockManager } from "@ganeti-ts/locking";
import { openSqliteConfigStore, openSqliteStore } from "@ganeti-ts/store/sqlite";
import type { DataDirectory } from "./data-directory.js";

export interface Stores {
  readonly jobs: JobStore;
  readonly config: ConfigStore;
  readonly locks: LockManager;
}

/** Without a connection string: one file of the data directory, for this process alone. */
export async function openStores(
  connection: string | undefined,
  directory: DataDirectory,
): Promise<Stores> {
  if (connection === undefined) {
    return {
      jobs: openSqliteStore(directory.database),
      config: openSqliteConfigStore(directory.database),
      locks: createLockManager(),
    };
  }
  // Only here: whoever has no database needs no driver.
  const { openPostgresConfigStore, openPostgresStore } = await import("@ganeti-ts/store/postgres");
  const jobs = await openPostgresStore({ connection });
  return {
    jobs,
    config: await openPostgresConfigStore({ connection }),
    locks: createLockManager({ store: jobs.locks }),
  };
}
