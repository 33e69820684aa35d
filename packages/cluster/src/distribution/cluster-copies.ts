/** distribute: starts the distribution of a cluster that is being opened, and stops its work if another master appears. */
import type { Configuration } from "@ganeti-ts/config";
import type { JobQueue, JobStore } from "@ganeti-ts/job-queue";
import { failed, type NodeBackend } from "@ganeti-ts/node-calls";
import { catalogEntry } from "@ganeti-ts/node-calls/catalog";
import type { Clock, JobId } from "@ganeti-ts/protocol";
import type { ClusterLog } from "../log.js";
import { nobody } from "../nodes/asking-nodes.js";
import { Distribution, type Missed } from "./distribution.js";
import { type DistributionOptions, ForeignChangeError } from "./distribution-ports.js";

/** Copies of the cluster's data on nodes and master candidates, in Ganeti's formats. */
export interface ClusterCopies {
  /** Resolves when every change made so far has been offered to each online node. */
  flush(options?: { readonly everything?: boolean }): Promise<readonly Missed[]>;
  /** Why this server has stopped its work: another program is the master. Undefined while it works. */
  readonly halted: string | undefined;
  /** After the cluster has stopped: whether every candidate has the files of all jobs. */
  readonly isComplete: boolean;
}

interface Early {
  readonly config: Configuration;
  readonly clock: Clock;
  readonly log: ClusterLog;
  readonly lease: string;
}

interface Late {
  readonly queue: JobQueue;
  readonly store: JobStore;
  readonly nodes: NodeBackend;
}

/** The distribution while a cluster is opened and closed; without options it does nothing. */
export interface Distributing {
  readonly copies: ClusterCopies | undefined;
  /** Wraps the nodes so that calls with effects are refused when another program is the master. */
  guarding(nodes: NodeBackend): NodeBackend;
  /** Records jobs that change before the distribution starts, because the queue starts earlier. */
  noteJobs(changed: Iterable<JobId>): void;
  /** Resolves when a submission may be acknowledged. */
  readonly acknowledged: () => Promise<void>;
  start(late: Late): Promise<void>;
  onHalt(then: () => void): void;
  stop(): Promise<void>;
}

const nothing: Distributing = {
  copies: undefined,
  guarding: (nodes) => nodes,
  noteJobs() {},
  acknowledged: async () => undefined,
  start: async () => undefined,
  onHalt() {},
  stop: async () => undefined,
};

/** @throws ForeignChangeError if another program is the master of the files; no job has started then */
export async function distribute(
  options: DistributionOptions | undefined,
  early: Early,
): Promise<Distributing> {
  if (options === undefined) return nothing;
  const foreign = await options.files.foreignChange();
  if (foreign !== undefined) throw new ForeignChangeError(foreign);
  let begin: (distribution: Distribution) => void = () => {};
  const begun = new Promise<Distribution>((resolve) => {
    begin = resolve;
  });
  let distribution: Distribution | undefined;
  let isComplete = false;
  let changedBefore: Set<JobId> | undefined = new Set();
  let halt = () => {};
  const halted = new Promise<void>((resolve) => {
    halt = resolve;
  });
  const reason = () => distribution?.reason;
  return {
    copies: {
      flush: async (how) => (await begun).flush(how),
      get halted() {
        return reason();
      },
      get isComplete() {
        return isComplete;
      },
    },
    guarding: (nodes) => refusingOnce(reason, nodes),
    noteJobs(changed) {
      for (const id of changed) changedBefore?.add(id);
    },
    acknowledged: async () => {
      if (options.waitForCopies) await (await begun).flushJobs();
    },
    async start({ queue, store, nodes }) {
      const { config, clock, log, lease } = early;
      const caller = { ...nobody, lease };
      distribution = await Distribution.start({
        ...options,
        changedBefore: changedBefore ?? [],
        ...{ config, clock, log, queue, store, nodes, caller },
        halted: halt,
      });
      changedBefore = undefined;
      begin(distribution);
    },
    onHalt: (then) => void halted.then(then),
    async stop() {
      isComplete = (await distribution?.stop()) ?? false;
    },
  };
}

/** Nodes that refuse calls with effects as soon as `reason` returns one; read-only calls are still made. */
const refusingOnce = (reason: () => string | undefined, nodes: NodeBackend): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  call: async (node, name, args, caller) => {
    const why = reason();
    if (why === undefined || catalogEntry(name).repeat === "looks") {
      return nodes.call(node, name, args, caller);
    }
    return failed(`This server has stopped its work: ${why}`);
  },
});
