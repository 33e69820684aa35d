/** Refusal of a candidate: the rule, and the compared figures. */
import * as z from "zod";

/** A number, or the name of one that JSON cannot express. */
export const Figure = z.union([z.number(), z.literal(["NaN", "Infinity", "-Infinity"])]);
export type Figure = z.infer<typeof Figure>;

/** Rules of htools that refuse a place, by the names that its texts use. */
export const refusalRules = [
  "FailMem",
  "FailDisk",
  "FailCPU",
  "FailN1",
  "FailTags",
  "FailMig",
  "FailDiskCount",
  "FailSpindles",
] as const;

/**
 * Check that failed, with the compared figures.
 *
 * | check | value is compared with limit | unit |
 * |---|---|---|
 * | `memory` | needed, free: it must be less | MiB |
 * | `reserved-memory` | needed and kept for the failure of a peer, free: less | MiB |
 * | `disk` | needed, free: less | MiB |
 * | `spindles` | needed, free (exclusive storage) | spindles |
 * | `spindle-use` | used afterwards, spindle ratio times spindles | spindle uses |
 * | `vcpus` | vcpus per CPU afterwards, the policy's vcpu ratio | vcpus per CPU |
 * | `exclusion-tags` | tags it shares with a primary of the node | |
 * | `migration-tags` | tags that the node does not accept | |
 * | `policy` | a size, a bound of the instance policy | MiB, vcpus, … |
 * | `template` | disk template that is not allowed, or not mirrored | |
 * | `emptying` | the node could not be emptied afterwards | |
 */
const refusalChecks = [
  "memory",
  "reserved-memory",
  "disk",
  "spindles",
  "spindle-use",
  "vcpus",
  "exclusion-tags",
  "migration-tags",
  "policy",
  "template",
  "emptying",
] as const;

/** A node that could not take an instance while the instance's own node was being emptied. */
export const Attempt = z.strictObject({
  node: z.string(),
  rule: z.enum(refusalRules),
  check: z.enum(refusalChecks),
  value: Figure.optional(),
  limit: Figure.optional(),
  /** For example `FailMem, needs 4096 MiB, 1024 MiB free`. */
  text: z.string(),
});
export type Attempt = z.infer<typeof Attempt>;

/** The rule that refuses a place, and the figures that were compared. */
export const Refusal = z.strictObject({
  rule: z.enum(refusalRules),
  check: z.enum(refusalChecks),
  /** The refusing node; for FailN1 the node that could not be emptied. */
  node: z.string(),
  /** Role in which the node was refused; null for FailN1 and the policy. */
  role: z.enum(["primary", "secondary"]).nullable(),
  /** Step of a longer move at which the refusal occurs. */
  step: z.string().optional(),
  /** Whether `--ignore-soft-errors` lifts it, if that option applies. */
  soft: z.boolean(),
  /** Whether it fits only without forthcoming instances. */
  countingReservations: z.boolean(),
  /** Compared quantity of a `policy` check: `memory`, `disk`, `vcpus`, `spindles`, `spindle use`, `disks`. */
  resource: z.string().optional(),
  unit: z.string().optional(),
  value: Figure.optional(),
  limit: Figure.optional(),
  tags: z.array(z.string()).optional(),
  /** The instance that has the tag, or that fits on no other node. */
  instance: z.string().optional(),
  attempts: z.array(Attempt).optional(),
  attemptsOmitted: z.int().optional(),
  /** The refusal as text: `node3: FailMem, needs 4096 MiB, 1024 MiB free`. */
  text: z.string(),
});
export type Refusal = z.infer<typeof Refusal>;
