// The lock table of several processes: every change is a slow transaction that may be a process's last.
import { type LockRows, type LockStore, type LockTable, memoryLockStore } from "@ganeti-ts/locking";
import type { Process } from "@ganeti-ts/testkit/simulation";
import { type Claim, LeaseLostError, leaseText, type MemoryDatabase } from "../../src/index.js";

export interface LockSabotage {
  /** Locks of the dead stay where they are. */
  keepsDead?: boolean;
  /** Every request is granted. */
  grantsAll?: boolean;
}

/** State that outlives the processes. */
export class LockDatabase {
  readonly #store = memoryLockStore();
  /** Called after each change. */
  onChange = () => {};
  readonly #jobs: MemoryDatabase;
  readonly #sabotage: LockSabotage;

  constructor(jobs: MemoryDatabase, sabotage: LockSabotage) {
    this.#jobs = jobs;
    this.#sabotage = sabotage;
  }

  connect(process: Process, claim: Claim): LockStore {
    return {
      pollMs: 3000,
      change: (change) =>
        process.effect(async () => {
          if (this.#jobs.isFenced(claim)) {
            throw new LeaseLostError(`worker ${leaseText(claim)} has lost its lease`);
          }
          const answer = await this.#store.change((table) => {
            this.#bury(table);
            return change(this.#sabotage.grantsAll ? generous(table) : table);
          });
          this.onChange();
          return answer;
        }),
      onGranted: (listener) =>
        this.#store.onGranted((owner) => process.tell(() => listener(owner))),
    };
  }

  /** Leases that hold or want something. */
  leases(): Set<string> {
    const { holds, waits } = this.#store.change((table) => table.rows()) as LockRows;
    return new Set([...holds, ...waits].map(({ owner }) => owner.lease ?? ""));
  }

  /** Leases of workers that have been buried. */
  #bury(table: LockTable): void {
    if (this.#sabotage.keepsDead) return;
    const { holds, waits } = table.rows();
    for (const lease of new Set([...holds, ...waits].map(({ owner }) => owner.lease ?? ""))) {
      const [worker, fence] = lease.split(":").map(Number) as [number, number];
      if (this.#jobs.isBuried({ worker, fence })) table.releaseLease(lease);
    }
  }
}

/** A table that says yes to everything and writes nothing down. */
const generous = (table: LockTable): LockTable =>
  new Proxy(table, {
    get(target, name) {
      if (name === "request" || name === "tryRequest") return () => ({ granted: true });
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
