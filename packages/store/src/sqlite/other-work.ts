/** Other work of the process, to be waited for before a transaction. */
import { othersTurn } from "../event-loop.js";

/**
 * Turns of the event loop. In an idle process they pass within microseconds. In a busy one every turn has work, and its
 * changes share the transaction: with 20 parallel jobs, 8 turns save two of five transactions of the configuration and one
 * of four of the queue; more turns change little.
 */
const turns = 8;

/** Resolves after a few turns of the event loop, in which other callers can add to the caller's transaction. */
export async function otherWork(): Promise<void> {
  for (let at = 0; at < turns; at++) await othersTurn();
}
