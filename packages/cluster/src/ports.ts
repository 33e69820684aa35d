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

/** Stores of all durable data. The cluster closes them. */
export interface ClusterStores {
  readonly jobs: JobStore;
  readonly config: ConfigStore;
  readonly locks: LockManager;
}

/** A port, or a function that makes it once the configuration is loaded. */
type MadeOf<Port> = Port | ((now: () => Snapshot) => Port | Promise<Port>);

/** The nodes of a cluster, and the machine that its server runs on. */
export interface NodePorts {
  /**
   * Carries out calls on nodes. The address of every node is introduced before the first call to
   * it.
   */
  readonly backend: NodeBackend;
  /** Makes nodes refuse workers that were found dead. */
  readonly fence: Fence;
  readonly masterHost: MasterHost;
  /**
   * Resolves when nothing that a dead worker has sent to nodes can take effect any more; its jobs and locks are given
   * on then. Default: at once, for back ends whose fence ensures it.
   */
  readonly callsEnded?: (lease: string) => Promise<void>;
  /** The cluster's address is brought up on the master node when the cluster opens. Default false. */
  readonly bringsUpMasterAddress?: boolean;
}

/** Ports of a cluster: stores, nodes, time and randomness, and what its server adds. */
export interface ClusterPorts {
  readonly stores: ClusterStores;
  readonly nodes: MadeOf<NodePorts>;
  readonly resolver: MadeOf<Resolver>;
  readonly clock: Clock;
  /** Makes UUIDs, MAC addresses and secrets: `secureRandom` unless it is for a test. */
  readonly random: Random;
  /** Runs allocator programs. Default: the built-in hail is the only allocator. */
  readonly allocatorPrograms?: AllocatorRunner;
  /** How figures of nodes are kept for placements. Default: all nodes are queried for each placement. */
  readonly nodeFigures?: FiguresOptions;
  /** Lets other work of the process run during long computations of placements and plans. Default: between steps of plans only. */
  readonly turn?: Turn;
  /** Default: nothing is logged. */
  readonly log?: ClusterLog;
  /** Architecture of this machine for the cluster information. Default: `["64bits", "x86_64"]`. */
  readonly architecture?: readonly [bits: string, machine: string];
  /**
   * Restarts instances that went down. By default none are restarted, or another program such as
   * ganeti-watcher does that.
   */
  readonly watcher?: WatcherOptions;
  /**
   * Nodes and master candidates hold copies in Ganeti's formats, so that Ganeti's daemons can go on with the
   * cluster. Values outside of ASCII are refused then. Default: there are none.
   */
  readonly distribution?: DistributionOptions;
  /** Whether this worker runs jobs; true by default. Otherwise it only submits and watches them. */
  readonly runsJobs?: boolean;
  /** Shown with the jobs that this worker runs. */
  readonly processId?: number;
}

/** The port, made if it has to be. */
export const portOf = async <Port extends object>(
  port: MadeOf<Port>,
  now: () => Snapshot,
): Promise<Port> => (typeof port === "function" ? port(now) : port);
