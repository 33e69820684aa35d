// A store as one process sees it: slow, forgetful of notifications, refusing at times, and the last thing
// that a process may have done.

import type { JobId } from "@ganeti-ts/protocol";
import type { Dice, Process, Rates } from "@ganeti-ts/testkit/simulation";
import type { Change, JobStore, MemoryStore, News, Selection } from "../../src/index.js";

/** Probabilities of the faults; all 0 once the run is to settle. */
export interface Faults extends Rates {
  /** A step is refused and has not happened. */
  refuse: number;
  /** The connection breaks before the commit: everything is decided again. */
  repeat: number;
}

/** Looks at each step that is kept. */
export interface Auditor {
  before(changes: readonly Change[]): void;
  after(changes: readonly Change[]): void;
}

/** Deviation of a broken copy. */
export interface StoreSabotage {
  news?(news: News): News;
  changes?(changes: readonly Change[]): readonly Change[];
  hearsNothing?: boolean;
  /** Questions about jobs are never answered. */
  readsNothing?: boolean;
}

/** Surroundings of the stores of all processes. */
export interface Surroundings {
  readonly dice: Dice;
  readonly faults: Faults;
}

export class FaultyStore implements JobStore {
  readonly claim;
  readonly shared = true;
  readonly leaseMs;
  readonly #inner: MemoryStore;
  readonly #process: Process;
  readonly #around: Surroundings;
  readonly #auditor: Auditor;
  readonly #sabotage: StoreSabotage;

  constructor(
    inner: MemoryStore,
    process: Process,
    around: Surroundings,
    auditor: Auditor,
    sabotage: StoreSabotage,
  ) {
    this.claim = inner.claim;
    this.leaseMs = inner.leaseMs;
    this.#inner = inner;
    this.#process = process;
    this.#around = around;
    this.#auditor = auditor;
    this.#sabotage = sabotage;
  }

  leaseLeftMs(): number {
    return this.#inner.leaseLeftMs();
  }

  step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]) {
    const { dice, faults } = this.#around;
    return this.#process.effect(async () => {
      if (dice.chance(faults.refuse)) throw new Error("the store refuses");
      if (dice.chance(faults.repeat)) await this.#breakOff(wanted, decide);
      let kept: readonly Change[] = [];
      this.#inner.stepNow(wanted, (news) => {
        const decided = decide(this.#sabotage.news?.(news) ?? news);
        kept = this.#sabotage.changes?.(decided) ?? decided;
        this.#auditor.before(kept);
        return kept;
      });
      this.#auditor.after(kept);
    });
  }

  /** A decision that is not kept. */
  async #breakOff(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]) {
    const nothing: unique symbol = Symbol();
    try {
      this.#inner.stepNow(wanted, (news) => {
        decide(this.#sabotage.news?.(news) ?? news);
        throw nothing;
      });
    } catch (error) {
      if (error !== nothing) throw error;
    }
    await this.#process.pause();
  }

  async read(ids: readonly JobId[]) {
    if (this.#sabotage.readsNothing) await this.#process.never;
    return this.#process.look(() => this.#inner.read(ids));
  }

  list(selection: Selection) {
    return this.#process.look(() => this.#inner.list(selection));
  }

  onNews(listener: () => void): void {
    this.#inner.onNews(() => {
      if (!this.#sabotage.hearsNothing) this.#process.tell(listener);
    });
  }

  close(busy?: boolean): Promise<void> {
    return this.#inner.close(busy);
  }
}
