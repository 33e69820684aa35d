import { MemoryDatabase } from "@ganeti-ts/job-queue";
import { createLockManager, memoryLockStore } from "@ganeti-ts/locking";
import { systemClock } from "@ganeti-ts/protocol";
import { describeJobStore } from "./conformance/job-store.js";

describeJobStore("jobs in memory", {
  shared: true,
  makeWorld: async () => {
    const database = new MemoryDatabase(systemClock, { leaseMs: 30_000 });
    const table = memoryLockStore();
    return {
      connect: async () => {
        const store = database.connect();
        return { store, locks: createLockManager({ store: table }), kill: () => store.close() };
      },
      close: async () => {},
    };
  },
});
