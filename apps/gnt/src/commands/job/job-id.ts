/** Ids of jobs as people write them. */
import { prereqError } from "../../errors.js";

/** @throws GanetiError */
export function jobId(text: string): number {
  const id = Number(text);
  if (/^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw prereqError(`Invalid job ID passed: invalid literal for int() with base 10: '${text}'`);
}
