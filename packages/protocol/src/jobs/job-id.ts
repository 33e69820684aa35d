/** Numbers of jobs: whole, from 0, only ever growing, never used twice. */
import * as z from "zod";

export const JobId = z.int().nonnegative().brand<"JobId">();
export type JobId = z.infer<typeof JobId>;

/**
 * A job id as people and programs write it, number or decimal string; undefined if it is none.
 * Fractions and negative numbers are none.
 */
export function readJobId(value: unknown): JobId | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  // Without the schema, so that programs can do without its library.
  return Number.isSafeInteger(number) && Number(number) >= 0 ? (number as JobId) : undefined;
}

/** What Ganeti says about `value` that is not a job id. */
export const invalidJobId = (value: unknown): string => `Invalid job ID '${String(value)}'`;
