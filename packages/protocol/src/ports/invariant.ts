/** invariant: a statement about the state of the program that holds unless the program has a fault. */

/** A broken invariant: a fault of the program, not of its input or of another machine. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

type Listener = (error: InvariantError) => void;

const listeners = new Set<Listener>();
let brokenTotal = 0;

/** Number of invariants found broken since the process started, each time counted. */
export const brokenInvariants = (): number => brokenTotal;

/** Calls the listener with each broken invariant; returns a function that ends that. */
export function onBrokenInvariant(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Ends the present work if the condition does not hold, because going on could lose data. The text names the thing and its
 * values; a function makes it only if needed.
 * @throws InvariantError, after it was counted and reported
 */
export function invariant(condition: boolean, text: string | (() => string)): asserts condition {
  if (!condition) throw broken(text);
}

/** Counts and reports a broken invariant where the work can go on without the part that is wrong. */
export function reportUnless(condition: boolean, text: string | (() => string)): void {
  if (!condition) broken(text);
}

function broken(text: string | (() => string)): InvariantError {
  const error = new InvariantError(typeof text === "string" ? text : text());
  brokenTotal++;
  for (const listener of listeners) listener(error);
  return error;
}
