/** Cluster: a whole cluster as one object for its listeners, i.e. servers of protocols and other programs. */
import { Allocators, NodeFigures } from "@ganeti-ts/allocators";
import type { QueueReader } from "@ganeti-ts/cluster-queries";
import { Configuration, type ConfigurationStep, type Snapshot } from "@ganeti-ts/config";
import { JobQueue, leaseText } from "@ganeti-ts/job-queue";
import { createExecutor } from "@ganeti-ts/logical-units";
import type { MasterHost, NodeBackend, RefusingNodes } from "@ganeti-ts/node-calls";
import { onBrokenInvariant } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { asciiQueue } from "./distribution/ascii-queue.js";
import {
  type ClusterCopies,
  type Distributing,
  distribute,
} from "./distribution/cluster-copies.js";
import { Events } from "./events/events.js";
import { feedChanges, feedJobs, feedRules } from "./events/feeds.js";
import { type Gauge, gaugesOf } from "./gauges.js";
import { type ClusterLog, silentLog } from "./log.js";
import { bringUpMasterAddress } from "./nodes/bring-up-master-address.js";
import { clusterNodes } from "./nodes/cluster-nodes.js";
import { type ClusterObjects, clusterObjects } from "./objects/cluster-objects.js";
import { Placement } from "./planning/placement.js";
import { createPlanner, type Planner } from "./planning/planner.js";
import { type ClusterPorts, type NodePorts, portOf } from "./ports.js";
import { type ClusterQueue, clusterQueue } from "./queue/cluster-queue.js";
import { queueReader } from "./queue/queue-reader.js";
import { keepRecovering, takersOf } from "./recovery.js";
import { pausedUntil } from "./watcher/pause.js";
import { startWatcher, type Watcher } from "./watcher/watcher.js";

/** A whole cluster: its configuration, jobs, objects, planning and events. */
export interface Cluster {
  /** The newest configuration in this process. */
  readonly snapshot: () => Snapshot;
  /**
   * Calls the listener with every new snapshot, whichever worker made it; returns a function that unsubscribes.
   */
  readonly onChange: (listener: (step: ConfigurationStep) => void) => () => void;
  /** Jobs, filter rules, limits and the drain flag. Every change of the cluster is a job. */
  readonly queue: ClusterQueue;
  /** Queries, names, tags, and direct operations on single nodes. */
  readonly objects: ClusterObjects;
  readonly planner: Planner;
  readonly events: Events;
  readonly gauges: readonly Gauge[];
  /** Resolves if other workers have declared this one dead: it must stop acting at once. */
  readonly lost: Promise<Error>;
  /** Copies on nodes and master candidates; undefined if there are none. */
  readonly copies: ClusterCopies | undefined;
  /**
   * Ends the events, accepts nothing new and lets jobs finish for `graceMs` (60 000 by default);
   * jobs that run longer fail. The configuration and the objects can be read until `close`.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** Stops the cluster if necessary, and closes the stores. */
  close(): Promise<void>;
}

/**
 * Opens the cluster; resolves when jobs are processed. If it rejects, the stores are unchanged and
 * the caller closes them. @throws ConfigError `wrong_state` if there is no cluster in the stores:
 * see `createCluster`
 */
export async function openCluster(ports: ClusterPorts): Promise<Cluster> {
  const { log = silentLog } = ports;
  const stopReports = onBrokenInvariant((error) =>
    log.error({ error }, "an invariant is broken: a fault of this program"),
  );
  try {
    return await openReported(ports, stopReports);
  } catch (error) {
    stopReports();
    throw error;
  }
}

async function openReported(ports: ClusterPorts, stopReports: () => void): Promise<Cluster> {
  const { stores, clock, random, log = silentLog } = ports;
  const config = await Configuration.open(stores.config, { clock, random });
  const now = () => config.snapshot;
  const lease = leaseText(stores.jobs.claim);
  const nodePorts = await portOf(ports.nodes, now);
  const { nodes: allNodes, masterHost, refusing } = await clusterNodes(nodePorts, config);
  const distributing = await distribute(ports.distribution, { config, clock, log, lease });
  const nodes = distributing.guarding(allNodes);
  const { allocators, forgetFigures } = allocatorsOf(ports, config, nodes);
  let shown: ClusterQueue | undefined;
  const reader = queueReader(() => shown as ClusterQueue, stores.locks);
  const { queue, lost } = await openQueue(ports, {
    ...{ config, nodes, masterHost, allocators, reader, lease, log },
    refusing,
    callsEnded: nodePorts.callsEnded,
    distributing,
  });
  shown = shownQueue(queue, distributing);
  await followLimit(config, queue, (error) =>
    log.error({ error }, "could not apply the limit of running jobs"),
  );
  const { shared, leaseMs } = stores.jobs;
  const lateCallsMs = shared && Number.isFinite(leaseMs) ? leaseMs : 0;
  const recovering = { config, nodes, queue, clock, lease, log, lateCallsMs };
  const stopRecovering = keepRecovering(recovering);

  await distributing.start({ queue, store: stores.jobs, nodes });

  // Not awaited: the node checks for several seconds whether another machine has the address.
  if (nodePorts.bringsUpMasterAddress) void bringUpMasterAddress(nodes, now(), log);

  const events = new Events(String(clock.wallMicros()));
  feedChanges(config, events);
  feedRules(queue, events);
  feedJobs(queue, events, (error) => log.error({ error }, "job events could not be fed"));
  const placement = new Placement(config, allocators, clock);
  const { architecture = ["64bits", "x86_64"] } = ports;
  const watcher = watcherOf(ports, { config, nodes, queue: shown, lease });
  const background = { stopRecovering, watcher, forgetFigures, distributing, stopReports };
  const end = ending({ stores, events, queue, ...background });
  distributing.onHalt(() => void end.stop({ graceMs: 0 }));
  return {
    snapshot: now,
    copies: distributing.copies,
    onChange: (listener) => config.onChange(listener),
    queue: shown,
    events,
    lost,
    objects: clusterObjects({ config, nodes, masterHost, queue: reader, architecture }),
    planner: createPlanner({ config, allocators, placement, clock, turn: ports.turn }),
    gauges: gaugesOf({ queue, config, locks: stores.locks, placement, watcher }),
    ...end,
  };
}

