/** Job ids: integers from 0, which only increase and are never reused. */
import * as z from "zod";

/** Schema of job ids: whole numbers from 0 on. */
export const JobId = z.int().nonnegative().brand<"JobId">();
export type JobId = z.infer<typeof JobId>;

/** Parses a job id, a number or decimal string; undefined if it is invalid, e.g. a fraction or negative. */
export function readJobId(value: unknown): JobId | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  // Works without the schema, so that programs need not load zod.
  return Number.isSafeInteger(number) && Number(number) >= 0 ? (number as JobId) : undefined;
}
