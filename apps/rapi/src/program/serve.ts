/** A whole server: what is behind the API, the API, its sockets, and how it all begins and ends. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { allocatorPrograms } from "@ganeti-ts/allocators/programs";
import { type Cluster, createCluster, NewClusterError } from "@ganeti-ts/cluster";
import { storedSerial } from "@ganeti-ts/config";
import { ganetiSite } from "@ganeti-ts/machines";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { briskDurations, type Durations } from "@ganeti-ts/simulated-nodes";
import {
  type Adopted,
  firstConfiguration,
  handBack,
  introducedClient,
  lostAtHandBack,
  writeAdopted,
} from "@ganeti-ts/takeover";
import { openConfd } from "../confd/confd.js";
import { createConsoleServer } from "../console/websocket.js";
import type { Log } from "../log.js";
import type { LogFigures } from "../log-destination.js";
import { createServer } from "../server.js";
import { inSlices } from "../slices.js";
import type { World } from "../world.js";
import { type Backend, openBackend } from "./backend.js";
import { type DataDirectory, dataPath, openDataDirectory } from "./data-directory.js";
import { checkNodesAreEmpty } from "./found-nodes.js";
import { adopt } from "./ganeti/adopt.js";
import { placeOf } from "./ganeti/adopted-options.js";
import { takeOver } from "./ganeti/take-over.js";
import { logGauge } from "./gauges.js";
import { careForKeys } from "./key-care.js";
import { keysOf } from "./keys.js";
import { type Listening, listenOnPort, listenOnSocket } from "./listen.js";
import { type LuxiListening, listenForLuxi } from "./luxi-listener.js";
import type { HandBackMode, NewCluster } from "./mode.js";
import { readNewClusterFile } from "./new-cluster-file.js";
import type { Options } from "./options.js";
import { makeRealCluster } from "./real/modes.js";
import { bringCopies, sendCommonFiles } from "./real/older-cluster.js";
import { newSimulatedCluster, simulation } from "./simulation.js";
import { StartError } from "./start-error.js";
import { closeUnused, openStores, type Stores } from "./stores.js";

export interface Served {
  /** `https://127.0.0.1:5080` */
  readonly url: string;
  readonly directory: DataDirectory;
  readonly world: World;
  readonly cluster: Cluster;
  /** The local protocol. */
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
  /** Lines of the log that could not be written, for the metrics; without it they have no such figure. */
  readonly logFigures?: () => LogFigures;
}

/** Time (ms) for pending requests to finish. */
const requestGraceMs = 12_000;

/** There is no cluster, and none was to be created. */
export class NoClusterError extends Error {
  override readonly name = "NoClusterError";
}

/**
 * Resolves when the server answers. Where it cannot, or is not wanted any more, all that was begun has been given up.
 * @throws NoClusterError, StartError, what the system says, or the reason of `unwanted`
 */
export async function serve(
  given: Options,
  log: Log,
  { durations = briskDurations, unwanted = neverAborted(), logFigures }: ServeChoices = {},
): Promise<Served> {
  unwanted.throwIfAborted();
  const own = openDataDirectory(dataPath(given.dataPath, process.env));
  const { mode } = given;
  const site = ganetiSite(given, process.env);
  if (mode.kind === "adopt") await adopt(given, mode, own, site, log);
  if (mode.kind === "take-over") await takeOver(given, own, site, log);
  const hasFirstCopies = await bringCopies(given, own, log);
  const { options: placed, directory, adopted } = placeOf(given, own);
  const options = withKnownNodes(placed, directory);
  if (options.nodes === "ganeti" && adopted === undefined)
    await unless(unwanted, copyConfiguration(options, directory, log));
  // A database that does not answer is given up at once: nothing is in hand yet.
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
    return await listen(options, { directory, backend, log, unwanted, sockets, adopted });
  } catch (error) {
    log.info({}, "stop requested before the server was ready");
    await Promise.all(sockets.map((socket) => socket.close(0)));
    await backend.stopJobs();
    await backend.closeStores();
    throw error;
  }
}

/** A cluster of real machines is never served with simulated ones. */
const withKnownNodes = (options: Options, { realNodes }: DataDirectory): Options =>
  existsSync(realNodes) ? { ...options, nodes: "ganeti" } : options;

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

/** If opening fails, the stores are closed. */
async function openOn<Opened>(stores: Stores, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    await closeUnused(stores);
    throw error;
  }
}

/** At the first start. @throws StartError */
async function copyConfiguration(
  options: Options,
  directory: DataDirectory,
  log: Log,
): Promise<void> {
  const stores = await openStores(options, directory);
  try {
    const site = ganetiSite(options, process.env);
    if (await firstConfiguration(stores, site))
      log.info({ from: site.data }, "configuration copied");
  } finally {
    await closeUnused(stores);
  }
}

/** Makes the cluster where that is wanted. @throws NoClusterError if there is none then */
async function findCluster(
  stores: Stores,
  options: Options,
  { directory, log }: { readonly directory: DataDirectory; readonly log: Log },
): Promise<void> {
  const { mode } = options;
  if (mode.kind === "init") {
    const isNew = await makeCluster(stores, options, mode.cluster, directory);
    if (isNew) log.info({ name: mode.cluster.name }, "cluster created");
  } else if ((await storedSerial(stores.config)) === 0) {
    throw new NoClusterError(`there is no cluster in ${directory.path}: --init=NAME makes one`);
  }
}

