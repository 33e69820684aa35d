import { MemoryDatabase, systemClock } from "@ganeti-ts/job-queue";
import { describeJobStore } from "./conformance/job-store.js";
import { memoryLocks } from "./memory-locks.js";

describeJobStore("jobs in memory", {
  shared: true,
  makeWorld: async () => {
    const database = new MemoryDatabase(systemClock, { leaseMs: 300 });
    return {
      connect: async () => {
        const store = database.connect();
        return { store, locks: memoryLocks(), kill: () => store.close() };
      },
      close: async () => {},
    };
  },
});
