/** Runner of one claimed job, from the claim until the worker releases it. */
import {
  type AttemptTimeouts,
  type LockManager,
  type LockOwner,
  type LockRequest,
  nextAttempt,
} from "@ganeti-ts/locking";
import type { Clock } from "@ganeti-ts/protocol";
import {
  dependenciesOf,
  isJson,
  isJsonObject,
  type Job,
  type JobId,
  type Json,
  type JsonObject,
  type LogType,
  type Opcode,
  type QueuedOpcode,
} from "@ganeti-ts/protocol";
import { currentOpcode } from "../jobs/job-status.js";
import type { Submitted } from "../jobs/submission.js";
import type { Executor, OperationContext } from "../ports.js";
import { encodeError, TryAgainError } from "../queue-error.js";
import { applyingRule } from "../starting/judgement.js";
import type { Engine } from "../steps/engine.js";
import { type Entry, isHeldBy } from "../steps/entry.js";
import type { Step } from "../steps/step.js";
import { leaseText } from "../stores/store.js";
import { CancelSource } from "./cancel-source.js";
import { childJobs } from "./child-jobs.js";
import { dependencyVerdict } from "./dependencies.js";
import {
  beginOpcode,
  cancelQueued,
  escalate,
  failOpcode,
  finishOpcode,
  noticeCancel,
  pauseOpcode,
  requestCancel,
  retryOpcode,
  takeOpcode,
} from "./transitions.js";

export interface RunnerPorts {
  readonly engine: Engine;
  readonly executor: Executor;
  readonly locks: LockManager;
  readonly clock: Clock;
  readonly timeouts: AttemptTimeouts;
  /** Whether the worker takes no new opcodes. */
  readonly stopping: () => boolean;
  readonly submit: (jobs: readonly (readonly JsonObject[])[]) => Promise<readonly Submitted[]>;
  /** The job has been taken away from an operation under way. */
  readonly cut: () => void;
}

/** Reason why a wait for locks was interrupted. */
type Interruption = "cancel" | "pause" | "priority" | "stop" | "lost";

/** Result of an attempt to acquire locks. */
type Attempted = "held" | "timeout" | Interruption | { readonly error: unknown };

export class Runner {
  readonly id: JobId;
  readonly #ports: RunnerPorts;
  readonly #owner: LockOwner;
  /** Cancels the present wait for locks. */
  #wait = new CancelSource();
  readonly #life = new CancelSource();
  #lost = false;
  #isOperating = false;
  /** Whether locks have been requested since they were last released. */
  #mayHold = false;
  /** Locks granted to the current opcode. */
  #held: readonly LockRequest[] = [];

  constructor(id: JobId, ports: RunnerPorts) {
    this.id = id;
    this.#ports = ports;
    const lease = leaseText(ports.engine.store.claim);
    this.#owner = { id, token: lease, lease };
  }

