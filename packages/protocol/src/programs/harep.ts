/** Document of `harep --json`: problems of instances, and the actions taken. */
import * as z from "zod";
import { JobId } from "../jobs/job-id.js";

/** From the least destructive to the most. */
const repairType = z.enum(["fix-storage", "migrate", "failover", "reinstall"]);

/** An instance can need a repair that is not allowed. */
const state = z.enum(["healthy", "needs-repair", "pending", "failed"]);

/** In chronological order. Tags are those of the instance. */
const action = z.discriminatedUnion("kind", [
  /** The jobs of an earlier repair have ended. */
  z.strictObject({ kind: z.literal("ended"), from: state, to: state }),
  /** Submitted with these jobs; none in a dry run. */
  z.strictObject({
    kind: z.literal("repair"),
    type: repairType,
    jobs: z.array(JobId),
    opcodes: z.array(z.looseObject({ OP_ID: z.string() })),
    /** With `--storage` or `--explain`. */
    why: z.string().exactOptional(),
  }),
  /** It has lost data, and nothing can be done at present. */
  z.strictObject({ kind: z.literal("waiting"), why: z.string() }),
  /** Its tags allow only lesser repairs. */
  z.strictObject({ kind: z.literal("too-strong"), type: repairType, upTo: repairType }),
  z.strictObject({ kind: z.literal("not-enabled") }),
  /** `until` in seconds since the epoch; null: for ever. */
  z.strictObject({ kind: z.literal("suspended"), until: z.number().nullable() }),
  z.strictObject({ kind: z.literal("tag-added"), tag: z.string() }),
  z.strictObject({ kind: z.literal("tags-removed"), tags: z.array(z.string()) }),
]);

/** Repair of a node's storage, before those of instances. */
const nodeAction = z.strictObject({
  node: z.string(),
  /** New disks stay off a physical volume, or a volume group is made consistent. */
  kind: z.enum(["close", "repair-group"]),
  why: z.string(),
  /** `not-allowed`: not every instance with lost data on the node allows repairs. */
  outcome: z.enum(["done", "planned", "failed", "not-allowed"]),
  /** Text of the error if it failed; names of the instances that do not allow repairs. */
  detail: z.string().exactOptional(),
});

/** Output of `harep --json`. */
export const HarepReport = z.strictObject({
  /** Whether nothing was submitted. */
  dryRun: z.boolean(),
  /** With `--storage`. */
  nodes: z.array(nodeAction).exactOptional(),
  instances: z.array(
    z.strictObject({
      name: z.string(),
      state,
      /** The repair it needs; null: it is healthy, or cannot be repaired. */
      needs: repairType.nullable(),
      actions: z.array(action),
    }),
  ),
});
export type HarepReport = z.infer<typeof HarepReport>;
