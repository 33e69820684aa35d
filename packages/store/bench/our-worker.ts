// One worker process of our queue on PostgreSQL.

import { JobQueue } from "@ganeti-ts/job-queue";
import { createLockManager } from "@ganeti-ts/locking";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { openPostgresStore } from "@ganeti-ts/store/postgres";
import type { PeerSettings } from "./peers.js";
import { reportTo } from "./processes.js";

const { settings, ran, ready } = reportTo<PeerSettings>();
const store = await openPostgresStore({ connection: settings.connection });
const queue = await JobQueue.open({
  store,
  capacity: settings.slots,
  locks: createLockManager({ store: store.locks }),
  clock: systemClock,
  random: systemRandom,
  executor: {
    run: () => {
      ran();
      return null;
    },
  },
});
ready(() => queue.stop());
