/** What `harep --json` prints: what is wrong with instances, and what was done about it. */
import * as z from "zod";
import { JobId } from "../jobs/job-id.js";

/** From the least destructive to the most. */
const repairType = z.enum(["fix-storage", "migrate", "failover", "reinstall"]);

/** Healthy ones may need a repair that nobody has allowed. */
const state = z.enum(["healthy", "needs-repair", "pending", "failed"]);

/** In the order in which they happened. Tags are those of the instance. */
const action = z.discriminatedUnion("kind", [
  /** The jobs of an earlier repair have ended. */
  z.strictObject({ kind: z.literal("ended"), from: state, to: state }),
  /** Submitted with these jobs; none in a dry run. */
  z.strictObject({
    kind: z.literal("repair"),
    type: repairType,
    jobs: z.array(JobId),
    opcodes: z.array(z.looseObject({ OP_ID: z.string() })),
  }),
  /** Its tags allow only lesser repairs. */
  z.strictObject({ kind: z.literal("too-strong"), type: repairType, upTo: repairType }),
  z.strictObject({ kind: z.literal("not-enabled") }),
  /** `until` in seconds since the epoch; null: for ever. */
  z.strictObject({ kind: z.literal("suspended"), until: z.number().nullable() }),
  z.strictObject({ kind: z.literal("tag-added"), tag: z.string() }),
  z.strictObject({ kind: z.literal("tags-removed"), tags: z.array(z.string()) }),
]);

export const HarepReport = z.strictObject({
  /** Nothing was submitted. */
  dryRun: z.boolean(),
  instances: z.array(
    z.strictObject({
      name: z.string(),
      state,
      /** What would repair it; null: nothing is wrong, or nothing can be done. */
      needs: repairType.nullable(),
      actions: z.array(action),
    }),
  ),
});
export type HarepReport = z.infer<typeof HarepReport>;
