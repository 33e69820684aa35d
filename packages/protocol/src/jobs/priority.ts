/** How urgent an opcode is: a lower number is served sooner. */
import * as z from "zod";

/** What people may ask for. */
export const SubmitPriority = z.union([z.literal(-10), z.literal(0), z.literal(10)]);
export type SubmitPriority = z.infer<typeof SubmitPriority>;

export const submitPriorities = { high: -10, normal: 0, low: 10 } as const;

/** The best priority an opcode can rise to while it waits for locks. */
export const priorityBest = -20;
export const priorityWorst = 19;

export const Priority = z.int().min(priorityBest).max(priorityWorst);
export type Priority = z.infer<typeof Priority>;

/** What Ganeti says about a priority that nobody may ask for. */
export const invalidPriority = (value: unknown): string =>
  `Invalid priority ${String(value)}, allowed are -10, 0, 10`;
