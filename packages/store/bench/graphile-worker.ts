// One worker process of graphile-worker; batching as its documentation has it for speed.
import type { PeerSettings } from "./peers.js";
import { peerModule } from "./peers.js";
import { reportTo } from "./processes.js";

interface Graphile {
  Logger: new (factory: () => () => void) => object;
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

const { settings, ran, ready } = reportTo<PeerSettings>();
const { Logger, run } = peerModule<Graphile>(settings.folder, "graphile-worker");
const runner = await run({
  connectionString: settings.url,
  taskList: { noop: ran },
  concurrency: settings.slots,
  noHandleSignals: true,
  preset: {
    worker: {
      concurrentJobs: settings.slots,
      localQueue: { size: Math.max(settings.slots * 2, 100) },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  logger: new Logger(() => () => {}),
});
ready(() => runner.stop());