interface Parts {
  readonly directory: DataDirectory;
  readonly backend: Backend;
  readonly log: Log;
  readonly unwanted: AbortSignal;
  readonly adopted: Adopted | undefined;
  /** Those that are open; filled here. */
  readonly sockets: Pick<Listening, "close">[];
}

async function listen(
  options: Options,
  { directory, backend, log, unwanted, sockets, adopted }: Parts,
): Promise<Served> {
  const { world, cluster, users, confd } = backend;
  const app = createServer(world);
  const { cluster_name: name } = cluster.snapshot().cluster;
  const readKeys = () => keysOf(options, directory.certificate, name);
  const keys = options.ssl ? await readKeys() : undefined;
  unwanted.throwIfAborted();
  const local = await listenOnSocket(app, directory.socket);
  sockets.push(local);
  const luxi = await listenForLuxi(options, directory.path, {
    ...{ cluster, log, access: world.access },
  });
  sockets.push(luxi);
  const consoles = createConsoleServer(world);
  sockets.push(consoles);
  const { upgrade } = consoles;
  const open = await listenOnPort(app, options.address, options.port, keys, { upgrade });
  sockets.push(open);
  if (options.confd !== undefined) {
    sockets.push(confd);
    await confd.listen(options.confd, { cluster, log, metrics: world.metrics });
  }
  unwanted.throwIfAborted();
  const host = options.address.includes(":") ? `[${options.address}]` : options.address;
  const url = `${options.ssl ? "https" : "http"}://${host}:${open.port}`;
  const care = keys && careForKeys(keys, readKeys, open.use, { log });
  writeFileSync(directory.pid, `${process.pid}\n`);
  log.info({ url, socket: directory.socket, luxi: luxi.path, pid: process.pid }, "ready");
  // Large lists are rendered in advance, without any request waiting for it.
  const stopPreparing = inSlices(world.texts.preparing());
  return {
    url,
    directory,
    world,
    cluster,
    luxi,
    lost: cluster.lost,
    async reload() {
      users.reload();
      await care?.reload();
      await confd
        .reloadKey()
        .catch((error) => log.error({ error }, "confd key could not be reloaded"));
    },
    async stop() {
      log.info({}, "stopping");
      world.events.close();
      stopPreparing();
      care?.stop();
      const quiet = Promise.all(sockets.map((socket) => socket.close(requestGraceMs)));
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
}

/** Gives an adopted cluster back to Ganeti's daemons, or only reports what would be lost. @throws StartError */
export async function giveBack(
  given: Options,
  { check, drop, stayDrained }: HandBackMode,
  log: Log,
): Promise<readonly string[]> {
  const own = openDataDirectory(dataPath(given.dataPath, process.env));
  const { options, directory, adopted } = placeOf(given, own);
  if (adopted === undefined) throw new StartError(`${own.path} holds no adopted cluster`);
  const stores = await openStores(options, directory);
  const backend = await openOn(stores, () =>
    openBackend(options, {
      ...{ directory, stores, log, adopted },
      durations: briskDurations,
      runsJobs: false,
    }),
  );
  const { cluster } = backend;
  const close = async () => {
    await backend.stopJobs();
    await backend.closeStores();
  };
  try {
    const lost = lostAtHandBack(cluster.snapshot(), cluster.queue.settings.sizeMax);
    if (check) return lost;
    if (!stayDrained) await cluster.queue.change({ drained: false });
    const nodes = await introducedClient(adopted.site, cluster.snapshot().nodes());
    await handBack({ cluster, close, directory, nodes, drop, log });
    return lost;
  } finally {
    await close();
  }
}

/** Makes the cluster that the options name, without serving it. @throws NewClusterError if there is one */
export async function makeOnly(options: Options, wanted: NewCluster, log: Log): Promise<void> {
  const { name } = wanted;
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  const stores = await openStores(options, directory);
  try {
    if (options.nodes === "ganeti") {
      await makeRealCluster(stores, options, wanted, directory);
      log.info({ name }, "cluster created");
      return;
    }
    if (!(await makeCluster(stores, options, wanted, directory))) {
      throw new NewClusterError("Cluster is already initialised");
    }
    await openConfd(options.confdKeyFile ?? directory.confdKey);
    log.info({ name }, "cluster created");
  } finally {
    await closeUnused(stores);
  }
}

/** Says whether it did: where there is a cluster, nothing is made. @throws NewClusterError, StartError */
async function makeCluster(
  stores: Stores,
  { allocatorPath: searchPath }: Options,
  { name, settingsFile, nodeCount, groupCount, overNodes }: NewCluster,
  { path }: DataDirectory,
): Promise<boolean> {
  if ((await storedSerial(stores.config)) > 0) return false;
  if (!overNodes) await checkNodesAreEmpty(stores.nodeStates, path);
  const settings = readNewClusterFile(settingsFile);
  return createCluster(newSimulatedCluster({ name, nodeCount, groupCount, settings }), {
    store: stores.config,
    clock: systemClock,
    random: secureRandom,
    allocatorPrograms: allocatorPrograms({ searchPath }),
    // These machines are never used: equal ones are made when the cluster is first served.
    ...simulation(),
  });
}
