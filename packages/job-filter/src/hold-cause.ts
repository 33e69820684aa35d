/** Why a job stays in the queue. */
import type { FilterUuid, JobId, ReasonTrail } from "@ganeti-ts/protocol";

/** What an operator needs to find the rule, and who made it. */
export interface CausingRule {
  readonly uuid: FilterUuid;
  readonly reasonTrail: ReasonTrail;
}

/** Cause that holds a queued job, with the jobs or the rule behind it. */
export type HoldCause =
  /** Jobs it depends on that are queued or under way. */
  | { readonly kind: "dependency"; readonly jobs: readonly JobId[] }
  /** The rule that applies to it says PAUSE. */
  | { readonly kind: "paused"; readonly rule: CausingRule }
  /** As many jobs of its RATE_LIMIT rule are under way as may be, or more. */
  | {
      readonly kind: "rate_limit";
      readonly rule: CausingRule;
      readonly limit: number;
      readonly members: readonly JobId[];
    }
  /** As many jobs with this reason text are under way as it allows, or more. */
  | {
      readonly kind: "bucket";
      readonly bucket: string;
      readonly limit: number;
      readonly members: readonly JobId[];
    }
  /** As many jobs are under way as may be at all, or more. */
  | { readonly kind: "running_limit"; readonly limit: number; readonly claimedCount: number };

/** Rest of a sentence that begins with "Job N": what holds the job, with names and numbers. */
export function holdText(cause: HoldCause): string {
  switch (cause.kind) {
    case "dependency":
      return `waits for ${jobList(cause.jobs)} to finish`;
    case "paused":
      return `is paused by ${ruleText(cause.rule)}`;
    case "rate_limit":
      return `is held by ${ruleText(cause.rule)}, which ${allows(cause.limit)}: ${jobList(cause.members)}`;
    case "bucket":
      return `is held by its reason "${cause.bucket}", which ${allows(cause.limit)}: ${jobList(cause.members)}`;
    case "running_limit":
      return `is held by the queue, which ${allows(cause.limit)}: ${cause.claimedCount} under way`;
  }
}

/** The rule's id, and in brackets the words of those who made it. */
function ruleText({ uuid, reasonTrail }: CausingRule): string {
  const words = reasonTrail.map(([, reason]) => reason).filter((reason) => reason !== "");
  return `filter rule ${uuid}${words.length === 0 ? "" : ` (${words.join("; ")})`}`;
}

function allows(limit: number): string {
  return `allows ${limit} ${limit === 1 ? "job" : "jobs"} at a time`;
}

function jobList(ids: readonly JobId[]): string {
  return `${ids.length === 1 ? "job" : "jobs"} ${ids.join(", ")}`;
}
