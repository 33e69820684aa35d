/** Reasons why a job is not running, for users. */
import { type HoldCause, holdText, jobFacts } from "@ganeti-ts/job-filter";
import type { LockManager, LockMode } from "@ganeti-ts/locking";
import type { Clock, FilterRule, JobId } from "@ganeti-ts/protocol";
import { currentOpcode, jobPriorityOf } from "../jobs/job-status.js";
import { turn } from "../jobs/reading.js";
import { QueueError } from "../queue-error.js";
import type { Engine } from "../steps/engine.js";
import type { Entry } from "../steps/entry.js";
import type { Image } from "../steps/image.js";
import { applyingRule } from "./judgement.js";
import { comparePlaces } from "./line.js";
import { chooseStarted } from "./scheduling.js";

/** One cause that keeps a job from running, with the jobs, rule or locks behind it. */
export type Hindrance =
  | HoldCause
  /** A rule rejects it: the next pass will cancel it. */
  | { readonly kind: "rejected"; readonly uuid: string }
  /** A worker has taken it, and it waits for a lock. */
  | {
      readonly kind: "lock";
      readonly lock: string;
      readonly mode: LockMode;
      /** The holders, in the lock monitor's notation. */
      readonly owners: readonly string[];
    };

/** Rest of a sentence that begins with "Job N". */
export function hindranceText(hindrance: Hindrance): string {
  if (hindrance.kind === "rejected") return `is rejected by filter rule ${hindrance.uuid}`;
  if (hindrance.kind !== "lock") return holdText(hindrance);
  const { lock, mode, owners } = hindrance;
  const holders =
    owners.length === 0 ? "asked for by others before it" : `held by ${owners.join(", ")}`;
  return `waits for ${lock} (${mode}), ${holders}`;
}

interface Asked {
  readonly clock: Clock;
  readonly locks: LockManager;
  readonly lookMax: number;
}

/** Everything that prevents the job from running now. @throws QueueError `unknown_job` */
export async function hindrances(
  engine: Engine,
  { clock, locks, lookMax }: Asked,
  id: JobId,
): Promise<readonly Hindrance[]> {
  const { image } = engine;
  for (;;) {
    await engine.durable();
    const entry = image.get(id);
    if (entry === undefined) throw new QueueError("unknown_job", `Job ${id} not found in queue`);
    if (entry.claim !== null) return lockHindrances(entry, locks);
    const { started, isDone } = chooseStarted(image, Infinity, lookMax);
    if (isDone) return startHindrances(image, entry, started);
    await turn(clock);
  }
}

/**
 * Everything that prevents a queued job from starting; `started` are the jobs that start now. Cost: O(claimed
 * + started + its dependencies).
 */
export function startHindrances(
  image: Image,
  entry: Entry,
  started: readonly Entry[],
): readonly Hindrance[] {
  const { job, inputs } = entry;
  if (started.includes(entry)) return [];
  const rule = applyingRule(entry, image);
  if (rule?.action === "REJECT") return [{ kind: "rejected", uuid: rule.uuid }];
  const causes: HoldCause[] = [];
  const { buckets, dependencies } = jobFacts(inputs);
  const jobs = dependencies.filter((id) => id < job.id && image.get(id) !== undefined);
  if (jobs.length > 0) causes.push({ kind: "dependency", jobs });
  const claimed = [...image.claimed].map((id) => image.get(id) as Entry);
  const before = [
    ...claimed,
    ...started.filter((one) => comparePlaces(placeOf(one), placeOf(entry)) < 0),
  ];
  if (rule !== undefined) causes.push(...ruleCauses(image, rule, before));
  for (const { text, limit } of buckets) {
    const members = before.filter((one) =>
      jobFacts(one.inputs).buckets.some((two) => two.text === text),
    );
    if (members.length >= limit)
      causes.push({ kind: "bucket", bucket: text, limit, members: members.map(idOf) });
  }
  const { runningMax } = image.settings;
  if (before.length >= runningMax) {
    causes.push({ kind: "running_limit", limit: runningMax, claimedCount: before.length });
  }
  return causes;
}

/** `before` are the jobs that hold slots, or get them first. */
function ruleCauses(image: Image, rule: FilterRule, before: readonly Entry[]): HoldCause[] {
  const { action, uuid, reason_trail } = rule;
  const causing = { uuid, reasonTrail: reason_trail };
  if (action === "PAUSE") return [{ kind: "paused", rule: causing }];
  if (typeof action === "string") return [];
  const members = before.filter((one) => applyingRule(one, image) === rule).map(idOf);
  const [, limit] = action;
  return members.length < limit ? [] : [{ kind: "rate_limit", rule: causing, limit, members }];
}

const idOf = ({ job }: Entry): JobId => job.id;
const placeOf = ({ job }: Entry) => ({ id: job.id, priority: jobPriorityOf(job.opcodes) });

async function lockHindrances({ job }: Entry, locks: LockManager): Promise<readonly Hindrance[]> {
  if (job.opcodes[currentOpcode(job)]?.status !== "waiting") return [];
  const name = String(job.id);
  return (await locks.monitor()).flatMap(({ name: lock, owner, pending }): Hindrance[] => {
    const asked = pending.find(([, owners]) => owners.includes(name));
    if (asked === undefined) return [];
    return [{ kind: "lock", lock, mode: asked[0], owners: owner.filter((one) => one !== name) }];
  });
}
