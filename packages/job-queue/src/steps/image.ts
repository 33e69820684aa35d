/** In-memory image of the jobs that have not ended, on which a worker's decisions are based. */
import { noPatterns, type PatternCompiler, type RuleChain, ruleChain } from "@ganeti-ts/job-filter";
import type { FilterRule, JobId } from "@ganeti-ts/protocol";
import { openLinesOf } from "../starting/judgement.js";
import { Rejections } from "../starting/rejections.js";
import { WaitingJobs } from "../starting/waiting.js";
import { type Claim, defaultSettings, type Settings } from "../stores/store.js";
import type { Entry } from "./entry.js";
import { JobTable } from "./job-table.js";

/**
 * Mutable, with every change undoable until `keep`: a step that the store did not accept leaves no trace.
 * Setting an entry costs O(1), or O(n) small moves for ids out of order.
 */
export class Image {
  readonly #compile: PatternCompiler;
  serial = 0;
  settings: Settings = defaultSettings;
  rules: readonly FilterRule[] = [];
  liveCount = 0;
  /** Chain built from `rules`. */
  chain: RuleChain = ruleChain([], noPatterns);
  /** The unclaimed jobs. */
  readonly waiting = new WaitingJobs();
  readonly rejections = new Rejections();

  readonly #entries = new JobTable<Entry>();
  readonly #claimed = new Set<JobId>();
  readonly #undo: (() => void)[] = [];

  constructor(compile: PatternCompiler = noPatterns) {
    this.#compile = compile;
  }

  get(id: JobId): Entry | undefined {
    return this.#entries.get(id);
  }

  get size(): number {
    return this.#entries.size;
  }

  get claimed(): ReadonlySet<JobId> {
    return this.#claimed;
  }

  /** Every job that has not ended, ascending by id; reflects changes during the iteration. */
  entries(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** Ids of all jobs that have not ended, ascending; reflects changes during the iteration. */
  ids(): IterableIterator<JobId> {
    return this.#entries.keys();
  }

  /** Undefined removes the job: it has ended. */
  set(id: JobId, entry: Entry | undefined): void {
    const before = this.#entries.get(id);
    this.#place(id, before, entry);
    this.#undo.push(() => this.#place(id, entry, before));
  }

  /** Changes serial, settings, rules or the count, undoable like an entry. */
  assign(values: Partial<Pick<Image, "serial" | "settings" | "rules" | "liveCount">>): void {
    const { serial, settings, rules, liveCount, chain } = this;
    Object.assign(this, values);
    if (values.rules !== undefined) {
      this.chain = ruleChain(values.rules, this.#compile);
      this.#judgeAgain();
    }
    this.#undo.push(() => {
      Object.assign(this, { serial, settings, rules, liveCount, chain });
      if (values.rules !== undefined) this.#judgeAgain();
    });
  }

  mark(): number {
    return this.#undo.length;
  }

  /** Undoes every change since `mark`. */
  rollback(mark = 0): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  keep(): void {
    this.#undo.length = 0;
  }

  #judgeAgain(): void {
    this.waiting.rulesChanged();
    this.rejections.rulesChanged(this);
  }

  #place(id: JobId, before: Entry | undefined, after: Entry | undefined): void {
    if (isClaimed(after)) this.#claimed.add(id);
    else if (isClaimed(before)) this.#claimed.delete(id);
    if (after === undefined) this.#entries.delete(id);
    else this.#entries.set(id, after);

    const from = waitingPriority(before);
    const to = waitingPriority(after);
    if (from !== to) {
      if (from !== undefined) this.waiting.remove({ id, priority: from });
      if (to !== undefined) this.waiting.put({ id, priority: to });
      this.rejections.touch(id);
    }
    if (after === undefined) this.waiting.ended(id);
    if (isClaimed(before) && !isClaimed(after)) openLinesOf(before, this);
  }
}

const isClaimed = (entry: Entry | undefined): entry is Entry & { readonly claim: Claim } =>
  entry !== undefined && entry.claim !== null;

/** Undefined for a job that does not wait. */
const waitingPriority = (entry: Entry | undefined): number | undefined =>
  isClaimed(entry) ? undefined : entry?.priority;
