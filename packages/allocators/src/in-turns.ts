/** Long computations in parts, between which other work of the process runs. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/** Called between the parts of a computation; returns a promise to wait for when other work is due. */
export type Turn = () => Promise<void> | undefined;

/**
 * Runs all parts and returns the result.
 * @throws the reason of the signal once that is aborted: no further part runs
 */
export async function inTurns<T>(
  parts: Iterator<unknown, T>,
  turn: Turn | undefined,
  signal: CancelSignal,
): Promise<T> {
  for (;;) {
    if (signal.aborted) throw signal.reason;
    const part = parts.next();
    if (part.done) return part.value;
    const othersTurn = turn?.();
    if (othersTurn !== undefined) await othersTurn;
  }
}
