/** Why a job is not running, as a person wants to know it. */
import { type FilterableJob, type HoldCause, holdText, pass } from "@ganeti-ts/job-filter";
import type { LockManager, LockMode } from "@ganeti-ts/locking";
import type { JobId } from "@ganeti-ts/protocol";
import type { Entry, Image } from "./image.js";
import { currentOpcode, jobPriorityOf } from "./job-status.js";
import { QueueError } from "./queue-error.js";

export type Hindrance =
  | HoldCause
  /** A rule rejects it: the next pass cancels it. */
  | { readonly kind: "rejected"; readonly uuid: string }
  /** It has been taken up and waits for a lock. */
  | {
      readonly kind: "lock";
      readonly lock: string;
      readonly mode: LockMode;
      /** Who holds it, as the lock monitor names them. */
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

/** Everything that keeps the job from running now. @throws QueueError `unknown_job` */
export async function hindrances(
  image: Image,
  locks: LockManager,
  id: JobId,
): Promise<readonly Hindrance[]> {
  const entry = image.get(id);
  if (entry === undefined) throw new QueueError("unknown_job", `Job ${id} not found in queue`);
  return entry.claim === null ? startHindrances(image, id) : lockHindrances(entry, locks);
}

function startHindrances(image: Image, id: JobId): readonly Hindrance[] {
  const { cancel, held } = pass({
    queued: [...image.entries()].filter(({ claim }) => claim === null).map(judged),
    claimed: [...image.claimed].map((one) => judged(image.get(one) as Entry)),
    chain: image.chain,
    runningMax: image.settings.runningMax,
  });
  const rejected = cancel.find(({ job }) => job.id === id);
  if (rejected !== undefined) return [{ kind: "rejected", uuid: rejected.rule.uuid }];
  return held.find(({ job }) => job.id === id)?.causes ?? [];
}

async function lockHindrances({ job }: Entry, locks: LockManager): Promise<readonly Hindrance[]> {
  if (job.opcodes[currentOpcode(job)]?.status !== "waiting") return [];
  const name = String(job.id);
  return (await locks.monitor()).flatMap(({ name: lock, owner, pending }): Hindrance[] => {
    const asked = pending.find(([, owners]) => owners.includes(name));
    if (asked === undefined) return [];
    return [{ kind: "lock", lock, mode: asked[0], owners: owner.filter((one) => one !== name) }];
  });
}

const judged = ({ job, inputs }: Entry): FilterableJob => ({
  id: job.id,
  priority: jobPriorityOf(job.opcodes),
  inputs,
});
