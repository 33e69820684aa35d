/** Why a job stays in the queue. */
import type { FilterUuid, JobId, ReasonTrail } from "@ganeti-ts/protocol";

/** What an operator needs to find the rule, and who made it. */
export interface CausingRule {
  readonly uuid: FilterUuid;
  readonly reasonTrail: ReasonTrail;
}

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
