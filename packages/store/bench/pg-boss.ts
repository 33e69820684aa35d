// One worker process of pg-boss. It looks for jobs twice a second at most: what it does between is its batch.
import type { PeerSettings } from "./peers.js";
import { peerModule } from "./peers.js";
import { reportTo } from "./processes.js";

interface Boss {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  work(
    queue: string,
    options: object,
    handler: (jobs: readonly unknown[]) => Promise<void>,
  ): Promise<string>;
  stop(options: object): Promise<void>;
}

const { settings, ran, ready } = reportTo<PeerSettings>();
const PgBoss = peerModule<new (options: object) => Boss>(settings.folder, "pg-boss");
const boss = new PgBoss({ ...settings.connection, supervise: false, schedule: false });
boss.on("error", (error) => {
  throw error;
});
await boss.start();
const options = { batchSize: settings.batchSize, pollingIntervalSeconds: 0.5 };
await boss.work("noop", options, async (jobs) => jobs.forEach(ran));
ready(() => boss.stop({ graceful: true, wait: true }));
