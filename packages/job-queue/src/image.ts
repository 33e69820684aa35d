/** The jobs that have not ended, as one worker knows them: what decisions are made on. */
import { type RuleChain, ruleChain } from "@ganeti-ts/job-filter";
import type { FilterRule, Job, JobId, Json } from "@ganeti-ts/protocol";
import { jobPriorityOf } from "./job-status.js";
import { type Claim, defaultSettings, type Settings } from "./store.js";

export interface Entry {
  readonly job: Job;
  readonly claim: Claim | null;
  /** False: the job has moved on elsewhere; only the inputs of its opcodes still hold. */
  readonly fresh: boolean;
  /** The opcodes as submitted: the same array as long as the job is known, for rules look at it alone. */
  readonly inputs: readonly Json[];
}

/** `known` is what was known of the job before. */
export const entryOf = (
  job: Job,
  claim: Claim | null,
  known: Entry | undefined,
  fresh = true,
): Entry => ({ job, claim, fresh, inputs: known?.inputs ?? job.opcodes.map(({ input }) => input) });

/**
 * Mutable, and each change can be taken back until `keep`: a step that the store did not accept
 * leaves no trace. Setting an entry costs O(log n), or O(n) small moves where ids come out of order.
 */
export class Image {
  serial = 0;
  settings: Settings = defaultSettings;
  rules: readonly FilterRule[] = [];
  liveCount = 0;
  /** Of the rules. */
  chain: RuleChain = ruleChain([]);

  readonly #entries = new Map<JobId, Entry>();
  /** Unclaimed jobs by priority, ids ascending. */
  readonly #waiting = new Map<number, JobId[]>();
  readonly #claimed = new Set<JobId>();
  readonly #undo: (() => void)[] = [];

  get(id: JobId): Entry | undefined {
    return this.#entries.get(id);
  }

  get size(): number {
    return this.#entries.size;
  }

  get claimed(): ReadonlySet<JobId> {
    return this.#claimed;
  }

  /** Every job that has not ended, in no particular order. */
  entries(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** Unclaimed jobs, the best priority first, then the lowest id. Not to be changed meanwhile. */
  *candidates(): Generator<Entry> {
    for (const priority of [...this.#waiting.keys()].sort((a, b) => a - b)) {
      for (const id of this.#waiting.get(priority) ?? []) yield this.#entries.get(id) as Entry;
    }
  }

  /** Undefined takes the job out: it has ended. */
  set(id: JobId, entry: Entry | undefined): void {
    const before = this.#entries.get(id);
    this.#place(id, before, entry);
    this.#undo.push(() => this.#place(id, entry, before));
  }

  /** Changes serial, settings, rules or the count, to be taken back like an entry. */
  assign(values: Partial<Pick<Image, "serial" | "settings" | "rules" | "liveCount">>): void {
    const { serial, settings, rules, liveCount, chain } = this;
    Object.assign(this, values);
    if (values.rules !== undefined) this.chain = ruleChain(values.rules);
    this.#undo.push(() => Object.assign(this, { serial, settings, rules, liveCount, chain }));
  }

  mark(): number {
    return this.#undo.length;
  }

  /** Takes back every change since `mark`. */
  rollback(mark = 0): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  keep(): void {
    this.#undo.length = 0;
  }

  #place(id: JobId, before: Entry | undefined, after: Entry | undefined): void {
    const from =
      before === undefined || before.claim !== null ? undefined : jobPriorityOf(before.job.opcodes);
    const to =
      after === undefined || after.claim !== null ? undefined : jobPriorityOf(after.job.opcodes);
    if (from !== to) {
      if (from !== undefined) this.#takeOut(from, id);
      if (to !== undefined) this.#putIn(to, id);
    }
    if (after !== undefined && after.claim !== null) this.#claimed.add(id);
    else this.#claimed.delete(id);
    if (after === undefined) this.#entries.delete(id);
    else this.#entries.set(id, after);
  }

  #takeOut(priority: number, id: JobId): void {
    const ids = this.#waiting.get(priority) as JobId[];
    ids.splice(placeOf(ids, id), 1);
    if (ids.length === 0) this.#waiting.delete(priority);
  }

  #putIn(priority: number, id: JobId): void {
    const ids = this.#waiting.get(priority);
    if (ids === undefined) this.#waiting.set(priority, [id]);
    else if ((ids.at(-1) as JobId) < id) ids.push(id);
    else ids.splice(placeOf(ids, id), 0, id);
  }
}

/** Where `id` is, or belongs. */
function placeOf(ids: readonly JobId[], id: JobId): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as JobId) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
