/** Options of a queue: the ports it works with, and its settings. */
import type { PatternCompiler } from "@ganeti-ts/job-filter";
import type { AttemptTimeouts, LockManager } from "@ganeti-ts/locking";
import type { Clock, JobId, Random } from "@ganeti-ts/protocol";
import type { EffectTakers, Executor } from "./ports.js";
import type { JobStore } from "./stores/store.js";

/** Ports and settings of a queue. */
export interface QueueOptions {
  readonly store: JobStore;
  readonly locks: LockManager;
  readonly clock: Clock;
  readonly random: Random;
  /** If absent, this process submits and watches jobs, but runs none. */
  readonly executor?: Executor;
  /** Systems that must refuse effects of dead workers before their resources are passed on. */
  readonly effectTakers?: EffectTakers;
  /** Called once when this worker has been declared dead and must not act any more. */
  readonly onLost?: (error: Error) => void;
  /** Called with changed jobs, from the first step on: `open` starts jobs before it resolves. */
  readonly onChange?: (changed: ReadonlySet<JobId>) => void;
  /** Maximum number of jobs this worker runs at the same time; no limit of its own if absent. */
  readonly capacity?: number;
  /** Timeouts for repeated attempts to acquire locks; Ganeti's list if absent. */
  readonly timeouts?: AttemptTimeouts;
  /** Process id shown with the jobs of this worker. */
  readonly processId?: number;
  /**
   * Maximum number of queued jobs of one opcode that a scheduling pass examines before other work gets its
   * turn; 2048 if absent. A job is examined when it arrives, and when the cause that holds it may have
   * changed.
   */
  readonly lookMax?: number;
  /**
   * Compiles the regular expressions of filter rules: `compilePattern` of `@ganeti-ts/query`. Absent: a rule with a
   * regular expression is refused, and so is a store that holds one.
   */
  readonly patterns?: PatternCompiler;
  /** Interval (ms) of polling for changes without a notification, in a store shared with other processes. */
  readonly pollMs?: number;
}

/** How a queue is stopped. */
export interface StopOptions {
  /** Time (ms) for running opcodes to finish; 60 000 if absent. */
  readonly graceMs?: number | undefined;
  /** Called when no job changes any more and the store can still be read. */
  readonly beforeClose?: () => Promise<void>;
}