  /** Called when the job or the rules have changed: checks whether to go on waiting or running. */
  look(): void {
    const entry = this.#mine(this.#ports.engine.image.get(this.id));
    if (entry === undefined) this.lose();
    else if (currentStatus(entry.job) === "canceling") this.#wait.fire("cancel");
    else if (currentStatus(entry.job) !== "waiting") return;
    else if (this.#ports.stopping()) this.#wait.fire("stop");
    else if (isPaused(entry, this.#ports.engine)) this.#wait.fire("pause");
    else if (currentOf(entry.job)?.priority !== this.#priority) this.#wait.fire("priority");
  }

  /** Called when the job no longer belongs to this worker. */
  lose(): void {
    this.#lost = true;
    this.#wait.fire("lost");
    if (this.#isOperating) this.#ports.cut();
    // Also called for each job that has ended.
    this.#life.fireLazily(() => new Error(`job ${this.id} was taken away`));
  }

  /** Ends when the job has ended or has been returned. Never rejects. */
  async run(): Promise<void> {
    try {
      while (!this.#lost && (await this.#prepare()) && (await this.#perform())) {
        // The next opcode is waiting.
      }
    } finally {
      await this.#freeAll();
    }
  }

  /** Priority of the present attempt. */
  #priority: number | undefined;
  /** Failed attempts at this priority. */
  #attemptCount = 0;

  /** From waiting to running. False: the job took another course and has been released. */
  async #prepare(): Promise<boolean> {
    const job = this.#job();
    if (job === undefined) return false;
    const opcode = currentOf(job) as QueuedOpcode;
    this.#held = [];
    if (opcode.status === "running") return true;
    if (opcode.status === "canceling") return (await this.#decide("cancel")) === "runs";
    if (dependenciesOf(opcode).length > 0 && !(await this.#checkDependencies(opcode))) return false;
    this.#attemptCount = 0;
    for (;;) {
      const attempted = await this.#attempt(opcode);
      if (attempted === "lost") return false;
      if (attempted === "priority") this.#attemptCount = 0;
      const decision = await this.#decide(attempted);
      if (decision !== "again") return decision === "runs";
    }
  }

  /**
   * One attempt to acquire all locks that the opcode needs at present, with a better priority once the list
   * of attempts is exhausted.
   */
  async #attempt(opcode: QueuedOpcode): Promise<Attempted> {
    let requests: readonly LockRequest[];
    try {
      requests = locksOf(this.#ports.executor, opcode, this.id);
    } catch (error) {
      return { error };
    }
    this.#held = requests;
    if (requests.length === 0) return "held";
    const { locks, timeouts } = this.#ports;
    const job = this.#job();
    if (job === undefined) return "lost";
    const before = { priority: priorityOf(job), attempt: this.#attemptCount };
    const { priority, timeoutMs, failed } = nextAttempt(before, timeouts);
    this.#attemptCount = failed.attempt;
    if (priority !== before.priority) {
      await this.#step((step, entry) => {
        if (currentStatus(entry.job) === "waiting")
          step.put(escalate(entry.job, priority), entry.claim);
      });
    }
    this.#priority = priority;
    this.#wait = new CancelSource();
    this.look();
    this.#mayHold = true;
    try {
      const { signal } = this.#wait;
      if (await locks.acquire(this.#owner, requests, { priority, timeoutMs, signal }))
        return "held";
    } catch (error) {
      await this.#freeAll();
      return this.#wait.signal.aborted ? (this.#wait.signal.reason as Interruption) : { error };
    } finally {
      this.#priority = undefined;
    }
    await this.#freeAll();
    return "timeout";
  }

  /**
   * Decides after an attempt, by the state in this step: cancel first, then pause; otherwise the opcode runs
   * if its locks are held, and tries again if not.
   */
  async #decide(attempt: Attempted): Promise<"runs" | "over" | "again"> {
    const decision = await this.#step((step, entry): "runs" | "over" | "again" => {
      const { job, claim } = entry;
      if (currentStatus(job) === "canceling") step.put(noticeCancel(job, step.now), null);
      else if (typeof attempt === "object") {
        step.put(failOpcode(job, encodeError(attempt.error), step.now), null);
      } else if (this.#ports.stopping() || isPaused(entry, this.#ports.engine)) {
        step.put(pauseOpcode(job), null);
      } else if (attempt === "held") {
        step.put(beginOpcode(job, step.now), claim);
        return "runs";
      } else return "again";
      return "over";
    });
    return decision ?? "over";
  }

  /** False: the opcode does not run, and the job has been released. */
  async #checkDependencies(opcode: QueuedOpcode): Promise<boolean> {
    const dependencies = dependenciesOf(opcode);
    const wanted = dependencies.map(([id]) => id as JobId).filter((id) => id < this.id);
    const goes = await this.#step((step, entry) => {
      const { job } = entry;
      if (currentStatus(job) === "canceling") return true;
      const statusOf = (id: JobId) => step.row(id)?.status;
      const verdict = dependencyVerdict(this.id, dependencies, statusOf);
      switch (verdict.outcome) {
        case "run":
          return true;
        case "wait":
          step.put(job, null);
          return false;
        case "cancel":
          step.put(cancelQueued(job, step.now), null);
          return false;
        case "error": {
          const error: Json = ["OpExecError", [verdict.message]];
          step.put(failOpcode(job, error, step.now), null);
          return false;
        }
      }
    }, wanted);
    return goes === true;
  }

  /** Runs the opcode and stores its result. True: this worker also runs the next opcode. */
  async #perform(): Promise<boolean> {
    if (!(await this.#leaseLasts())) return false;
    const job = this.#job();
    if (job === undefined) return false;
    const index = currentOpcode(job);
    const opcode = (job.opcodes[index] as QueuedOpcode).input as Opcode;
    let end: (job: Job, now: number) => Job;
    this.#isOperating = true;
    try {
      const result = await this.#ports.executor.run(opcode, this.#context(job, index, opcode));
      // A value that cannot be written would block the writes of all other jobs.
      if (!isJson(result ?? null)) throw new TypeError(`${opcode.OP_ID}: the result is no JSON`);
      end = (before, now) => finishOpcode(before, result ?? null, now);
    } catch (error) {
      if (error instanceof TryAgainError) end = (before) => retryOpcode(before);
      else end = (before, now) => failOpcode(before, encodeError(error), now);
    } finally {
      this.#isOperating = false;
    }
    const goesOn = await this.#step((step, entry) => this.#conclude(step, entry, end));
    await this.#freeAll();
    return goesOn === true;
  }

  /** Ends the opcode, and takes the next one unless there is none or it must not start. */
  #conclude(step: Step, entry: Entry, end: (job: Job, now: number) => Job): boolean {
    const after = end(entry.job, step.now);
    const { claim } = entry;
    if (currentOpcode(after) < 0) {
      step.put(after, null);
      return false;
    }
    const waitsAgain = currentStatus(after) === "waiting";
    if (claim?.cancel) {
      const waiting = waitsAgain ? after : takeOpcode(after, step.now);
      step.put(noticeCancel(requestCancel(waiting), step.now), null);
      return false;
    }
    if (isPaused(entry, this.#ports.engine) || this.#ports.stopping()) {
      step.put(waitsAgain ? pauseOpcode(after) : after, null);
      return false;
    }
    step.put(waitsAgain ? after : takeNext(after, step.now, this.#ports.executor), claim);
    return true;
  }

  #context(job: Job, index: number, opcode: Opcode): OperationContext {
    const { locks, submit } = this.#ports;
    return {
      jobId: this.id,
      opcodeIndex: index,
      lease: this.#owner.lease as string,
      locks: this.#held,
      signal: this.#life.signal,
      priority: () => priorityOf(this.#job() ?? job),
      log: async (message, type: LogType = "message") => {
        const text = isJson(message) ? message : String(message);
        await this.#step((step, entry) => step.log(entry, index, [[type, text]]));
      },
      submit: async (jobs) => {
        if (!isJson(jobs)) throw new TypeError(`${opcode.OP_ID}: a job that it submits is no JSON`);
        return submit(childJobs(jobs, opcode));
      },
      release: (names) => locks.release(this.#owner, names),
    };
  }

  /** An operation is not started under a lease that may expire immediately. */
  async #leaseLasts(): Promise<boolean> {
    const { store } = this.#ports.engine;
    const enoughMs = store.leaseMs === Infinity ? 0 : store.leaseMs / 3;
    while (!this.#lost && store.leaseLeftMs() <= enoughMs) {
      await new Promise<void>((resolve) => this.#ports.clock.after(50, resolve));
    }
    return !this.#lost;
  }

  /** Does not call the lock service for a job that has requested no locks. */
  async #freeAll(): Promise<void> {
    if (!this.#mayHold) return;
    try {
      await this.#ports.locks.releaseAll(this.#owner);
      this.#mayHold = false;
    } catch {
      // Retried when the job is released; after that the locks expire with the lease.
    }
  }

  /**
   * A step on this job, repeated until the store accepts it, because the result of an opcode must not be
   * lost. Undefined if the job no longer belongs to this worker.
   */
  async #step<Result>(
    apply: (step: Step, entry: Entry) => Result,
    wanted: readonly JobId[] = [],
  ): Promise<Result | undefined> {
    const { engine, clock } = this.#ports;
    for (;;) {
      let bug: unknown;
      try {
        return await engine.run({
          wanted,
          apply: (step) => {
            const entry = this.#mine(step.image.get(this.id));
            try {
              return entry === undefined ? undefined : apply(step, entry);
            } catch (error) {
              bug = error;
              throw error;
            }
          },
        });
      } catch {
        if (bug !== undefined) throw bug;
        if (engine.ended) this.lose();
        if (this.#lost) return undefined;
        await new Promise<void>((resolve) => clock.after(100, resolve));
      }
    }
  }

  #job(): Job | undefined {
    return this.#lost ? undefined : this.#mine(this.#ports.engine.image.get(this.id))?.job;
  }

  #mine(entry: Entry | undefined): Entry | undefined {
    return isHeldBy(entry, this.#ports.engine.store.claim) ? entry : undefined;
  }
}

/** Whether its opcodes can be given to an executor: a store may hold jobs of other programs. */
export const isReadable = (job: Job): boolean =>
  job.opcodes.every(({ input }) => isJsonObject(input) && typeof input.OP_ID === "string");

/** The job with its next opcode taken; running immediately if it has nothing to wait for. */
export function takeNext(job: Job, now: number, executor: Executor): Job {
  const taken = takeOpcode(job, now);
  return statusWhenTaken(taken, executor) === "running" ? beginOpcode(taken, now) : taken;
}

/** Status of a job's next opcode once it is taken. */
export function statusWhenTaken(job: Job, executor: Executor): "waiting" | "running" {
  const opcode = currentOf(job) as QueuedOpcode;
  if (dependenciesOf(opcode).length > 0) return "waiting";
  try {
    return locksOf(executor, opcode, job.id).length === 0 ? "running" : "waiting";
  } catch {
    return "waiting"; // The runner calls `locks` again, and fails the opcode.
  }
}

const locksOf = (executor: Executor, { input }: QueuedOpcode, id: JobId): readonly LockRequest[] =>
  executor.locks?.(input as Opcode, id) ?? [];

const currentOf = (job: Job): QueuedOpcode | undefined => job.opcodes[currentOpcode(job)];

const priorityOf = (job: Job): number => currentOf(job)?.priority ?? 0;

const currentStatus = (job: Job) => currentOf(job)?.status;

const isPaused = (entry: Entry, { image }: Engine): boolean =>
  applyingRule(entry, image)?.action === "PAUSE";
