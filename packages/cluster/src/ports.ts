/** Ports of a cluster. */
import type { AllocatorRunner, FiguresOptions, Turn } from "@ganeti-ts/allocators";
import type { ConfigStore, Snapshot } from "@ganeti-ts/config";
import type { JobStore } from "@ganeti-ts/job-queue";
import type { LockManager } from "@ganeti-ts/locking";
import type { Fence, MasterHost, NodeBackend, Resolver } from "@ganeti-ts/node-calls";
import type { Clock, Random } from "@ganeti-ts/protocol";
import type { DistributionOptions } from "./distribution/distribution-ports.js";
import type { ClusterLog } from "./log.js";
import type { WatcherOptions } from "./watcher/watcher-ports.js";

/** Stores of all durable data, which are closed with the cluster. */
export interface ClusterStores {
  readonly jobs: JobStore;
  readonly config: ConfigStore;
  readonly locks: LockManager;
}

/** A port, or a function that creates it when the configuration has been loaded. */
type MadeOf<Port> = Port | ((now: () => Snapshot) => Port | Promise<Port>);

/** The nodes of a cluster, and the machine that its server runs on. */
export interface NodePorts {
  /**
   * Carries out calls on nodes. The address of every node is introduced before the first call to
   * it.
   */
  readonly backend: NodeBackend;
  /** Makes nodes refuse workers that were declared dead. */
  readonly fence: Fence;
  readonly masterHost: MasterHost;
  /**
   * Resolves when calls that a dead worker has sent can no longer take effect; its jobs and locks are released then.
   * Default: at once, for back ends whose fence ensures this.
   */
  readonly callsEnded?: (lease: string) => Promise<void>;
  /** Whether to bring up the cluster's address on the master node when the cluster is opened. Default false. */
  readonly bringsUpMasterAddress?: boolean;
}

/** Ports of a cluster: stores, nodes, time and randomness, and what its server adds. */
export interface ClusterPorts {
  readonly stores: ClusterStores;
  readonly nodes: MadeOf<NodePorts>;
  readonly resolver: MadeOf<Resolver>;
  readonly clock: Clock;
  /** Source of UUIDs, MAC addresses and secrets: `secureRandom`, except in tests. */
  readonly random: Random;
  /** Runs allocator programs. Default: the built-in hail is the only allocator. */
  readonly allocatorPrograms?: AllocatorRunner;
  /** Caching of node figures for placements. Default: all nodes are queried for each placement. */
  readonly nodeFigures?: FiguresOptions;
  /** Lets other work of the process run during long computations of placements and plans. Default: between steps of plans only. */
  readonly turn?: Turn;
  /** Default: nothing is logged. */
  readonly log?: ClusterLog;
  /** Architecture of this machine for the cluster information. Default: `["64bits", "x86_64"]`. */
  readonly architecture?: readonly [bits: string, machine: string];
  /**
   * Settings of the watcher, which restarts instances that went down. Default: no watcher, e.g. if ganeti-watcher does that.
   */
  readonly watcher?: WatcherOptions;
  /**
   * Settings of the copies on nodes and master candidates in Ganeti's formats, from which Ganeti's daemons can continue. With
   * copies, non-ASCII values are refused. Default: no copies.
   */
  readonly distribution?: DistributionOptions;
  /** Whether this worker runs jobs, or only submits and watches them. Default true. */
  readonly runsJobs?: boolean;
  /** Process id that is shown with the jobs of this worker. */
  readonly processId?: number;
}

/** The port, created if it was given as a function. */
export const portOf = async <Port extends object>(
  port: MadeOf<Port>,
  now: () => Snapshot,
): Promise<Port> => (typeof port === "function" ? port(now) : port);
