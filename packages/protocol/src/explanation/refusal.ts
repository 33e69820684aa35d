/** Why a candidate is refused: the rule, and what was compared with what. */
import * as z from "zod";

/** A number; those that JSON has no notation for, by their name. */
export const Figure = z.union([z.number(), z.literal(["NaN", "Infinity", "-Infinity"])]);
export type Figure = z.infer<typeof Figure>;

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
 * What was looked at.
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
export const refusalChecks = [
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

/** A node on which an instance found no place while its own node was being emptied. */
export const Attempt = z.strictObject({
  node: z.string(),
  rule: z.enum(refusalRules),
  check: z.enum(refusalChecks),
  value: Figure.optional(),
  limit: Figure.optional(),
  /** `FailMem, needs 4096 MiB, 1024 MiB free` */
  text: z.string(),
});
export type Attempt = z.infer<typeof Attempt>;

export const Refusal = z.strictObject({
  rule: z.enum(refusalRules),
  check: z.enum(refusalChecks),
  /** The node that refuses; for FailN1 the one that could not be emptied. */
  node: z.string(),
  /** As what it refuses; null for FailN1 and the policy. */
  role: z.enum(["primary", "secondary"]).nullable(),
  /** The step of a longer move at which it happens. */
  step: z.string().optional(),
  /** `--ignore-soft-errors` lifts it, where that option applies. */
  soft: z.boolean(),
  /** Forthcoming instances count as if they were there; without them there would be room. */
  countingReservations: z.boolean(),
  /** What is compared in a `policy` check: `memory`, `disk`, `vcpus`, `spindles`, `spindle use`, `disks`. */
  resource: z.string().optional(),
  unit: z.string().optional(),
  value: Figure.optional(),
  limit: Figure.optional(),
  tags: z.array(z.string()).optional(),
  /** Who has the tag, or finds no other node. */
  instance: z.string().optional(),
  attempts: z.array(Attempt).optional(),
  attemptsOmitted: z.int().optional(),
  /** All of it for people: `node3: FailMem, needs 4096 MiB, 1024 MiB free`. */
  text: z.string(),
});
export type Refusal = z.infer<typeof Refusal>;
