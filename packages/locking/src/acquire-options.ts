/** AcquireOptions: timeout, priority and cancellation of a request. */
import type { CancelSignal } from "@ganeti-ts/protocol";

/**
 * | `timeoutMs` | waits |
 * | --- | --- |
 * | below 1 | not at all |
 * | a number | at most this time, for all locks at once |
 * | absent | without limit, for one lock after the other in lock order (a definite request) |
 */
export interface AcquireOptions {
  /** Lower numbers are served first; default 0. */
  readonly priority?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Withdraws the request; the promise rejects with the signal's reason. */
  readonly signal?: CancelSignal | undefined;
}
