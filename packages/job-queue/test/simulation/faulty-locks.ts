// The lock table of several processes: every change is a slow transaction that may be a process's last.
import { type LockOwner, type LockStore, type LockTable, lockTable } from "@ganeti-ts/locking";
import { type Claim, LeaseLostError, leaseText, type MemoryDatabase } from "../../src/index.js";
import type { Chance } from "./chance.js";
import type { Faults } from "./faulty-store.js";
import type { Process } from "./process.js";

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
  readonly #chance: Chance;
  readonly #faults: Faults;
  readonly #sabotage: LockSabotage;

  constructor(jobs: MemoryDatabase, chance: Chance, faults: Faults, sabotage: LockSabotage) {
    this.#jobs = jobs;
    this.#chance = chance;
    this.#faults = faults;
    this.#sabotage = sabotage;
  }

  connect(process: Process, claim: Claim): LockStore {
    const listeners = new Set<(owner: LockOwner) => void>();
    this.#listeners.set(process, listeners);
    return {
      pollMs: 3000,
      change: async (change) => {
        await process.pause(this.#faults.latencyMs);
        await this.#mayEnd(process);
        if (this.#jobs.isFenced(claim)) {
          throw new LeaseLostError(`worker ${leaseText(claim)} has lost its lease`);
        }
        this.#bury();
        const answer = change(this.#sabotage.grantsAll ? generous(this.table) : this.table);
        this.#tell();
        this.onChange();
        await this.#mayEnd(process);
        await process.pause(this.#faults.latencyMs);
        return answer;
      },
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
        if (this.#chance.happens(this.#faults.loseNews)) continue;
        const times = this.#chance.happens(this.#faults.doubleNews) ? 2 : 1;
        for (let time = 0; time < times; time++) {
          process.after(this.#chance.fraction() * this.#faults.latencyMs, () => {
            for (const listener of [...listeners]) listener(owner);
          });
        }
      }
    }
  }

  async #mayEnd(process: Process): Promise<void> {
    if (!this.#chance.happens(this.#faults.crash / 2)) return;
    process.die();
    await process.never;
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
