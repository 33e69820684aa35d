/**
 * The pass: which jobs start now. Equal to the pass of `@ganeti-ts/job-filter`, but for one that is
 * made after every change: it keeps the order between passes, and stops where no slot is left.
 */
import { jobFacts } from "@ganeti-ts/job-filter";
import type { JobId } from "@ganeti-ts/protocol";
import type { Entry, Image } from "./image.js";
import { applyingRule, Usage } from "./judgement.js";

export interface Chosen {
  /** Queued jobs to which REJECT applies. */
  readonly rejected: readonly Entry[];
  /** In the order in which they start. */
  readonly started: readonly Entry[];
}

/**
 * Does not change the image. Cost: O(jobs not judged yet × rules + claimed + jobs walked), where the
 * walk ends with the last free slot. `capacity` is how many this worker could take.
 */
export function choose(image: Image, capacity: number): Chosen {
  const rejected = rejections(image);
  const gone = new Set<JobId>(rejected.map(({ job }) => job.id));
  let free = Math.min(capacity, image.settings.runningMax - image.claimed.size);
  if (free <= 0) return { rejected, started: [] };

  const usage = new Usage(image);
  const started: Entry[] = [];
  for (const entry of image.candidates()) {
    const { job, inputs } = entry;
    const { buckets, dependencies } = jobFacts(inputs);
    // Its own id and later ones cannot be waited for: the opcode fails when it is its turn.
    const isBlocked = dependencies.some(
      (id) => id < job.id && !gone.has(id) && image.get(id) !== undefined,
    );
    if (isBlocked || gone.has(job.id)) continue;
    const rule = applyingRule(entry, image);
    if (!usage.hasRoom(rule, buckets)) continue;
    usage.add(rule, buckets);
    started.push(entry);
    if (--free === 0) break;
  }
  return { rejected, started };
}

/** Looks at every queued job, but only where a rule can reject. */
function rejections(image: Image): Entry[] {
  if (!image.rules.some(({ action }) => action === "REJECT")) return [];
  return [...image.candidates()].filter((entry) => applyingRule(entry, image)?.action === "REJECT");
}
