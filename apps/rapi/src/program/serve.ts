/** serve: starts and stops a whole server: back end, API and sockets. */

import { rmSync } from "node:fs";
import type { Cluster } from "@ganeti-ts/cluster";
import { briskDurations, type Durations } from "@ganeti-ts/simulated-nodes";
import { writeAdopted } from "@ganeti-ts/takeover";
import type { Log } from "../log.js";
import type { LogFigures } from "../log-destination.js";
import type { World } from "../world.js";
import { openBackend } from "./backend.js";
import { findCluster } from "./create-cluster.js";
import type { DataDirectory } from "./data-directory.js";
import { logGauge } from "./gauges.js";
import type { Listening } from "./listen.js";
import type { LuxiListening } from "./luxi-listener.js";
import type { Options } from "./options.js";
import { sendCommonFiles } from "./real/older-cluster.js";
import { servingPlace } from "./serving-place.js";
import { openSockets } from "./sockets.js";
import { openOn, openStores } from "./stores.js";

export interface Served {
  /** `https://127.0.0.1:5080` */
  readonly url: string;
  readonly directory: DataDirectory;
  readonly world: World;
  readonly cluster: Cluster;
  /** Listener of the local protocol. */
  readonly luxi: LuxiListening;
  /** Resolves if other servers have declared this one dead: it must stop acting at once. */
  readonly lost: Promise<Error>;
  /** Reads the users file again, and the files of key and certificate. */
  reload(): Promise<void>;
  /** Answers pending requests, lets jobs finish for a minute, and releases everything. */
  stop(): Promise<void>;
}

/** Settings for special cases. */
export interface ServeChoices {
  /** Durations of operations on simulated nodes. */
  readonly durations?: Durations;
  /** Aborts a start that is no longer wanted. */
  readonly unwanted?: AbortSignal;
  /** Figures of the log for the metrics; without it the metrics have none. */
  readonly logFigures?: () => LogFigures;
}

/** Maximum time (ms) for pending requests to finish. */
const requestGraceMs = 12_000;

/**
 * Resolves when the server answers. If the start fails or is aborted, everything begun is released.
 * @throws StartError, errors of the system, or the reason of `unwanted`
 */
export async function serve(
  given: Options,
  log: Log,
  { durations = briskDurations, unwanted = neverAborted(), logFigures }: ServeChoices = {},
): Promise<Served> {
  unwanted.throwIfAborted();
  const { options, directory, adopted, hasFirstCopies } = await servingPlace(given, log, (work) =>
    unless(unwanted, work),
  );
  // An abort while the database does not answer takes effect at once, because nothing has been opened yet.
  const stores = await unless(unwanted, openStores(options, directory));
  const backend = await openOn(stores, async () => {
    await findCluster(stores, options, { directory, log });
    unwanted.throwIfAborted();
    const parts = { directory, stores, log, durations, adopted };
    const backend = await openBackend(options, parts);
    void backend.cluster.lost.then(() => stores.remember());
    // Until a clean stop, the master candidates may lack files of the queue.
    if (adopted) writeAdopted(directory.adopted, { ...adopted, queueIsComplete: false });
    if (hasFirstCopies) await sendCommonFiles(backend.cluster);
    if (logFigures !== undefined) backend.world.metrics.gauge(logGauge(logFigures));
    return backend;
  });
  const sockets: Pick<Listening, "close">[] = [];
  try {
    const parts = { directory, backend, log, unwanted, sockets };
    const opened = await openSockets(options, parts);
    const { world, cluster } = backend;
    return {
      ...{ url: opened.url, luxi: opened.luxi, directory, world, cluster, lost: cluster.lost },
      reload: () => opened.reload(),
      async stop() {
        log.info({}, "stopping");
        world.events.close();
        const quiet = opened.close(requestGraceMs);
        await backend.stopJobs();
        await quiet;
        await backend.closeStores();
        if (adopted !== undefined) {
          const queueIsComplete = cluster.copies?.isComplete ?? false;
          writeAdopted(directory.adopted, { ...adopted, queueIsComplete });
        }
        rmSync(directory.pid, { force: true });
        log.info({}, "stopped");
      },
    };
  } catch (error) {
    log.info({}, "stop requested before the server was ready");
    await Promise.all(sockets.map((socket) => socket.close(0)));
    await backend.stopJobs();
    await backend.closeStores();
    throw error;
  }
}

const neverAborted = (): AbortSignal => new AbortController().signal;

/** @throws the reason of `unwanted` as soon as there is one */
async function unless<Value>(unwanted: AbortSignal, work: Promise<Value>): Promise<Value> {
  let stopListening = () => {};
  const isUnwanted = new Promise<never>((_, reject) => {
    const tell = () => reject(unwanted.reason);
    unwanted.addEventListener("abort", tell);
    stopListening = () => unwanted.removeEventListener("abort", tell);
  });
  return Promise.race([work, isUnwanted]).finally(stopListening);
}
