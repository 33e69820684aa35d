/**
 * Engine that batches commands into steps of the store, and passes the results to callers, watchers and the
 * worker once they are durable, never before.
 */
import type { PatternCompiler } from "@ganeti-ts/job-filter";
import type { JobId } from "@ganeti-ts/protocol";
import { QueueError } from "../queue-error.js";
import { recoverDead } from "../running/recovery.js";
import {
  type Change,
  type Claim,
  type DeadWorker,
  type JobStore,
  LeaseLostError,
  type News,
} from "../stores/store.js";
import { EndedJobs } from "./ended-jobs.js";
import { entryOfNews } from "./entry.js";
import { Image } from "./image.js";
import { Roster } from "./roster.js";
import { Step } from "./step.js";

/** A command executed in a step. Both functions may be called again if the step has to be repeated. */
export interface Command<Result> {
  /** Ended jobs, or jobs of other workers, that `apply` needs. */
  readonly wanted?: readonly JobId[];
  /** Must refuse before it changes anything, or leave the rollback to the engine. */
  apply(step: Step): Result;
}

/** Callbacks of the engine's owner during and after each step. */
export interface EngineOwner {
  /**
   * Called at the end of every step with `unsettled` set. Returns false to be called again in a later turn.
   */
  settle(step: Step): boolean;
  /** Called when the changes of a step are durable. */
  settled(changed: ReadonlySet<JobId>, rulesChanged: boolean): void;
  /** Whether effects under the lease of a dead worker are refused everywhere. */
  isRefused(lease: string): boolean;
  /**
   * Called before any other consequence of a step, with newly fenced workers and dead workers that are not
   * buried yet.
   */
  fenced(fenced: readonly Claim[], dead: readonly DeadWorker[]): void;
  /** Called with dead workers whose jobs have been marked. */
  buried(dead: readonly Claim[]): void;
  /** Calls `then` after this many milliseconds, after everything else that is ready to run. */
  after(ms: number, then: () => void): void;
  /** Called when this worker must not act any more. */
  lost(error: Error): void;
}

/** Delay before a pass whose step failed is continued. */
const retryMs = 1000;

