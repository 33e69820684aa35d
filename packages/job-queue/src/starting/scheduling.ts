/**
 * Scheduling pass: the jobs that start now. Equivalent to the pass of `@ganeti-ts/job-filter`, but made after
 * every change: it keeps its findings, and stops when no slot is left.
 */
import { jobFacts } from "@ganeti-ts/job-filter";
import type { JobId } from "@ganeti-ts/protocol";
import type { Entry } from "../steps/entry.js";
import type { Image } from "../steps/image.js";
import { applyingRule, bucketsOf, lookCost, openLinesOf, Usage } from "./judgement.js";
import type { Place } from "./line.js";
import type { Holder } from "./waiting.js";

/** Maximum number of held jobs per pass before other work gets its turn, in units of `lookCost`. */
export const lookMaxDefault = 2048;

/** Maximum number of jobs that one step cancels because of a rule; each has to be written. */
const rejectMax = 128;

export interface Rejected {
  /** Queued jobs to which REJECT applies. */
  readonly rejected: readonly Entry[];
  /** False: there may be more. */
  readonly isDone: boolean;
}

/** Does not change the image. Cost: O(new jobs × rules), or all jobs after a change of the rules. */
export function chooseRejected(image: Image, lookMax: number): Rejected {
  const { found, isDone } = image.rejections.look(image, lookMax);
  return { rejected: found.slice(0, rejectMax), isDone: isDone && found.length <= rejectMax };
}

export interface Started {
  /** In the order in which they start. */
  readonly started: readonly Entry[];
  /** False: it stopped at `lookMax`, and later jobs may start as well. */
  readonly isDone: boolean;
  /** Number of examined jobs. */
  readonly looked: number;
}

/**
 * Does not change the jobs of the image, only its findings about waiting jobs: a held job is examined again
 * when the cause that holds it may have changed. Cost: O(claimed + examined × open lines). `capacity` is the
 * number of jobs this worker could take.
 */
export function chooseStarted(image: Image, capacity: number, lookMax: number): Started {
  const { waiting } = image;
  let free = Math.min(capacity, image.settings.runningMax - image.claimed.size);
  let left = lookMax;
  let looked = 0;
  const usage = free > 0 ? new Usage(image) : undefined;
  const places: Place[] = [];
  try {
    while (usage !== undefined && free > 0 && left > 0) {
      const place = waiting.first();
      if (place === undefined) break;
      const entry = image.get(place.id) as Entry;
      looked++;
      const holder = blockerOf(place.id, entry, image) ?? roomFor(entry, image, usage);
      if (holder !== undefined) {
        // Only new findings count, so a pass that repeatedly starts nothing also ends.
        if (waiting.hold(place, holder)) left -= lookCost(entry, image);
      } else {
        places.push(place);
        waiting.remove(place);
        free--;
      }
    }
  } finally {
    // They keep waiting until they are claimed, which is not certain: their slots may stay free, or a job cannot be read.
    // Each comes to the beginning of its line, which is free only if the last one comes first.
    for (const place of places.toReversed()) waiting.put(place);
  }
  const started = places.map(({ id }) => image.get(id) as Entry);
  for (const entry of started) openLinesOf(entry, image);
  return { started, isDone: free <= 0 || left > 0 || waiting.first() === undefined, looked };
}

/**
 * A job that must end first. A job cannot wait for itself or for later jobs: such an opcode fails when its
 * turn comes.
 */
function blockerOf(own: JobId, entry: Entry, image: Image): Holder | undefined {
  if (entry.isPlain) return undefined;
  const id = jobFacts(entry.inputs).dependencies.find(
    (one) => one < own && image.get(one as JobId) !== undefined,
  );
  return id === undefined ? undefined : { kind: "job", id };
}

/** Takes a slot of each rule and bucket of the job; otherwise returns the one without a free slot. */
function roomFor(entry: Entry, image: Image, usage: Usage): Holder | undefined {
  const buckets = bucketsOf(entry);
  const rule = applyingRule(entry, image);
  const full = usage.fullFor(rule, buckets);
  if (full === undefined) usage.add(rule, buckets);
  return full;
}
