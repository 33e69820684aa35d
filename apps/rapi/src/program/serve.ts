/** A whole server: store, configuration, nodes, queue, API and sockets, and how it all ends. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { Configuration, secureRandom } from "@ganeti-ts/config";
import { JobQueue, leaseText, systemClock, systemRandom } from "@ganeti-ts/job-queue";
import { Allocators, type NodeBackend } from "@ganeti-ts/logical-units";
import { allocatorPrograms } from "@ganeti-ts/logical-units/machine";
import { briskDurations, type Durations } from "@ganeti-ts/logical-units/simulated";
import { type UsersFile, usersFile } from "../auth/users-file.js";
import { type ClusterObjects, clusterObjects } from "../cluster-objects.js";
import { Events } from "../events.js";
import { JobTexts } from "../job-texts.js";
import type { Log } from "../log.js";
import { createMetrics } from "../metrics.js";
import { Placement } from "../placement.js";
import { createPlanner } from "../planner.js";
import { queueReader } from "../queue-reader.js";
import { createServer } from "../server.js";
import type { World } from "../world.js";
import { type DataDirectory, dataPath, openDataDirectory } from "./data-directory.js";
import { executorOf } from "./executor.js";
import { feedChanges, feedJobs } from "./feeds.js";
import { gauges } from "./gauges.js";
import { careForKeys } from "./key-care.js";
import { keysOf } from "./keys.js";
import { listenOnPort, listenOnSocket } from "./listen.js";
import { ensureCluster } from "./new-cluster.js";
import { NewClusterError, readNewClusterFile } from "./new-cluster-file.js";
import { simulatedNodes } from "./nodes.js";
import type { Options } from "./options.js";
import { keepRecovering, takersOf } from "./recovery.js";
import { forAtMost, inSlices } from "./slices.js";
import { openStores } from "./stores.js";

export interface Served {
  /** `https://127.0.0.1:5080` */
  readonly url: string;
  readonly directory: DataDirectory;
  readonly world: World;
  readonly config: Configuration;
  /** Resolves if others have declared this server dead: it may do nothing any more, not even stop in peace. */
  readonly lost: Promise<Error>;
  /** Reads the users file again, and the files of key and certificate. */
  reload(): Promise<void>;
  /** Answers what was asked, lets jobs finish for a minute, and gives up everything. */
  stop(): Promise<void>;
}

/** How long, in ms, requests and jobs that are under way get to finish. */
const requestGraceMs = 12_000;
const jobGraceMs = 60_000;

/**
 * So long, in ms, the lists of large clusters may keep the server from being ready: whoever asks for the first
 * one would wait for it as long, and everybody else with him. What is left is made when there is nothing else to do.
 */
const prepareMs = 2000;

/** There is no cluster, and nobody said that one should be made. */
export class NoClusterError extends Error {
  override readonly name = "NoClusterError";
}

/**
 * Resolves when the server answers. @throws NoClusterError, or what the system says
 * @param durations how long things take on the simulated nodes
 */
