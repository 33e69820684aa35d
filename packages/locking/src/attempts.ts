/** Timeouts for repeated attempts to acquire locks, and the escalation after failed ones. */

/** Milliseconds for attempt 0, 1, 2, …; `undefined` after the end of the list, for waiting without limit. */
export type AttemptTimeouts = (attempt: number) => number | undefined;

/** The best priority that escalation reaches. */
const priorityBest = -20;

const firstMs = 5000;
const capMs = 75_000;
/** Ten hours of attempts, spread over the 20 steps from priority 0 to the best. */
const sumMs = 36_000_000 / 20;

/**
 * 5 s, then each the 1.25th power of 1.05 times the previous one in seconds, at most 75 s, until they add up
 * to half an hour: 28 attempts. Each varies by up to 5 % either way, by `random` in 0…1. Source: Ganeti,
 * mcpu.py, `_CalculateLockAttemptTimeouts`.
 */
export function ganetiTimeouts(random: () => number): AttemptTimeouts {
  return (attempt) => {
    const timeoutMs = baseTimeouts[attempt];
    return timeoutMs === undefined ? undefined : timeoutMs * (0.95 + random() / 10);
  };
}

const baseTimeouts: readonly number[] = calculatedTimeouts();

function calculatedTimeouts(): number[] {
  const timeouts = [firstMs];
  let sum = firstMs;
  for (let last = firstMs; sum < sumMs; sum += last) {
    const next = ((last / 1000) * 1.05) ** 1.25 * 1000;
    last = Math.max(firstMs, Math.min(capMs, next));
    timeouts.push(last);
  }
  return timeouts;
}

/** Position of an opcode in its list of attempts. */
interface AttemptState {
  readonly priority: number;
  /** Attempts made at this priority. */
  readonly attempt: number;
}

/**
 * The next attempt, and the state after its failure. At the end of the list the priority improves by one and
 * the list starts again; at the best priority the attempt waits without limit.
 */
export function nextAttempt(
  state: AttemptState,
  timeouts: AttemptTimeouts,
): {
  readonly priority: number;
  readonly timeoutMs: number | undefined;
  readonly failed: AttemptState;
} {
  const { priority, attempt } = state;
  const timeoutMs = timeouts(attempt);
  if (timeoutMs === undefined && priority > priorityBest) {
    return nextAttempt({ priority: priority - 1, attempt: 0 }, timeouts);
  }
  return { priority, timeoutMs, failed: { priority, attempt: attempt + 1 } };
}
