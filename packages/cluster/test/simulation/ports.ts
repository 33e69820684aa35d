// Ports of a simulated server; every call counts as an effect of its process.
import type { ConfigStore } from "@ganeti-ts/config";
import {
  type Change,
  type Claim,
  type JobStore,
  LeaseLostError,
  leaseText,
  type MemoryDatabase,
  type MemoryStore,
} from "@ganeti-ts/job-queue";
import { type LockStore, type LockTable, lockTable } from "@ganeti-ts/locking";
import { answered, type Fence, type NodeBackend, type NodeCallName } from "@ganeti-ts/node-calls";
import type { Job, JobId } from "@ganeti-ts/protocol";
import type { Process } from "@ganeti-ts/testkit/simulation";
import type { GanetiFiles } from "../../src/index.js";
import { doubled, runningAgain, type Sabotage, type StagedEvent } from "./sabotage.js";

/** Observer of a server. */
export interface Watch {
  /** Called before a commit or call of a job leaves the process, and when a node has made a disk. */
  passes(event: StagedEvent): void;
  /** Called with each stored step of the queue, and the previous states of its jobs. */
  steps(changes: readonly Change[], before: ReadonlyMap<JobId, Job>, by: Claim): void;
  /** Called when a commit under the lease of a dead worker was accepted. */
  deadCommits(lease: string): void;
}

/** A process, and the parts of the world that it shares with others. */
export interface Outside {
  readonly process: Process;
  readonly jobs: MemoryDatabase;
  readonly sabotage: Sabotage;
  readonly watch: Watch;
}

export function jobStoreOf(
  inner: MemoryStore,
  { process, jobs, sabotage: { runsAgain }, watch }: Outside,
): JobStore {
  return {
    claim: inner.claim,
    shared: true,
    leaseMs: inner.leaseMs,
    leaseLeftMs: () => inner.leaseLeftMs(),
    step: (wanted, decide) =>
      process.effect(() => {
        let kept: readonly Change[] = [];
        const before = new Map<JobId, Job>();
        inner.stepNow(wanted, (news) => {
          kept = runsAgain ? runningAgain(decide(news)) : decide(news);
          for (const change of kept) {
            const row = change.kind === "job" ? jobs.rows.get(change.job.id) : undefined;
            if (row !== undefined) before.set(row.id, row.job);
          }
          return kept;
        });
        watch.steps(kept, before, inner.claim);
      }),
    read: (ids) => process.effect(() => inner.read(ids)),
    list: (selection) => process.effect(() => inner.list(selection)),
    onNews: (listener) => inner.onNews(() => process.tell(listener)),
    close: (busy) => inner.close(busy),
  };
}

/** Commits of fenced servers are refused, as by a database. */
export function configStoreOf(
  inner: ConfigStore,
  { process, jobs, sabotage, watch }: Outside,
): ConfigStore {
  const commit: ConfigStore["commit"] = async (given) => {
    const { lease } = given;
    const isDead = lease !== undefined && jobs.isFenced(claimOf(lease));
    if (isDead && !sabotage.noFence) return "lease lost";
    const outcome = await inner.commit(given);
    if (isDead && outcome === "done") watch.deadCommits(lease);
    return outcome;
  };
  return {
    shared: true,
    load: () => process.effect(() => inner.load()),
    changesSince: (serial) => process.effect(() => inner.changesSince(serial)),
    commit: (given) => {
      if (given.lease !== undefined) watch.passes("late commits");
      return process.effect(() => commit(given));
    },
    onNews: (listener) => inner.onNews(() => process.tell(listener)),
    close: () => inner.close(),
  };
}

/** The lock store from the perspective of one server: locks of dead servers are released with the next change. */
export const lockStoreOf = (
  inner: LockStore,
  claim: Claim,
  { process, jobs, sabotage }: Outside,
): LockStore => ({
  pollMs: 3000,
  change: (change) =>
    process.effect(() => {
      if (jobs.isFenced(claim)) {
        throw new LeaseLostError(`worker ${leaseText(claim)} has lost its lease`);
      }
      return inner.change((table) => {
        releaseBuried(table, jobs);
        if (sabotage.doublesLocks) lockTable(doubled(table));
        return change(table);
      });
    }),
  onGranted: (listener) => inner.onGranted((owner) => process.tell(() => listener(owner))),
});

function releaseBuried(table: LockTable, jobs: MemoryDatabase): void {
  const { holds, waits } = table.rows();
  for (const lease of new Set([...holds, ...waits].map(({ owner }) => owner.lease ?? ""))) {
    if (jobs.isBuried(claimOf(lease))) table.releaseLease(lease);
  }
}

const claimOf = (lease: string): Claim => {
  const [worker = 0, fence = 0] = lease.split(":").map(Number);
  return { worker, fence };
};

/** Calls that placements, verification, the watcher and copies make to all nodes. */
const madeOnEachNode: ReadonlySet<NodeCallName> = new Set<NodeCallName>([
  ...(["node_info", "all_instances_info", "node_verify", "lv_list"] as const),
  ...(["drbd_needs_activation", "write_ssconf_files", "upload_file_single"] as const),
  ...(["jobqueue_update", "jobqueue_rename", "jobqueue_set_drain_flag"] as const),
]);

export const nodesOf = (
  inner: NodeBackend,
  { process, sabotage, watch }: Outside,
): NodeBackend => ({
  introduce: (node) => inner.introduce(node),
  call: (node, name, args, caller) => {
    if (caller.lease !== "") watch.passes("late calls");
    if (sabotage.hangs && caller.lease !== "") return process.never;
    const act = async () => {
      if (sabotage.ignores === name) return answered(null) as never;
      if (sabotage.garbles === name) return answered(undefined) as never;
      const answer = await inner.call(node, name, args, caller);
      if (name === "blockdev_create") watch.passes("deaths after disks");
      return answer;
    };
    return madeOnEachNode.has(name) ? process.effectOnEachNode(act) : process.effect(act);
  },
});

export const fenceOf = (inner: Fence, { process, sabotage }: Outside): Fence => ({
  fence: (node, leases, signal) =>
    process.effectOnEachNode(async () =>
      sabotage.notifiesNothing ? answered(null) : inner.fence(node, leases, signal),
    ),
});

/** Ganeti's files on the machine of the master, which outlive its servers. */
export const filesOf = (inner: GanetiFiles, { process }: Outside): GanetiFiles => ({
  writeConfiguration: (text) => process.effectOnEachNode(() => inner.writeConfiguration(text)),
  foreignChange: () => process.effectOnEachNode(() => inner.foreignChange()),
  writeQueueFile: (name, text) => process.effectOnEachNode(() => inner.writeQueueFile(name, text)),
  moveQueueFiles: (moves) => process.effectOnEachNode(() => inner.moveQueueFiles(moves)),
  setDrained: (drained) => process.effectOnEachNode(() => inner.setDrained(drained)),
});
