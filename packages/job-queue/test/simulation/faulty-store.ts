// A store as one process sees it: slow, forgetful of notifications, refusing at times, and the last thing
// that a process may have done.

import type { JobId } from "@ganeti-ts/protocol";
import type { Change, JobStore, MemoryStore, News, Selection } from "../../src/index.js";
import type { Chance } from "./chance.js";
import type { Process } from "./process.js";

/** Probabilities of the faults; all 0 once the run is to settle. */
export interface Faults {
  /** The process ends right before or right after a step. */
  crash: number;
  /** A step is refused and has not happened. */
  refuse: number;
  /** The connection breaks before the commit: everything is decided again. */
  repeat: number;
  loseNews: number;
  doubleNews: number;
  latencyMs: number;
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

export class FaultyStore implements JobStore {
  readonly claim;
  readonly shared = true;
  readonly leaseMs;
  readonly #inner: MemoryStore;
  readonly #process: Process;
  readonly #chance: Chance;
  readonly #faults: Faults;
  readonly #auditor: Auditor;
  readonly #sabotage: StoreSabotage;

  constructor(
    inner: MemoryStore,
    process: Process,
    chance: Chance,
    faults: Faults,
    auditor: Auditor,
    sabotage: StoreSabotage,
  ) {
    this.claim = inner.claim;
    this.leaseMs = inner.leaseMs;
    this.#inner = inner;
    this.#process = process;
    this.#chance = chance;
    this.#faults = faults;
    this.#auditor = auditor;
    this.#sabotage = sabotage;
  }

  leaseLeftMs(): number {
    return this.#inner.leaseLeftMs();
  }

  async step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]) {
    await this.#pause();
    await this.#mayEnd();
    if (this.#chance.happens(this.#faults.refuse)) throw new Error("the store refuses");
    if (this.#chance.happens(this.#faults.repeat)) {
      const nothing: unique symbol = Symbol();
      try {
        this.#inner.stepNow(wanted, (news) => {
          decide(this.#sabotage.news?.(news) ?? news);
          throw nothing;
        });
      } catch (error) {
        if (error !== nothing) throw error;
      }
      await this.#pause();
    }
    this.#inner.stepNow(wanted, (news) => {
      const decided = decide(this.#sabotage.news?.(news) ?? news);
      const changes = this.#sabotage.changes?.(decided) ?? decided;
      this.#auditor.before(changes);
      this.#kept = changes;
      return changes;
    });
    this.#auditor.after(this.#kept);
    await this.#mayEnd();
    await this.#pause();
  }

  #kept: readonly Change[] = [];

  async read(ids: readonly JobId[]) {
    if (this.#sabotage.readsNothing) await this.#process.never;
    await this.#pause();
    const rows = await this.#inner.read(ids);
    await this.#pause();
    return rows;
  }

  async list(selection: Selection) {
    await this.#pause();
    return this.#inner.list(selection);
  }

  onNews(listener: () => void): void {
    this.#inner.onNews(() => {
      if (this.#sabotage.hearsNothing || this.#chance.happens(this.#faults.loseNews)) return;
      const times = this.#chance.happens(this.#faults.doubleNews) ? 2 : 1;
      for (let time = 0; time < times; time++) {
        this.#process.after(this.#chance.fraction() * this.#faults.latencyMs, listener);
      }
    });
  }

  close(busy?: boolean): Promise<void> {
    return this.#inner.close(busy);
  }

  #pause(): Promise<void> {
    return this.#process.pause(this.#faults.latencyMs);
  }

  /** The process may end here. */
  async #mayEnd(): Promise<void> {
    if (!this.#chance.happens(this.#faults.crash)) return;
    this.#process.die();
    await this.#process.never;
  }
}
