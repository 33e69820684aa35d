// One worker process of graphile-worker; batching as its documentation has it for speed.
import type { PeerSettings } from "./peers.js";
import { peerModule } from "./peers.js";
import { reportTo } from "./processes.js";

interface Graphile {
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

const { settings, ran, ready } = reportTo<PeerSettings>();
const { run } = peerModule<Graphile>(settings.folder, "graphile-worker");
const silent = { error() {}, warn() {}, info() {}, debug() {} };
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
  logger: { scope: () => silent, ...silent },
});
ready(() => runner.stop());
