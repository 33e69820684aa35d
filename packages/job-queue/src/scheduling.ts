/**
 * The pass: which jobs start now. Equal to the pass of `@ganeti-ts/job-filter`, but it stops where
 * no slot is left, and looks up rules once per job and change of rules.
 */
import type { JobId } from "@ganeti-ts/protocol";
import { gateOf } from "./dependencies.js";
import type { Entry, Image } from "./image.js";
import { hindranceOf, judge, Usage } from "./judgement.js";

export interface Pass {
  /** Queued jobs to which REJECT applies. */
  readonly rejected: readonly Entry[];
  readonly started: readonly Entry[];
}

/**
 * Does not change the image. Cost: O(jobs not judged yet × rules + claimed + jobs walked), where the
 * walk ends with the last free slot. `capacity` is how many this worker could take.
 */
export function pass(image: Image, capacity: number): Pass {
  const { rules, settings, claimed } = image;
  const rejected = rules.some(({ action }) => action === "REJECT") ? rejections(image) : [];
  const gone = new Set<JobId>(rejected.map(({ job }) => job.id));
  let free = Math.min(capacity, settings.runningMax - claimed.size);
  if (free <= 0) return { rejected, started: [] };

  const usage = Usage.of(
    [...claimed].map((id) => image.get(id) as Entry),
    rules,
  );
  const started: Entry[] = [];
  for (const entry of image.candidates()) {
    if (gone.has(entry.job.id) || blockedBy(entry, image, gone) !== undefined) continue;
    const judgement = judge(entry, rules);
    if (hindranceOf(judgement, usage) !== undefined) continue;
    started.push(entry);
    usage.add(judgement);
    if (--free === 0) break;
  }
  return { rejected, started };
}

function rejections(image: Image): Entry[] {
  const rejected: Entry[] = [];
  for (const entry of image.candidates()) {
    if (judge(entry, image.rules).rule?.action === "REJECT") rejected.push(entry);
  }
  return rejected;
}

/** The first job that must end before this one may start. */
export function blockedBy(
  { job }: Entry,
  image: Image,
  gone: ReadonlySet<JobId>,
): JobId | undefined {
  return gateOf(job).find((id) => image.get(id) !== undefined && !gone.has(id));
}
