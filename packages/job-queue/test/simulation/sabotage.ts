// Deliberate faults.
import type { LockSabotage } from "./faulty-locks.js";
import type { StoreSabotage } from "./faulty-store.js";
import type { Staged } from "./staged.js";

/** Deliberate defects of a copy, so that each invariant is seen to fail. */
export interface Sabotage {
  readonly store?: StoreSabotage;
  readonly locks?: LockSabotage;
  /** Writes of fenced workers are taken. */
  readonly noFence?: boolean;
  /** Effects of fenced workers are not refused. */
  readonly refusesNothing?: boolean;
  /** Changes without a notification are not polled for. */
  readonly noPoll?: boolean;
  /** Results are not what operations gave. */
  readonly lies?: boolean;
  /** Operations do not end. */
  readonly hangs?: boolean;
  readonly staged?: Staged;
}
