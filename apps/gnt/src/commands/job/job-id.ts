/** Job ids as typed by users. */
import { Ending, prereqError } from "../../errors.js";
import type { Output } from "../../invocation.js";

/** @throws GanetiError in Ganeti's words; on a terminal Ending in plain ones */
export function jobId(text: string, out: Output): number {
  const id = Number(text);
  if (/^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(id)) return id;
  if (out.terminal !== undefined) throw new Ending(notANumber(text));
  throw prereqError(`Invalid job ID passed: invalid literal for int() with base 10: '${text}'`);
}

export const notANumber = (text: string): string =>
  `'${text}' is not a job number; "gnt-job list" shows the numbers of all jobs.`;

export const noSuchJob = (id: number): string =>
  `There is no job ${id}; "gnt-job list" shows all jobs.`;
