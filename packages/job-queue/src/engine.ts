/**
 * The shell around decisions: gathers commands, has the store make a step of them, and tells who
 * asked, the watchers and the worker what came of it, once it is durable and never before.
 */
import type { PatternCompiler } from "@ganeti-ts/job-filter";
import type { JobId } from "@ganeti-ts/protocol";
import { entryOf } from "./entry.js";
import { Image } from "./image.js";
import { QueueError } from "./queue-error.js";
import { recoverDead } from "./recovery.js";
import { Roster } from "./roster.js";
import { Step } from "./step.js";
import {
  type Change,
  type Claim,
  type DeadWorker,
  type JobStore,
  LeaseLostError,
  type News,
} from "./store.js";

/** What is to happen in a step. Both functions may be called again if the step has to be repeated. */
export interface Command<Result> {
  /** Ended jobs, or jobs that somebody else has, that `apply` needs. */
  readonly wanted?: readonly JobId[];
  /** Must refuse before it changes anything, or leave the taking back to the engine. */
  apply(step: Step): Result;
}

/** What the engine's owner does in and after each step. */
export interface EngineOwner {
  /** Called at the end of every step in which something is unsettled. False: it is to be called again, a turn later. */
  settle(step: Step): boolean;
  /** What a step changed is durable. */
  settled(changed: ReadonlySet<JobId>, rulesChanged: boolean): void;
  /** Whether effects under the lease of a dead worker are refused wherever they could arrive. */
  isRefused(lease: string): boolean;
  /** Told before anything else comes of a step: who has been fenced, and who of the dead is not buried. */
  fenced(fenced: readonly Claim[], dead: readonly DeadWorker[]): void;
  /** Dead workers whose jobs have been marked. */
  buried(dead: readonly Claim[]): void;
  /** Calls `then` so many milliseconds later, everything else that is ready to run having had its turn. */
  after(ms: number, then: () => void): void;
  /** This worker may do nothing any more. */
  lost(error: Error): void;
}

/** Until a pass is continued whose step failed. */
const retryMs = 1000;

interface Pending {
  readonly command: Command<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export class Engine {
  readonly image: Image;
  /** Holds nothing but what is durable. */
  readonly roster = new Roster();
  readonly store: JobStore;
  readonly #owner: EngineOwner;
  readonly #pending: Pending[] = [];
  #wakeUp = false;
  #running: Promise<void> | undefined;
  /** The step under way, once it has changed the image. */
  #undecided: Promise<void> | undefined;
  #current: Promise<void> | undefined;
  #unsettled = true;
  /** The last pass was not over. */
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

  /** Resolves to what `apply` gave, once that is durable. */
  run<Result>(command: Command<Result>): Promise<Result> {
    if (this.#end !== undefined) return Promise.reject(this.#stopped(this.#end));
    return new Promise((resolve, reject) => {
      this.#pending.push({ command, resolve, reject });
      this.wake();
    });
  }

  /** Has a step made soon, for news alone if there is nothing else. */
  wake(): void {
    this.#wakeUp = true;
    if (this.#end === undefined) this.#running ??= this.#loop();
  }

  /** Resolves when the image holds nothing but what is durable. */
  async durable(): Promise<void> {
    while (this.#undecided !== undefined) await this.#undecided;
  }

  /** No further commands; those under way are waited for. */
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
      // A pass that was not over has nobody else who would ask for the next step.
      if (this.#isPassing) this.#goOn(retryMs);
      this.#unsettled = true;
      // Also those who came too late for the batch: they would wait for a step that nobody makes.
      const refusal = error instanceof LeaseLostError ? this.#stopped(error) : error;
      for (const { reject } of [...batch, ...this.#pending.splice(0)]) reject(refusal);
      if (error instanceof LeaseLostError) this.#lose(error);
      return;
    }
    this.image.keep();
    this.#undecided = undefined;
    if (made === undefined) return;
    this.roster.learn(made.news, made.changes);
    this.#announce(made);
  }

  /** Has one more step made for the rest of a pass. */
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

  /** Takes over what others did. */
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
      const job = row.job ?? known?.job;
      if (isOver(row) || job === undefined) {
        image.set(row.id, undefined);
        continue;
      }
      image.set(row.id, entryOf(job, row.claim, known, row.job !== undefined));
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

/** Carries a command out; gives what to tell when the step is durable. */
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
