/** Spans of time as people write them: `90`, `30m`, `1d`. */
import { prereqError } from "../errors.js";

const factors: Readonly<Record<string, number>> = {
  ...{ s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 },
};

/** In seconds; without a suffix it is so many. @throws GanetiError */
export function seconds(text: string): number {
  if (text === "") throw prereqError("Empty time specification passed");
  const factor = factors[text.at(-1) as string];
  const number = factor === undefined ? text : text.slice(0, -1);
  if (number === "") throw prereqError("Invalid time specification (only suffix passed)");
  if (!/^\s*[+-]?\d+\s*$/.test(number)) {
    throw prereqError(`Invalid time specification '${number}'`);
  }
  return Number(number) * (factor ?? 1);
}
