// The lock table of several processes: every change is a slow transaction that may be a process's last.
import { type LockOwner, type LockStore, type LockTable, lockTable } from "@ganeti-ts/locking";
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
  readonly table: LockTable = lockTable();
  /** Called after each change. */
  onChange = () => {};
  readonly #listeners = new Map<Process, Set<(owner: LockOwner) => void>>();
  readonly #jobs: MemoryDatabase;
  readonly #sabotage: LockSabotage;

  constructor(jobs: MemoryDatabase, sabotage: LockSabotage) {
    this.#jobs = jobs;
    this.#sabotage = sabotage;
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
          this.#bury();
          const answer = change(this.#sabotage.grantsAll ? generous(this.table) : this.table);
          this.#tell();
          this.onChange();
          return answer;
        }),
      onGranted: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  /** Leases that hold or want something. */
  leases(): Set<string> {
    const { holds, waits } = this.table.rows();
    return new Set([...holds, ...waits].map(({ owner }) => owner.lease ?? ""));
  }

  /** Leases of workers that have been buried. */
  #bury(): void {
    if (this.#sabotage.keepsDead) return;
    for (const lease of this.leases()) {
      const [worker, fence] = lease.split(":").map(Number) as [number, number];
      if (this.#jobs.isBuried({ worker, fence })) this.table.releaseLease(lease);
    }
  }

  #tell(): void {
    this.table.takeChanges();
    for (const owner of this.table.takeGranted()) {
      for (const [process, listeners] of this.#listeners) {
        process.tell(() => {
          for (const listener of [...listeners]) listener(owner);
        });
      }
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