interface Pending {
  readonly command: Command<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export class Engine {
  readonly image: Image;
  /** Contains only durable changes. */
  readonly roster = new Roster();
  readonly endedJobs = new EndedJobs();
  readonly store: JobStore;
  readonly #owner: EngineOwner;
  readonly #pending: Pending[] = [];
  #wakeUp = false;
  #running: Promise<void> | undefined;
  /** The step in progress, once it has changed the image. */
  #undecided: Promise<void> | undefined;
  #current: Promise<void> | undefined;
  #unsettled = true;
  /** Whether the last pass is unfinished. */
  #isPassing = false;
  #isGoingOn = false;
  #end: Error | undefined;

  /** `compile` is for the regular expressions of rules. */
  constructor(store: JobStore, owner: EngineOwner, compile: PatternCompiler) {
    this.image = new Image(compile);
    this.store = store;
    this.#owner = owner;
    store.onNews(() => this.wake());
  }

  /** Resolves to the result of `apply`, once that is durable. */
  run<Result>(command: Command<Result>): Promise<Result> {
    if (this.#end !== undefined) return Promise.reject(this.#stopped(this.#end));
    return new Promise((resolve, reject) => {
      this.#pending.push({ command, resolve, reject });
      this.wake();
    });
  }

  /** Requests a step soon, to read news if there are no commands. */
  wake(): void {
    this.#wakeUp = true;
    if (this.#end === undefined) this.#running ??= this.#loop();
  }

  /** Resolves when the image contains only durable changes. */
  async durable(): Promise<void> {
    while (this.#undecided !== undefined) await this.#undecided;
  }

  /** Refuses further commands, and waits for those in progress. */
  async stop(error: Error): Promise<void> {
    this.#end ??= error;
    await this.#running;
    this.#refuseAll();
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  async #loop(): Promise<void> {
    while (this.#wakeUp && this.#end === undefined) {
      this.#wakeUp = false;
      this.#current = this.#step();
      await this.#current;
    }
    this.#running = undefined;
  }

  async #step(): Promise<void> {
    const batch: Pending[] = [];
    let made: Made | undefined;
    try {
      await this.store.step(
        () => {
          batch.push(...this.#pending.splice(0));
          return batch.flatMap(({ command }) => command.wanted ?? []);
        },
        (news) => {
          this.image.rollback();
          this.#undecided = this.#current;
          made = this.#decide(batch, news);
          return made.changes;
        },
      );
    } catch (error) {
      this.image.rollback();
      this.#undecided = undefined;
      // An unfinished pass has to request its next step itself.
      if (this.#isPassing) this.#goOn(retryMs);
      this.#unsettled = true;
      // Includes commands that came too late for the batch, because no further step will be made for them.
      const refusal = error instanceof LeaseLostError ? this.#stopped(error) : error;
      for (const { reject } of [...batch, ...this.#pending.splice(0)]) reject(refusal);
      if (error instanceof LeaseLostError) this.#lose(error);
      return;
    }
    this.image.keep();
    this.#undecided = undefined;
    if (made === undefined) return;
    this.roster.learn(made.news, made.changes);
    if (!this.store.shared) this.endedJobs.learn(made.changes);
    this.#announce(made);
  }

  /** Schedules one more step for the rest of a pass. */
  #goOn(ms: number): void {
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    this.#owner.after(ms, () => {
      this.#isGoingOn = false;
      this.wake();
    });
  }

  #decide(batch: readonly Pending[], news: News): Made {
    const before = this.image.rules;
    const step = new Step(this.image, news);
    step.unsettled = this.#unsettled;
    this.#learn(step, news);
    const buried = recoverDead(step, news.dead, (lease) => this.#owner.isRefused(lease));
    const answers = batch.map((pending) => answer(step, pending));
    const unsettled = step.unsettled;
    const isSettled = !unsettled || this.#owner.settle(step);
    return {
      news,
      changes: step.changes(),
      changed: step.changed,
      answers,
      isSettled,
      fenced: news.fenced,
      dead: news.dead.filter((one) => !buried.includes(one)),
      buried,
      rulesChanged: this.image.rules !== before,
    };
  }

  /** Applies the changes of other workers. */
  #learn(step: Step, news: News): void {
    const { image } = this;
    if (news.serial !== image.serial || news.liveCount !== image.liveCount) {
      image.assign({ serial: news.serial, liveCount: news.liveCount });
    }
    if (news.settings !== undefined) image.assign({ settings: news.settings });
    if (news.rules !== undefined) image.assign({ rules: news.rules });
    if (news.jobs.length > 0 || news.settings !== undefined || news.rules !== undefined) {
      step.unsettled = true;
    }
    for (const row of news.jobs) {
      step.changed.add(row.id);
      const known = image.get(row.id);
      image.set(row.id, isOver(row) ? undefined : entryOfNews(row, known));
    }
  }

  #announce(made: Made): void {
    this.#unsettled = !made.isSettled;
    this.#isPassing = this.#unsettled;
    if (this.#isPassing) this.#goOn(0);
    this.#owner.fenced(made.fenced, made.dead);
    for (const tell of made.answers) tell();
    if (made.buried.length > 0) this.#owner.buried(made.buried);
    this.#owner.settled(made.changed, made.rulesChanged);
  }

  #lose(error: Error): void {
    this.#end ??= error;
    this.#refuseAll();
    this.#owner.lost(error);
  }

  #refuseAll(): void {
    const error = this.#stopped(this.#end);
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }

  #stopped(cause: Error | undefined): QueueError {
    return new QueueError("stopped", cause?.message ?? "the queue has been stopped", { cause });
  }
}

interface Made {
  readonly news: News;
  readonly changes: readonly Change[];
  readonly changed: ReadonlySet<JobId>;
  readonly answers: readonly (() => void)[];
  readonly isSettled: boolean;
  readonly fenced: readonly Claim[];
  readonly dead: readonly DeadWorker[];
  readonly buried: readonly Claim[];
  readonly rulesChanged: boolean;
}

/** Applies a command; returns the function that delivers its result when the step is durable. */
function answer(step: Step, { command, resolve, reject }: Pending): () => void {
  const mark = step.mark();
  try {
    const result = command.apply(step);
    return () => resolve(result as never);
  } catch (error) {
    step.rollback(mark);
    return () => reject(error);
  }
}

const isOver = ({ status, archived }: News["jobs"][number]) =>
  archived || status === "canceled" || status === "success" || status === "error";
