// Ports of a simulated server; every call counts as an effect of its process.
import type { ConfigStore } from "@ganeti-ts/config";
import {
  type Claim,
  type JobStore,
  LeaseLostError,
  leaseText,
  type MemoryDatabase,
  type MemoryStore,
} from "@ganeti-ts/job-queue";
import { type LockOwner, type LockStore, type LockTable, lockTable } from "@ganeti-ts/locking";
import type { Fence, NodeBackend, NodeCallName } from "@ganeti-ts/node-calls";
import type { Process } from "@ganeti-ts/testkit/simulation";
import { runningAgain, type Sabotage } from "./sabotage.js";
import type { ServerPorts } from "./server.js";

export function jobStoreOf(
  inner: MemoryStore,
  process: Process,
  { runsAgain }: Sabotage,
): JobStore {
  return {
    claim: inner.claim,
    shared: true,
    leaseMs: inner.leaseMs,
    leaseLeftMs: () => inner.leaseLeftMs(),
    step: (wanted, decide) =>
      process.effect(() =>
        inner.stepNow(wanted, (news) => (runsAgain ? runningAgain(decide(news)) : decide(news))),
      ),
    read: (ids) => process.effect(() => inner.read(ids)),
    list: (selection) => process.effect(() => inner.list(selection)),
    onNews: (listener) => inner.onNews(() => process.tell(listener)),
    close: (busy) => inner.close(busy),
  };
}

/**
 * Commits of fenced servers are refused, as by a database; `deadCommits` is called if one was accepted.
 */
export function configStoreOf(
  inner: ConfigStore,
  { process, jobs, sabotage, deadCommits, passes }: ServerPorts,
): ConfigStore {
  const isFenced = (lease: string) => {
    const [worker = 0, fence = 0] = lease.split(":").map(Number);
    return jobs.isFenced({ worker, fence });
  };
  const commit: ConfigStore["commit"] = async (given) => {
    const { lease } = given;
    const isDead = lease !== undefined && isFenced(lease);
    if (isDead && !sabotage.noFence) return "lease lost";
    const outcome = await inner.commit(given);
    if (isDead && outcome === "done") deadCommits(lease);
    return outcome;
  };
  return {
    shared: true,
    load: () => process.effect(() => inner.load()),
    changesSince: (serial) => process.effect(() => inner.changesSince(serial)),
    commit: (given) => {
      if (given.lease !== undefined) passes("late commits");
      return process.effect(() => commit(given));
    },
    onNews: (listener) => inner.onNews(() => process.tell(listener)),
    close: () => inner.close(),
  };
}

/** Calls that placements and verification make to all nodes. */
const madeOnEachNode: ReadonlySet<NodeCallName> = new Set<NodeCallName>([
  ...(["node_info", "all_instances_info", "node_verify"] as const),
]);

export const nodesOf = ({ nodes, process, passes }: ServerPorts): NodeBackend => ({
  introduce: (node) => nodes.introduce(node),
  call: (node, name, args, caller) => {
    passes("late calls");
    const act = async () => {
      const answer = await nodes.call(node, name, args, caller);
      if (name === "blockdev_create") passes("deaths after disks");
      return answer;
    };
    return madeOnEachNode.has(name) ? process.effectOnEachNode(act) : process.effect(act);
  },
});

export const fenceOf = (inner: Fence, process: Process): Fence => ({
  fence: (node, leases, signal) =>
    process.effectOnEachNode(() => inner.fence(node, leases, signal)),
});

/** The locks of all servers, in place of a database. */
export class LockDatabase {
  readonly #table: LockTable = lockTable();
  readonly #listeners = new Map<Process, Set<(owner: LockOwner) => void>>();
  readonly #jobs: MemoryDatabase;

  constructor(jobs: MemoryDatabase) {
    this.#jobs = jobs;
  }

  connect(process: Process, claim: Claim): LockStore {
    const listeners = new Set<(owner: LockOwner) => void>();
    this.#listeners.set(process, listeners);
    return {
      pollMs: 3000,
      change: (change) =>
        process.effect(() => {
          if (this.#jobs.isFenced(claim)) {
            throw new LeaseLostError(`worker ${leaseText(claim)} has lost its lease`);
          }
          this.#freeBuried();
          const answer = change(this.#table);
          this.#tell();
          return answer;
        }),
      onGranted: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  #freeBuried(): void {
    const { holds, waits } = this.#table.rows();
    for (const lease of new Set([...holds, ...waits].map(({ owner }) => owner.lease ?? ""))) {
      const [worker = 0, fence = 0] = lease.split(":").map(Number);
      if (this.#jobs.isBuried({ worker, fence })) this.#table.releaseLease(lease);
    }
  }

  #tell(): void {
    this.#table.takeChanges();
    for (const owner of this.#table.takeGranted()) {
      for (const [process, listeners] of this.#listeners) {
        process.tell(() => {
          for (const listener of [...listeners]) listener(owner);
        });
      }
    }
  }
}
