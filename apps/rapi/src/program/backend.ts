/** All of a server but its sockets: stores, configuration, nodes, queue, what the API is made of, and how that ends. */
import { existsSync } from "node:fs";
import { Allocators } from "@ganeti-ts/allocators";
import { allocatorPrograms } from "@ganeti-ts/allocators/programs";
import { Configuration } from "@ganeti-ts/config";
import { JobQueue, leaseText } from "@ganeti-ts/job-queue";
import type { MasterHost, NodeBackend } from "@ganeti-ts/node-calls";
import { secureRandom, systemClock, systemRandom } from "@ganeti-ts/protocol";
import type { Durations } from "@ganeti-ts/simulated-nodes";
import { type UsersFile, usersFile } from "../auth/users-file.js";
import { type ClusterObjects, clusterObjects } from "../cluster-objects.js";
import { Events } from "../events.js";
import { usualBodyLimits } from "../http/body.js";
import { createGates } from "../http/gate.js";
import { JobTexts } from "../job-texts.js";
import type { Log } from "../log.js";
import { createMetrics } from "../metrics.js";
import { Placement } from "../placement.js";
import { createPlanner } from "../planner.js";
import { queueReader } from "../queue-reader.js";
import type { World } from "../world.js";
import type { DataDirectory } from "./data-directory.js";
import { executorOf } from "./executor.js";
import { feedChanges, feedJobs } from "./feeds.js";
import { gauges } from "./gauges.js";
import { simulatedNodes } from "./nodes.js";
import type { Options } from "./options.js";
import { keepRecovering, takersOf } from "./recovery.js";
import type { Stores } from "./stores.js";

export interface Backend {
  readonly world: World & { readonly objects: ClusterObjects };
  readonly config: Configuration;
  readonly users: UsersFile;
  /** Resolves if others have declared this server dead: it may do nothing any more, not even stop in peace. */
  readonly lost: Promise<Error>;
  /** Lets jobs finish for a minute, and gives up all but what `closeStores` does. */
  stopJobs(): Promise<void>;
  /** When nobody asks any more. */
  closeStores(): Promise<void>;
}

/** How long, in ms, jobs that are under way get to finish. */
const jobGraceMs = 60_000;

export interface BackendParts {
  readonly directory: DataDirectory;
  /** With a cluster in them. */
  readonly stores: Stores;
  readonly log: Log;
  /** How long things take on the simulated nodes. */
  readonly durations: Durations;
}

/** Resolves when jobs are worked on. */
export async function openBackend(
  options: Options,
  { directory, stores, log, durations }: BackendParts,
): Promise<Backend> {
  const config = await Configuration.open(stores.config, {
    clock: systemClock,
    random: secureRandom,
  });
  const lease = leaseText(stores.jobs.claim);
  const { nodes, masterHost, refusing } = await simulatedNodes(config, {
    ...{ clock: systemClock, states: stores.nodeStates, durations },
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
      { nodes, masterHost },
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
  return {
    world: worldOf({
      allocators,
      ...{ options, log, queue, config, nodes, masterHost, users },
      stores,
    }),
    ...{ config, users, lost },
    async stopJobs() {
      stopRecovering();
      await queue.stop({ graceMs: jobGraceMs });
    },
    closeStores: () => stores.close(),
  };
}

function worldOf(made: {
  readonly options: Options;
  readonly log: Log;
  readonly queue: JobQueue;
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  readonly masterHost: MasterHost;
  readonly users: UsersFile;
  readonly allocators: Allocators;
  readonly stores: Stores;
}): Backend["world"] {
  const { options, log, queue, config, nodes, masterHost, users, allocators, stores } = made;
  const events = new Events(String(systemClock.wallMicros()));
  feedChanges(config, events);
  feedJobs(queue, events, (error) => log.error({ error }, "events"));
  const metrics = createMetrics();
  const placement = new Placement(config, allocators);
  const gates = createGates(options.clientsMax);
  gauges(metrics, { queue, config, locks: stores.locks, placement, gates });
  const architecture = [process.arch.includes("64") ? "64bits" : "32bits", machine()] as const;
  return {
    ...{ queue, events, users, clock: systemClock, log, metrics, gates },
    objects: clusterObjects({
      config,
      nodes,
      masterHost,
      queue,
      locks: stores.locks,
      architecture,
    }),
    planner: createPlanner(config, allocators),
    jobs: new JobTexts(queue),
    settings: {
      requireAuthentication: options.requireAuthentication,
      publicMetrics: options.publicMetrics,
      bodies: usualBodyLimits,
    },
  };
}

/** As `uname -m` says it. */
const machine = (): string =>
  ({ x64: "x86_64", arm64: "aarch64", ia32: "i686" })[process.arch as string] ?? process.arch;
