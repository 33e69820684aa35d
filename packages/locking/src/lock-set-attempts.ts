/** Acquisition of several locks of a set without holding some of them while waiting. */

import { pause, systemClock, type Timers } from "@ganeti-ts/protocol";
import { type AttemptTimeouts, doublingTimeouts } from "./attempts.js";
import type { everyLock, LockSet, LockSetOptions } from "./lock-set.js";

/** Options of `acquireInAttempts`. */
interface AttemptOptions extends Omit<LockSetOptions, "timeoutMs"> {
  readonly timeouts?: AttemptTimeouts | undefined;
  /** In 0…1: fraction of the last timeout to sleep between two attempts. */
  readonly random: () => number;
  readonly clock?: Timers | undefined;
}

/**
 * Attempts with growing timeouts; after each failure everything is released for a random time, at most as
 * long as the attempt. After the last timeout, a final attempt waits without limit.
 */
export async function acquireInAttempts<Owner>(
  set: LockSet<Owner>,
  owner: Owner,
  names: readonly string[] | typeof everyLock,
  { timeouts = doublingTimeouts(), random, clock = systemClock, ...options }: AttemptOptions,
): Promise<ReadonlySet<string>> {
  for (let attempt = 0; ; attempt++) {
    const timeoutMs = timeouts(attempt);
    const held = await set.acquire(owner, names, { ...options, timeoutMs });
    if (held !== null) return held;
    await pause(clock, random() * (timeoutMs ?? 0), options.signal);
  }
}
