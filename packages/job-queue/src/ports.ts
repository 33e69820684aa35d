/** Ports of the queue besides the store: time, randomness, and the executor of opcodes. */

import type { LockName, LockRequest } from "@ganeti-ts/locking";
import type { CancelSignal, JobId, Json, JsonObject, LogType, Opcode } from "@ganeti-ts/protocol";
import type { Submitted } from "./jobs/submission.js";

/** Context of a running operation. */
export interface OperationContext {
  readonly jobId: JobId;
  readonly opcodeIndex: number;
  /** `worker:fence`: passed along with effects on other systems, so that these can refuse an outdated one. */
  readonly lease: string;
  /** The locks it holds, as returned by `Executor.locks` when all were granted. */
  readonly locks: readonly LockRequest[];
  /** Fires when the job was killed or this worker must not act any more, but not on a plain cancel. */
  readonly signal: CancelSignal;
  /** The best priority of the job; lower is sooner. */
  priority(): number;
  /** Appends to the job's log; durable when it resolves. */
  log(message: Json, type?: LogType): Promise<void>;
  /** Submits jobs that inherit this opcode's priority, comment and reasons. */
  submit(jobs: readonly (readonly JsonObject[])[]): Promise<readonly Submitted[]>;
  /** Releases locks that are no longer needed. */
  release(locks: readonly LockName[]): Promise<void>;
}

/** Systems that apply effects of operations for a worker, and must refuse those of a worker declared dead. */
export interface EffectTakers {
  /** Called before an operation starts that may be given resources of such a worker. */
  learnFenced(leases: readonly string[]): void;
  /**
   * Resolves when effects under this lease are refused everywhere possible, and unfinished work of the dead
   * worker's jobs is cleared away. Only then are these jobs recovered and their locks passed on. One worker
   * calls it; it is called again after a second if it rejects, and by another worker if that one dies too.
   */
  refuse(lease: string, jobs: readonly JobId[]): Promise<void>;
}

/** Executes opcodes; supplied by the caller. */
export interface Executor {
  /**
   * The locks that an opcode needs at present; none if absent. Called again for every attempt to acquire
   * them, so the answer may change. An exception fails the opcode. Must return quickly, because it is called
   * inside a step.
   */
  locks?(opcode: Opcode, jobId: JobId): readonly LockRequest[];
  /**
   * Executes the opcode while the locks last returned by `locks` are held. The resolved value is the opcode's
   * result; an error fails the opcode. TryAgainError sends it back to waiting, e.g. when the operation finds
   * that it now needs other locks.
   */
  run(opcode: Opcode, context: OperationContext): Promise<Json> | Json;
}
