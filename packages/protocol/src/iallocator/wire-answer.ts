/** Schemas of answers, by type of request. */
import * as z from "zod";
import { GroupName, InstanceName, NodeName } from "../ids.js";
import { EvacuationOpcode } from "./evacuation-opcode.js";
import type { AllocatorRequest } from "./request.js";

/** A request that could not be fulfilled; `info` is the reason. */
export const FailureAnswer = z.object({
  success: z.literal(false),
  info: z.string(),
  result: z.tuple([]),
});
export type FailureAnswer = z.infer<typeof FailureAnswer>;

const node = NodeName.refine(notEmpty, "an empty name");
const instance = InstanceName.refine(notEmpty, "an empty name");
const group = GroupName.refine(notEmpty, "an empty name");

/** The nodes of the instance, primary first; their number is `required_nodes`. */
export const AllocateAnswer = answer(z.array(node));
export type AllocateAnswer = z.infer<typeof AllocateAnswer>;

/** The instance's new secondary (drbd), or its new primary. */
export const RelocateAnswer = answer(z.array(node));
export type RelocateAnswer = z.infer<typeof RelocateAnswer>;

/** The name of the new secondary, not in a list. */
export const AllocateSecondaryAnswer = answer(node);
export type AllocateSecondaryAnswer = z.infer<typeof AllocateSecondaryAnswer>;

/**
 * The placed instances with their nodes, then those that could not be placed: each with the reason, as `hail`
 * writes them, or its name alone, as Ganeti's own check expects.
 */
export const MultiAllocateAnswer = answer(
  z.tuple([
    z.array(z.tuple([instance, z.array(node)])),
    z.array(z.union([instance, z.tuple([instance, z.string().nullable()])])),
  ]),
);
export type MultiAllocateAnswer = z.infer<typeof MultiAllocateAnswer>;

/**
 * Number of instances that fit; each with its nodes, in the order of placement; and the reasons for the end:
 * counted misfits, `limit`, or a text. Scores are null if they are NaN.
 */
export const CapacityAnswer = answer(
  z.tuple([
    z.int().nonnegative(),
    z.array(z.tuple([instance, z.array(node)])),
    z.object({
      stop: z.string(),
      initial_score: z.number().nullable(),
      final_score: z.number().nullable(),
    }),
  ]),
);
export type CapacityAnswer = z.infer<typeof CapacityAnswer>;

/**
 * The instances that can move, each with its new group and nodes; those that cannot, with the reason; and for
 * each one that can, a list of opcodes for the move, in the same order.
 */
export const EvacuationAnswer = answer(
  z.tuple([
    z.array(z.tuple([instance, group, z.array(node)])),
    z.array(z.tuple([instance, z.string().nullable()])),
    z.array(z.array(EvacuationOpcode)),
  ]),
);
export type EvacuationAnswer = z.infer<typeof EvacuationAnswer>;

/** Null stands for NaN, e.g. the score of nodes without memory. */
const score = z.number().nullable();

/**
 * Like the answer to evacuations, with one entry and one job for every move, in order; then the figures. An
 * instance may be moved more than once. A job depends on all jobs of the previous job set.
 */
export const BalanceAnswer = answer(
  z.tuple([
    z.array(z.tuple([instance, group, z.array(node)])),
    z.tuple([]),
    z.array(z.array(EvacuationOpcode)),
    z.object({
      initial_score: score,
      final_score: score,
      /** Lower bound for any balancing. */
      optimal_score: score,
      /** Instance, the move in `hbal`'s notation but with full names, and the score after it. */
      moves: z.array(z.tuple([instance, z.string(), score])),
      /** Numbers of consecutive jobs that can run at the same time. */
      jobsets: z.array(z.int().positive()),
    }),
  ]),
);
export type BalanceAnswer = z.infer<typeof BalanceAnswer>;

/** The schema of the answer to each type of request. */
export const wireAnswers = {
  allocate: AllocateAnswer,
  "multi-allocate": MultiAllocateAnswer,
  capacity: CapacityAnswer,
  "allocate-secondary": AllocateSecondaryAnswer,
  relocate: RelocateAnswer,
  "node-evacuate": EvacuationAnswer,
  "change-group": EvacuationAnswer,
  balance: BalanceAnswer,
} as const satisfies Record<AllocatorRequest["type"], z.ZodType>;

function answer<T extends z.ZodType>(result: T) {
  const success = z.object({ success: z.literal(true), info: z.string(), result });
  return z.discriminatedUnion("success", [success, FailureAnswer]);
}

function notEmpty(name: string): boolean {
  return name !== "";
}
