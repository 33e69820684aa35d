/** Causes that hold a job in the queue. */
import type { FilterUuid, JobId, ReasonTrail } from "@ganeti-ts/protocol";

/** Data by which an operator finds the rule and its author. */
export interface CausingRule {
  readonly uuid: FilterUuid;
  readonly reasonTrail: ReasonTrail;
}

/** Cause that holds a queued job, with the jobs or the rule behind it. */
export type HoldCause =
  /** Dependencies that are queued or running. */
  | { readonly kind: "dependency"; readonly jobs: readonly JobId[] }
  /** A PAUSE rule applies to it. */
  | { readonly kind: "paused"; readonly rule: CausingRule }
  /** The limit of its RATE_LIMIT rule is reached. */
  | {
      readonly kind: "rate_limit";
      readonly rule: CausingRule;
      readonly limit: number;
      readonly members: readonly JobId[];
    }
  /** The limit of this reason text is reached. */
  | {
      readonly kind: "bucket";
      readonly bucket: string;
      readonly limit: number;
      readonly members: readonly JobId[];
    }
  /** The limit of running jobs is reached. */
  | { readonly kind: "running_limit"; readonly limit: number; readonly claimedCount: number };

/** Rest of a sentence that begins with "Job N": the cause, with names and numbers. */
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

/** The rule's id, with its author's reason in parentheses. */
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
