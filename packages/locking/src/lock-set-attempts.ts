/** Getting several locks of a set without sitting on some of them. */

import { pause, systemClock, type Timers } from "@ganeti-ts/protocol";
import { type AttemptTimeouts, doublingTimeouts } from "./attempts.js";
import type { everyLock, LockSet, LockSetOptions } from "./lock-set.js";

/** Options of `acquireInAttempts`. */
export interface AttemptOptions extends Omit<LockSetOptions, "timeoutMs"> {
  readonly timeouts?: AttemptTimeouts | undefined;
  /** In 0…1: how much of the last timeout is slept between two attempts. */
  readonly random: () => number;
  readonly clock?: Timers | undefined;
}

/**
 * Attempts with growing timeouts; after each failure everything is free again for a random time, at
 * most as long as the attempt was. When the timeouts end, the last attempt waits without limit.
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
