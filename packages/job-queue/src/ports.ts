/** What the queue needs of the world besides a store: time, chance, and somebody who does the work. */

import type { LockName, LockRequest } from "@ganeti-ts/locking";
import type { CancelSignal, JobId, Json, JsonObject, LogType, Opcode } from "@ganeti-ts/protocol";
import type { Submitted } from "./submission.js";

/** What an operation may do and know while it runs. */
export interface OperationContext {
  readonly jobId: JobId;
  readonly opcodeIndex: number;
  /** `worker:fence`: to be passed along with effects elsewhere, where the receiver can refuse an old one. */
  readonly lease: string;
  /** What it holds: as `Executor.locks` gave it when all was granted. */
  readonly locks: readonly LockRequest[];
  /** Fires when the job was killed or this worker may no longer act; a plain cancel does not fire it. */
  readonly signal: CancelSignal;
  /** The best priority of the job; lower is sooner. */
  priority(): number;
  /** Appends to the job's log; durable when it resolves. */
  log(message: Json, type?: LogType): Promise<void>;
  /** Submits jobs that inherit this opcode's priority, comment and reasons. */
  submit(jobs: readonly (readonly JsonObject[])[]): Promise<readonly Submitted[]>;
  /** Frees locks that are not needed any more. */
  release(locks: readonly LockName[]): Promise<void>;
}

/** Those who take effects of operations from a worker, and must take none of one that was declared dead. */
export interface EffectTakers {
  /** Known from now on; called before an operation begins that may be given what such a worker had. */
  learnFenced(leases: readonly string[]): void;
  /**
   * Resolves when effects under this lease are refused wherever one can ask for that, and what the dead worker's
   * jobs have left half done is cleared away. Only then are these jobs recovered and their locks given on;
   * until then nobody else has them. One worker calls it; again after a second if it rejects, and the
   * next one if that worker dies too.
   */
  refuse(lease: string, jobs: readonly JobId[]): Promise<void>;
}

/** Does the work. Given by the caller, for all opcodes. */
export interface Executor {
  /**
   * The locks that an opcode needs as things are now; none if absent. Asked anew for every attempt to
   * get them, so the answer may change from one attempt to the next. What it throws fails the opcode.
   * Must answer quickly: it is called inside a step.
   */
  locks?(opcode: Opcode, jobId: JobId): readonly LockRequest[];
  /**
   * Carries the opcode out; the locks that `locks` gave last are held. What it resolves to is the
   * opcode's result; an error fails the opcode, TryAgainError sends it back to wait: also right where
   * it finds that it needs locks by now that it did not ask for.
   */
  run(opcode: Opcode, context: OperationContext): Promise<Json> | Json;
}
