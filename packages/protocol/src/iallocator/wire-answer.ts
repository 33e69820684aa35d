/** What an allocator answers, by type of request. */
import * as z from "zod";
import { GroupName, InstanceName, NodeName } from "../ids.js";
import { EvacuationOpcode } from "./evacuation-opcode.js";
import type { AllocatorRequest } from "./request.js";

/** A request that could not be fulfilled; `info` says why. */
export const FailureAnswer = z.object({
  success: z.literal(false),
  info: z.string(),
  result: z.tuple([]),
});
export type FailureAnswer = z.infer<typeof FailureAnswer>;

const node = NodeName.refine(notEmpty, "an empty name");
const instance = InstanceName.refine(notEmpty, "an empty name");
const group = GroupName.refine(notEmpty, "an empty name");

/** The nodes of the instance, primary first; as many as `required_nodes` asked for. */
export const AllocateAnswer = answer(z.array(node));
export type AllocateAnswer = z.infer<typeof AllocateAnswer>;

/** The instance's new secondary (drbd), or its new primary. */
export const RelocateAnswer = answer(z.array(node));
export type RelocateAnswer = z.infer<typeof RelocateAnswer>;

/** The name of the new secondary, not in a list. */
export const AllocateSecondaryAnswer = answer(node);
export type AllocateSecondaryAnswer = z.infer<typeof AllocateSecondaryAnswer>;

/**
 * The placed instances with their nodes, then those without a place: each with the reason, as
 * `hail` writes them, or its name alone, as Ganeti's own check wants them.
 */
export const MultiAllocateAnswer = answer(
  z.tuple([
    z.array(z.tuple([instance, z.array(node)])),
    z.array(z.union([instance, z.tuple([instance, z.string().nullable()])])),
  ]),
);
export type MultiAllocateAnswer = z.infer<typeof MultiAllocateAnswer>;

/**
 * How many instances find a place; each with its nodes, in the order in which they were placed; and why
 * no more do: counted reasons, `limit`, or a text. Scores are null where they are no numbers.
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
 * The instances that can move, each with the group and nodes it moves to; those that cannot, with
 * the reason; and for every one that can a list of the opcodes to do it, in the same order.
 */
export const EvacuationAnswer = answer(
  z.tuple([
    z.array(z.tuple([instance, group, z.array(node)])),
    z.array(z.tuple([instance, z.string().nullable()])),
    z.array(z.array(EvacuationOpcode)),
  ]),
);
export type EvacuationAnswer = z.infer<typeof EvacuationAnswer>;

/** Null stands for what is no number: on a node without memory, say, no score is one. */
const score = z.number().nullable();

/**
 * As for evacuations, with one entry and one job for every move, in their order; then the figures.
 * An instance may be moved more than once. A job depends on all jobs of the job set before its own.
 */
export const BalanceAnswer = answer(
  z.tuple([
    z.array(z.tuple([instance, group, z.array(node)])),
    z.tuple([]),
    z.array(z.array(EvacuationOpcode)),
    z.object({
      initial_score: score,
      final_score: score,
      /** No balancing gets below. */
      optimal_score: score,
      /** Instance, what is done as `hbal` writes it but with full names, and the score then. */
      moves: z.array(z.tuple([instance, z.string(), score])),
      /** How many jobs, in their order, can run at the same time. */
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
