// One worker process of pg-boss. It looks for jobs twice a second at most: what it does between is its batch.
import { newBoss, type PeerSettings } from "./peers.js";
import { reportTo } from "./processes.js";

const { settings, ran, ready } = reportTo<PeerSettings>();
const boss = newBoss(settings);
boss.on("error", (error) => {
  throw error;
});
await boss.start();
const options = { batchSize: settings.batchSize, pollingIntervalSeconds: 0.5 };
await boss.work("noop", options, async (jobs) => jobs.forEach(ran));
ready(() => boss.stop({ graceful: true, wait: true }));