/** Queue for listeners; if there are copies for Ganeti's daemons, it only accepts values that these can store. */
const shownQueue = (queue: JobQueue, { copies, acknowledged }: Distributing): ClusterQueue =>
  copies === undefined ? clusterQueue(queue) : asciiQueue(clusterQueue(queue), acknowledged);

/** The allocators, and a function that ends the background refresh of node figures. */
function allocatorsOf(
  { nodeFigures, allocatorPrograms: runner, clock, random, turn }: ClusterPorts,
  config: Configuration,
  nodes: NodeBackend,
) {
  const figures =
    nodeFigures === undefined || nodeFigures.ageMaxMs === 0
      ? undefined
      : new NodeFigures({ nodes, clock, random }, nodeFigures);
  return {
    allocators: new Allocators({
      ...{ nodes, turn },
      ...(figures && { figures }),
      ...(runner && { runner }),
    }),
    forgetFigures: figures?.follow(config),
  };
}

interface QueueParts {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  readonly masterHost: MasterHost;
  readonly allocators: Allocators;
  readonly reader: QueueReader;
  readonly lease: string;
  readonly log: ClusterLog;
  readonly refusing: RefusingNodes;
  readonly callsEnded: NodePorts["callsEnded"];
  readonly distributing: Distributing;
}

/** Opens the queue and starts running its jobs. */
async function openQueue(
  { stores, clock, random, resolver: resolverPort, processId, runsJobs = true }: ClusterPorts,
  { config, nodes, masterHost, allocators, reader, lease, log, ...parts }: QueueParts,
): Promise<{ readonly queue: JobQueue; readonly lost: Promise<Error> }> {
  let lose: (error: Error) => void = () => {};
  const lost = new Promise<Error>((resolve) => {
    lose = resolve;
  });
  const resolver = await portOf(resolverPort, () => config.snapshot);
  const { copies, noteJobs } = parts.distributing;
  const queue = await JobQueue.open({
    store: stores.jobs,
    locks: stores.locks,
    patterns: compilePattern,
    ...{ clock, random },
    ...(runsJobs && {
      executor: createExecutor({
        ...{ config, nodes, masterHost, allocators, resolver, copies, clock, random },
        queue: reader,
      }),
    }),
    effectTakers: takersOf(parts.refusing, { config, nodes, lease, log }, parts.callsEnded),
    ...(processId !== undefined && { processId }),
    onChange: noteJobs,
    onLost: (error) => lose(error),
  });
  return { queue, lost };
}

interface Watched {
  readonly config: Configuration;
  readonly nodes: NodeBackend;
  readonly queue: ClusterQueue;
  readonly lease: string;
}

/** Starts the watcher; undefined if the port is absent. */
const watcherOf = (
  { watcher, stores, clock, log = silentLog }: ClusterPorts,
  { config, nodes, queue, lease }: Watched,
): Watcher | undefined =>
  watcher &&
  startWatcher({
    ...watcher,
    ...{ nodes, queue, locks: stores.locks, lease, clock, log },
    refreshed: () => config.refresh(),
    pausedUntil: pausedUntil(nodes, () => config.snapshot),
  });

/** Applies the configured maximum of running jobs, now and after each change. */
async function followLimit(
  config: Configuration,
  queue: JobQueue,
  failed: (error: unknown) => void,
): Promise<void> {
  await queue.change({ runningMax: config.snapshot.cluster.max_running_jobs });
  config.onChange(({ before, after }) => {
    const { max_running_jobs: runningMax } = after.cluster;
    if (runningMax === before.cluster.max_running_jobs) return;
    queue.change({ runningMax }).catch(failed);
  });
}

interface Running extends Pick<ClusterPorts, "stores"> {
  readonly events: Events;
  readonly queue: JobQueue;
  readonly stopReports: () => void;
  readonly stopRecovering: () => void;
  readonly watcher: Watcher | undefined;
  readonly forgetFigures: (() => void) | undefined;
  readonly distributing: Distributing;
}

/** The methods `stop` and `close`, whose effects happen once. */
function ending(running: Running): Pick<Cluster, "stop" | "close"> {
  const { stores, events, queue, stopRecovering, watcher, forgetFigures, distributing } = running;
  let stopped: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const stop: Cluster["stop"] = (options) => {
    stopped ??= (async () => {
      events.close();
      stopRecovering();
      await watcher?.stop();
      await queue.stop({ ...options, beforeClose: () => distributing.stop() });
      forgetFigures?.();
    })();
    return stopped;
  };
  return {
    stop,
    close() {
      closed ??= stop().then(() => stores.config.close());
      void closed.finally(running.stopReports).catch(() => undefined);
      return closed;
    },
  };
}