export async function serve(
  options: Options,
  log: Log,
  durations: Durations = briskDurations,
): Promise<Served> {
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  const stores = await openStores(options, directory);
  if (options.init !== undefined) {
    const isNew = await ensureCluster(stores.config, systemClock, wanted(options, options.init));
    if (isNew) log.info({ name: options.init }, "cluster made");
  } else if ((await stores.config.load()).serial === 0) {
    throw new NoClusterError(`there is no cluster in ${directory.path}: --init=NAME makes one`);
  }
  const config = await Configuration.open(stores.config, {
    clock: systemClock,
    random: secureRandom,
  });
  const lease = leaseText(stores.jobs.claim);
  const { nodes, refusing } = await simulatedNodes(config, {
    ...{ clock: systemClock, states: stores.nodeStates, durations, lease },
  });
  const allocators = new Allocators({
    nodes,
    runner: allocatorPrograms({ searchPath: options.allocatorPath }),
  });
  let lose: (error: Error) => void = () => {};
  const lost = new Promise<Error>((resolve) => {
    lose = resolve;
  });
  const queue: JobQueue = await JobQueue.open({
    store: stores.jobs,
    locks: stores.locks,
    clock: systemClock,
    random: systemRandom,
    executor: executorOf(
      config,
      nodes,
      allocators,
      queueReader(() => queue, stores.locks),
    ),
    effectTakers: takersOf(refusing, { config, nodes, lease, log }),
    processId: process.pid,
    onLost: (error) => lose(error),
  });
  await queue.change({ runningMax: config.snapshot.cluster.max_running_jobs });
  config.onChange(({ before, after }) => {
    const { max_running_jobs: runningMax } = after.cluster;
    if (runningMax === before.cluster.max_running_jobs) return;
    queue.change({ runningMax }).catch((error) => log.error({ error }, "limit not changed"));
  });

  const stopRecovering = await keepRecovering({ config, nodes, queue, lease, log });
  if (!existsSync(directory.users)) {
    log.warn({ file: directory.users }, "no users: only the local socket may change anything");
  }
  const users = usersFile(directory.users, (problem) => log.warn({ problem }, "users file"));
  const world = worldOf({ allocators, ...{ options, log, queue, config, nodes, users }, stores });
  const app = createServer(world);
  const { cluster_name: name } = config.snapshot.cluster;
  const readKeys = () => keysOf(options, directory.certificate, name);
  const keys = options.ssl ? await readKeys() : undefined;
  const preparing = world.objects.preparing();
  await forAtMost(prepareMs, preparing);
  const local = await listenOnSocket(app, directory.socket);
  const open = await listenOnPort(app, options.address, options.port, keys);
  const host = options.address.includes(":") ? `[${options.address}]` : options.address;
  const url = `${options.ssl ? "https" : "http"}://${host}:${open.port}`;
  const care = keys && careForKeys(keys, readKeys, open.use, { log });
  writeFileSync(directory.pid, `${process.pid}\n`);
  log.info({ url, socket: directory.socket, pid: process.pid }, "ready");
  const stopPreparing = inSlices(preparing);
  return {
    ...{ url, directory, world, config, lost },
    async reload() {
      users.reload();
      await care?.reload();
    },
    async stop() {
      log.info({}, "stopping");
      world.events.close();
      stopRecovering();
      stopPreparing();
      care?.stop();
      const quiet = Promise.all([open.close(requestGraceMs), local.close(requestGraceMs)]);
      await queue.stop({ graceMs: jobGraceMs });
      await quiet;
      await stores.close();
      rmSync(directory.pid, { force: true });
      log.info({}, "stopped");
    },
  };
}

/** Makes the cluster that the options name, without serving it. @throws NewClusterError if there is one */
export async function makeOnly(options: Options, name: string, log: Log): Promise<void> {
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  const stores = await openStores(options, directory);
  try {
    if (!(await ensureCluster(stores.config, systemClock, wanted(options, name)))) {
      throw new NewClusterError("Cluster is already initialised");
    }
    log.info({ name }, "cluster made");
  } finally {
    await stores.close();
  }
}

const wanted = (options: Options, name: string) => ({
  ...{ name, nodeCount: options.nodeCount, groupCount: options.groupCount },
  ...{ file: readNewClusterFile(options.initWith), allocatorPath: options.allocatorPath },
});

function worldOf(made: {
  readonly options: Options;
  readonly log: Log;
  readonly queue: JobQueue;
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  readonly users: UsersFile;
  readonly allocators: Allocators;
  readonly stores: Awaited<ReturnType<typeof openStores>>;
}): World & { readonly objects: ClusterObjects } {
  const { options, log, queue, config, nodes, users, allocators, stores } = made;
  const events = new Events(String(systemClock.wallMicros()));
  feedChanges(config, events);
  feedJobs(queue, events, (error) => log.error({ error }, "events"));
  const metrics = createMetrics();
  const placement = new Placement(config, allocators);
  gauges(metrics, { queue, config, locks: stores.locks, placement });
  const architecture = [process.arch.includes("64") ? "64bits" : "32bits", machine()] as const;
  return {
    ...{ queue, events, users, clock: systemClock, log, metrics },
    objects: clusterObjects({ config, nodes, queue, locks: stores.locks, architecture }),
    planner: createPlanner(config, allocators),
    jobs: new JobTexts(queue, stores.jobs.shared),
    settings: {
      requireAuthentication: options.requireAuthentication,
      publicMetrics: options.publicMetrics,
      clientsMax: options.clientsMax,
    },
  };
}

/** As `uname -m` says it. */
const machine = (): string =>
  ({ x64: "x86_64", arm64: "aarch64", ia32: "i686" })[process.arch as string] ?? process.arch;
