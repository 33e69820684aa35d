/** The answer as Ganeti reads it from standard output. */
import type { AllocatorAnswer } from "./request.js";

/**
 * One line of compact JSON with the keys `success`, `info`, `result` in this order, and a newline.
 * The keys of objects inside `result` keep the order they have there.
 *
 * Quotes, backslashes and control characters are escaped, everything else is written as it is;
 * a lone surrogate, which UTF-8 cannot express, becomes a `\u` escape.
 */
export function encodeAnswer(answer: AllocatorAnswer): string {
  const { success, info, result } = answer;
  return `${JSON.stringify({ success, info, result })}\n`;
}
