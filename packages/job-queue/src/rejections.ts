/** Queued jobs to which a REJECT rule applies, found a few at a time. */
import type { JobId } from "@ganeti-ts/protocol";
import type { Entry } from "./entry.js";
import { applyingRule, type KnownJobs, lookCost } from "./judgement.js";

/** Jobs are judged when they come and when the rules change, and only where a rule can reject. */
export class Rejections {
  /** Jobs that were there when the rules changed, and that have not been judged since. */
  #rest: Iterator<JobId> | undefined;
  readonly #arrived = new Set<JobId>();
  readonly #found = new Set<JobId>();
  #canReject = false;

  /** A job has come, has left, or is not under way any more. */
  touch(id: JobId): void {
    this.#found.delete(id);
    if (this.#canReject) this.#arrived.add(id);
  }

  rulesChanged(image: KnownJobs): void {
    this.#canReject = image.rules.some(({ action }) => action === "REJECT");
    this.#arrived.clear();
    this.#found.clear();
    // It also finds what comes meanwhile, and passes over what goes.
    this.#rest = this.#canReject ? image.ids() : undefined;
  }

  /** The jobs found so far that are still there; done if no others are left to be judged. */
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
