/** Queued jobs to which a REJECT rule applies, found incrementally. */
import type { JobId } from "@ganeti-ts/protocol";
import type { Entry } from "../steps/entry.js";
import { applyingRule, type KnownJobs, lookCost } from "./judgement.js";

/** Jobs are judged when they arrive and when the rules change, and only if some rule can reject. */
export class Rejections {
  /** Jobs not yet judged since the rules changed. */
  #rest: Iterator<JobId> | undefined;
  readonly #arrived = new Set<JobId>();
  readonly #found = new Set<JobId>();
  #canReject = false;

  /** A job has arrived, has left, or has stopped running. */
  touch(id: JobId): void {
    this.#found.delete(id);
    if (this.#canReject) this.#arrived.add(id);
  }

  rulesChanged(image: KnownJobs): void {
    this.#canReject = image.rules.some(({ action }) => action === "REJECT");
    this.#arrived.clear();
    this.#found.clear();
    // The iterator also visits jobs added meanwhile, and skips removed ones.
    this.#rest = this.#canReject ? image.ids() : undefined;
  }

  /** The rejected jobs found so far that still exist; done if no jobs are left to judge. */
  look(image: KnownJobs, lookMax: number): { readonly found: readonly Entry[]; isDone: boolean } {
    let left = lookMax;
    while (left > 0) {
      const id = this.#next();
      if (id === undefined) break;
      const entry = image.get(id);
      if (entry === undefined || entry.claim !== null) left--;
      else {
        left -= lookCost(entry, image);
        if (applyingRule(entry, image)?.action === "REJECT") this.#found.add(id);
      }
    }
    const isDone = this.#rest === undefined && this.#arrived.size === 0;
    return { found: [...this.#found].map((id) => image.get(id) as Entry), isDone };
  }

  #next(): JobId | undefined {
    for (const id of this.#arrived) {
      this.#arrived.delete(id);
      return id;
    }
    const next = this.#rest?.next();
    if (next?.done === false) return next.value;
    this.#rest = undefined;
    return undefined;
  }
}
