/** Encoder for the answer that Ganeti reads from standard output. */
import type { AllocatorAnswer } from "./request.js";

/**
 * One line of compact JSON with the keys `success`, `info`, `result` in this order, and a newline. Objects
 * inside `result` keep the order of their keys.
 *
 * Quotes, backslashes and control characters are escaped, everything else is written unchanged; a lone
 * surrogate, which UTF-8 cannot express, becomes a `\u` escape.
 */
export function encodeAnswer(answer: AllocatorAnswer): string {
  const { success, info, result } = answer;
  return `${JSON.stringify({ success, info, result })}\n`;
}
