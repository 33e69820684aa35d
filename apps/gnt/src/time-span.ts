/** Time spans as typed by users: `90`, `15m`, `1d`, `2w`. */
import { prereqError } from "./errors.js";

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** In seconds. @throws GanetiError with Ganeti's texts */
export function timeSpan(text: string): number {
  if (text === "") throw prereqError("Empty time specification passed");
  const factor = seconds[text.at(-1) as string];
  const digits = factor === undefined ? text : text.slice(0, -1);
  if (digits === "") throw prereqError("Invalid time specification (only suffix passed)");
  if (!/^\s*[+-]?\d+\s*$/.test(digits)) {
    throw prereqError(`Invalid time specification '${digits}'`);
  }
  return Number(digits) * (factor ?? 1);
}
