/** Priorities of opcodes: lower numbers are served first. */
import * as z from "zod";

/** Priorities that users may request. */
export const SubmitPriority = z.union([z.literal(-10), z.literal(0), z.literal(10)]);
export type SubmitPriority = z.infer<typeof SubmitPriority>;

/** The best priority that an opcode can reach while it waits for locks. */
const priorityBest = -20;
/** The last priority to be served. */
const priorityWorst = 19;

/** Schema of priorities: -20 (best) to 19. */
export const Priority = z.int().min(priorityBest).max(priorityWorst);
export type Priority = z.infer<typeof Priority>;

/** Ganeti's message about a priority that cannot be requested. */
export const invalidPriority = (value: unknown): string =>
  `Invalid priority ${String(value)}, allowed are -10, 0, 10`;
