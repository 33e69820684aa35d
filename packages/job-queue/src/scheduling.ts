/**
 * The pass: which jobs start now. Equal to the pass of `@ganeti-ts/job-filter`, but for one that is
 * made after every change: it keeps what it learnt, and stops where no slot is left.
 */
import { jobFacts } from "@ganeti-ts/job-filter";
import type { JobId } from "@ganeti-ts/protocol";
import type { Entry } from "./entry.js";
import type { Image } from "./image.js";
import { applyingRule, lookCost, openLinesOf, Usage } from "./judgement.js";
import type { Place } from "./line.js";
import type { Holder } from "./waiting.js";

/** Jobs that one pass finds to be held before everything else has its turn, in units of `lookCost`. */
export const lookMaxDefault = 2048;

/** Jobs that one step cancels because of a rule: each is written. */
const rejectMax = 128;

export interface Rejected {
  /** Queued jobs to which REJECT applies. */
  readonly rejected: readonly Entry[];
  /** False: there may be more. */
  readonly isDone: boolean;
}

/** Does not change the image. Cost: O(jobs that came since × rules), all jobs after a change of the rules. */
export function chooseRejected(image: Image, lookMax: number): Rejected {
  const { found, isDone } = image.rejections.look(image, lookMax);
  return { rejected: found.slice(0, rejectMax), isDone: isDone && found.length <= rejectMax };
}

export interface Started {
  /** In the order in which they start. */
  readonly started: readonly Entry[];
  /** False: it stopped at `lookMax`, and jobs after these may start as well. */
  readonly isDone: boolean;
  /** Number of jobs that were looked at. */
  readonly looked: number;
}

/**
 * Does not change the jobs of the image, but what it keeps about those that wait: a job that is held is looked at again
 * when what holds it may have changed. Cost: O(claimed + looks × open lines). `capacity` is how many this worker could take.
 */
export function chooseStarted(image: Image, capacity: number, lookMax: number): Started {
  const { waiting } = image;
  let free = Math.min(capacity, image.settings.runningMax - image.claimed.size);
  let left = lookMax;
  let looked = 0;
  const usage = free > 0 ? new Usage(image) : undefined;
  const places: Place[] = [];
  while (usage !== undefined && free > 0 && left > 0) {
    const place = waiting.first();
    if (place === undefined) break;
    const entry = image.get(place.id) as Entry;
    looked++;
    const holder = blockerOf(entry, image) ?? roomFor(entry, image, usage);
    if (holder !== undefined) {
      // What is learnt of a job is what counts: so a pass that starts nothing for good comes to an end as well.
      if (waiting.hold(place, holder)) left -= lookCost(entry, image);
    } else {
      places.push(place);
      waiting.remove(place.id);
      free--;
    }
  }
  const started = places.map(({ id }) => image.get(id) as Entry);
  // They wait until they are claimed, and it is not certain that they will be: what they take now may stay free.
  for (const place of places) waiting.put(place);
  for (const entry of started) openLinesOf(entry, image);
  return { started, isDone: free <= 0 || left > 0 || waiting.first() === undefined, looked };
}

/** A job that has to end first. Its own id and later ones cannot be waited for: the opcode fails when it is its turn. */
function blockerOf({ job, inputs }: Entry, image: Image): Holder | undefined {
  const id = jobFacts(inputs).dependencies.find(
    (one) => one < job.id && image.get(one as JobId) !== undefined,
  );
  return id === undefined ? undefined : { kind: "job", id };
}

/** Takes a slot of each rule and bucket of the job; else what has none. */
function roomFor(entry: Entry, image: Image, usage: Usage): Holder | undefined {
  const { buckets } = jobFacts(entry.inputs);
  const rule = applyingRule(entry, image);
  const full = usage.fullFor(rule, buckets);
  if (full === undefined) usage.add(rule, buckets);
  return full;
}
