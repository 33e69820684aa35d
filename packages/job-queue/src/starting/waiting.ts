/** Waiting jobs, i.e. those without a worker, each in a line behind the cause that holds it. */
import type { FilterRule, JobId } from "@ganeti-ts/protocol";
import { JobTable } from "../steps/job-table.js";
import { comparePlaces, Line, type Place } from "./line.js";

/** Causes that can hold a job: another job, a rule, or a bucket with its text. */
export type Holder =
  | { readonly kind: "job"; readonly id: JobId }
  | { readonly kind: "rule"; readonly rule: FilterRule }
  | { readonly kind: "bucket"; readonly text: string };

interface Waiting {
  readonly line: Line;
  /** Undefined: its jobs have yet to be examined, one by one. */
  holder: Holder | undefined;
}

/**
 * A pass examines only the first jobs of open lines. A line is closed while all its jobs are known to be held
 * by the same cause, and is opened when that cause may have changed. So a held job costs nothing until then.
 * All of this is derived: code that changes a job or a rule, or undoes a change, must report it afterwards.
 */
export class WaitingJobs {
  readonly #arrivals: Waiting = { line: new Line(), holder: undefined };
  readonly #open = new Set([this.#arrivals]);
  readonly #byJob = new Map<JobId, Waiting>();
  readonly #byRule = new Map<string, Waiting>();
  readonly #byBucket = new Map<string, Waiting>();
  /** The lines of the jobs that are not among the arrivals. */
  readonly #held = new JobTable<Waiting>();

  /** Whether there are lines behind rules or buckets. */
  get hasClosable(): boolean {
    return this.#byRule.size > 0 || this.#byBucket.size > 0;
  }

  /** Adds a job that does not wait yet: the next pass examines it. */
  put(place: Place): void {
    this.#arrivals.line.add(place);
  }

  /** Removes a job, with the priority of its `put`. Does nothing if it does not wait. */
  remove(place: Place): void {
    const waiting = this.#waitingOf(place.id);
    waiting.line.remove(place);
    this.#held.delete(place.id);
    if (waiting.line.isEmpty) this.#drop(waiting);
  }

  /** The first job, in starting order, of all open lines. Cost: O(open lines). */
  first(): Place | undefined {
    let best: Place | undefined;
    for (const { line } of this.#open) {
      const { first } = line;
      if (first !== undefined && (best === undefined || comparePlaces(first, best) < 0)) {
        best = first;
      }
    }
    return best;
  }

  /**
   * Records that `holder` holds the first job of an open line, and so all jobs in line behind it. False if
   * the job was already recorded.
   */
  hold(place: Place, holder: Holder): boolean {
    const before = this.#waitingOf(place.id);
    const after = this.#behind(holder);
    if (before !== after) {
      this.remove(place);
      after.line.add(place);
      this.#held.set(place.id, after);
      this.#keep(after);
    }
    this.#open.delete(after);
    return before !== after;
  }

  /** Opens the line of `holder`, which may let one more job pass. */
  open(holder: Holder): void {
    const known = this.#find(holder);
    if (known !== undefined) this.#open.add(known);
  }

  /** Opens the line of job `id`, which has ended. */
  ended(id: JobId): void {
    const known = this.#byJob.get(id);
    if (known === undefined) return;
    this.#byJob.delete(id);
    known.holder = undefined;
    this.#open.add(known);
  }

  /** The rules have changed: jobs held by rules have to be examined again. */
  rulesChanged(): void {
    for (const known of this.#byRule.values()) {
      known.holder = undefined;
      this.#open.add(known);
    }
    this.#byRule.clear();
  }

  #waitingOf(id: JobId): Waiting {
    return this.#held.get(id) ?? this.#arrivals;
  }

  #find(holder: Holder): Waiting | undefined {
    switch (holder.kind) {
      case "job":
        return this.#byJob.get(holder.id);
      case "rule":
        return this.#byRule.get(holder.rule.uuid);
      case "bucket":
        return this.#byBucket.get(holder.text);
    }
  }

  #behind(holder: Holder): Waiting {
    return this.#find(holder) ?? { line: new Line(), holder };
  }

  #keep(waiting: Waiting): void {
    const { holder } = waiting;
    if (holder?.kind === "job") this.#byJob.set(holder.id, waiting);
    else if (holder?.kind === "rule") this.#byRule.set(holder.rule.uuid, waiting);
    else if (holder?.kind === "bucket") this.#byBucket.set(holder.text, waiting);
  }

  /** Removes an empty line. */
  #drop(waiting: Waiting): void {
    if (waiting === this.#arrivals) return;
    this.#open.delete(waiting);
    const { holder } = waiting;
    if (holder?.kind === "job") this.#byJob.delete(holder.id);
    else if (holder?.kind === "rule") this.#byRule.delete(holder.rule.uuid);
    else if (holder?.kind === "bucket") this.#byBucket.delete(holder.text);
  }
}
