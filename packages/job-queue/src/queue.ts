/** The queue of one worker: what clients call, and what makes jobs run. */
import {
  noPatterns,
  type PatternCompiler,
  readRuleBody,
  readRuleUuid,
} from "@ganeti-ts/job-filter";
import { type AttemptTimeouts, ganetiTimeouts, type LockManager } from "@ganeti-ts/locking";
import type { CancelSignal, Clock, Random } from "@ganeti-ts/protocol";
import {
  type FilterRule,
  type FilterUuid,
  isFinalized,
  isJsonObject,
  type Job,
  type JobId,
  type Json,
  type JsonObject,
} from "@ganeti-ts/protocol";
import {
  archiveCommand,
  autoArchive,
  cancelCommand,
  cancelOutcome,
  type Outcome,
  priorityCommand,
} from "./administration.js";
import { Engine, type EngineOwner } from "./engine.js";
import type { Entry } from "./entry.js";
import { checkFields, fieldValues, type JobValues } from "./fields.js";
import { type Hindrance, hindrances } from "./hindrance.js";
import type { EffectTakers, Executor } from "./ports.js";
import { QueueError } from "./queue-error.js";
import { jobsPerTurn, turn, visitJobs } from "./reading.js";
import { Refusals } from "./refusals.js";
import type { LiveJobs } from "./roster.js";
import { newUuid, removeRuleCommand, ruleCommand } from "./rules.js";
import { Runner, takeNext } from "./runner.js";
import { chooseRejected, chooseStarted, lookMaxDefault } from "./scheduling.js";
import type { Step } from "./step.js";
import { type Claim, type JobStore, leaseText, type Settings } from "./store.js";
import { type Submitted, submission } from "./submission.js";
import { cancelQueued, failToStart } from "./transitions.js";
import {
  type ChangeRequest,
  type JobChangeAnswer,
  until,
  Watchers,
  waitForChange,
  waitForEnd,
} from "./watching.js";

export interface QueueOptions {
  readonly store: JobStore;
  readonly locks: LockManager;
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: this process submits and looks on, and runs nothing. */
  readonly executor?: Executor;
  /** Who else must refuse the dead, before what they had is given on. */
  readonly effectTakers?: EffectTakers;
  /** Told once, when this worker has been declared dead: it may do nothing any more. */
  readonly onLost?: (error: Error) => void;
  /** Jobs that this worker runs at the same time; no limit of its own if absent. */
  readonly capacity?: number;
  /** How long an opcode tries to get its locks, again and again; Ganeti's own list if absent. */
  readonly timeouts?: AttemptTimeouts;
  /** Shown with the jobs that this worker has taken. */
  readonly processId?: number;
  /**
   * Queued jobs of one opcode that a scheduling pass looks at before everything else has its turn; 2048 if
   * absent. A job is looked at when it comes, and when what holds it may have changed.
   */
  readonly lookMax?: number;
  /**
   * Compiles the regular expressions of filter rules: `compilePattern` of `@ganeti-ts/query`. Absent: a rule with a
   * regular expression is refused, and so is a store that holds one.
   */
  readonly patterns?: PatternCompiler;
  /** How often to look for what no notification told, in a store that others use too. */
  readonly pollMs?: number;
}

export class JobQueue {
  readonly #engine: Engine;
  readonly #refusals: Refusals;
  readonly #options: QueueOptions;
  readonly #runners = new Map<JobId, { readonly runner: Runner; readonly done: Promise<void> }>();
  readonly #watchers = new Watchers();
  readonly #listeners = new Set<(changed: ReadonlySet<JobId>) => void>();
  #stopPolling = () => {};
  #stopping = false;

  private constructor(options: QueueOptions) {
    this.#options = options;
    const owner: EngineOwner = {
      settle: (step) => this.#settle(step),
      settled: (changed, rulesChanged) => this.#settled(changed, rulesChanged),
      isRefused: (lease) => this.#refusals.isRefused(lease),
      fenced: (fenced, dead) => this.#refusals.hear(fenced, dead),
      buried: (dead) => this.#bury(dead),
      after: (ms, then) => void options.clock.after(ms, then),
      lost: (error) => {
        this.#loseAll();
        options.onLost?.(error);
      },
    };
    this.#engine = new Engine(options.store, owner, options.patterns ?? noPatterns);
    this.#refusals = new Refusals({
      takers: options.effectTakers,
      clock: options.clock,
      jobsOf: ({ worker }) => this.#claimedBy(worker),
      refused: () => this.#engine.wake(),
      isOver: () => this.#engine.ended,
    });
  }

  /** Learns what is in the store, takes care of the dead, and starts what may start. */
  static async open(options: QueueOptions): Promise<JobQueue> {
    const queue = new JobQueue(options);
    const look = () => queue.#engine.run({ apply: () => undefined });
    await look();
    if (queue.#refusals.isBusy) {
      await queue.#refusals.idle();
      await look();
    }
    if (options.store.shared) queue.#poll();
    return queue;
  }

  // Submission.

  /** One job; durable when the id comes. @throws QueueError */
  async submit(opcodes: readonly JsonObject[]): Promise<JobId> {
    const [answer] = await this.#submit([opcodes], false);
    if (answer?.[0] === true) return answer[1];
    throw new QueueError("wrong_input", String(answer?.[1]));
  }

  /** Several jobs; an entry that is refused does not undo the others. @throws QueueError */
  submitMany(jobs: readonly (readonly JsonObject[])[]): Promise<readonly Submitted[]> {
    return this.#submit(jobs, false);
  }

  /** As `submit`, whether or not the queue is drained. */
  async submitToDrained(opcodes: readonly JsonObject[]): Promise<JobId> {
    const [answer] = await this.#submit([opcodes], true);
    if (answer?.[0] === true) return answer[1];
    throw new QueueError("wrong_input", String(answer?.[1]));
  }

  #submit(jobs: readonly (readonly JsonObject[])[], evenDrained: boolean) {
    return this.#engine.run({
      apply: (step): readonly Submitted[] => {
        const { serial, settings, liveCount } = step.image;
        if (settings.drained && !evenDrained)
          throw new QueueError("queue_drained", "Queue drained");
        if (settings.sizeMax !== null && liveCount + jobs.length > settings.sizeMax) {
          throw new QueueError("queue_full", "Job queue is full, needs archiving");
        }
        const made = submission(jobs, serial, step.now);
        if (jobs.length > 0) step.add(made.jobs, serial + jobs.length);
        return made.answers;
      },
    });
  }

  // Jobs that exist.

  /** @returns whether it was canceled, and Ganeti's message; waits up to 44 s for a job under way. */
  async cancel(id: JobId, { kill = false } = {}): Promise<Outcome> {
    const answer = await this.#engine.run(cancelCommand(id, kill));
    if (answer !== "told") return answer;
    const statusOf = async () => (await this.#engine.store.read([id]))[0]?.status;
    await until(this.#watchers, id, { clock: this.#options.clock, timeoutMs: 44_000 }, async () => {
      const status = this.#engine.image.get(id) === undefined ? await statusOf() : undefined;
      return status !== undefined && isFinalized(status) ? status : undefined;
    });
    return cancelOutcome((await statusOf()) ?? "canceling");
  }

  /** @throws QueueError on a priority that is not -10, 0 or 10. */
  async changePriority(id: JobId, priority: number): Promise<Outcome> {
    return this.#engine.run(priorityCommand(id, priority));
  }

  /** False if there is no such job outside the archive, or it has not ended. */
  async archive(id: JobId): Promise<boolean> {
    return (await this.#engine.run(archiveCommand([id]))) === 1;
  }

  autoArchive(ageSeconds: number, timeoutSeconds: number): Promise<readonly [number, number]> {
    return autoArchive(this.#engine, this.#options.clock, ageSeconds, timeoutSeconds);
  }

  /** @throws QueueError `unknown_job`, or on unknown fields. */
  waitForChange(id: JobId, request: ChangeRequest): Promise<JobChangeAnswer> {
    return waitForChange(this.#engine, this.#watchers, this.#options.clock, id, request);
  }

  /**
   * The job once it has ended, well or not; its opcodes have status and result. Waits as long as that takes:
   * `signal` stops the wait, which then rejects with the signal's reason, and leaves the job alone.
   * @throws QueueError `unknown_job`; `stopped` if the queue stops first.
   */
  wait(id: JobId, { signal }: { readonly signal?: CancelSignal } = {}): Promise<Job> {
    return waitForEnd(this.#engine, this.#watchers, { clock: this.#options.clock, signal }, id);
  }

  /**
   * A row of values per job, in the order of `ids`; undefined for an unknown job. No ids: all jobs
   * that are not archived, or with `archived` really all. @throws QueueError on unknown fields.
   */
  async query<const Fields extends readonly string[]>(
    ids: readonly JobId[],
    fields: Fields,
    { archived = false } = {},
  ): Promise<readonly (JobValues<Fields> | undefined)[]> {
    const rows: (JobValues<Fields> | undefined)[] = [];
    for await (const some of this.rows(ids, fields, { archived })) rows.push(...some);
    return rows;
  }

  /** As `query`, but a few rows at a time: everything else has its turn before each further part. */
  async *rows<const Fields extends readonly string[]>(
    ids: readonly JobId[],
    fields: Fields,
    { archived = false } = {},
  ): AsyncGenerator<readonly (JobValues<Fields> | undefined)[], void> {
    checkFields(fields);
    const { clock } = this.#options;
    const asked = ids.length > 0 ? ids : await this.#listed(archived);
    for (let at = 0; at < asked.length; at += jobsPerTurn) {
      if (at > 0) await turn(clock);
      const some = asked.slice(at, at + jobsPerTurn);
      const rows = new Map<JobId, JobValues<Fields>>();
      await visitJobs(this.#engine, clock, some, ({ id, job, archived }) => {
        rows.set(id, fieldValues(job, archived, fields) as unknown as JobValues<Fields>);
      });
      yield some.map((id) => rows.get(id));
    }
  }

  /** Jobs that are not archived: O(1), or one round trip where others may have changed them. */
  async live(): Promise<LiveJobs> {
    const { store, ended, roster } = this.#engine;
    if (store.shared && !ended) await this.#engine.run({ apply: () => undefined });
    return roster;
  }

  /** Ids of jobs outside the archive, or of all, ascending. */
  async #listed(archived: boolean): Promise<readonly JobId[]> {
    const live = (await this.live()).blocks.flatMap(({ ids }) => ids);
    if (!archived) return live;
    // A job may be archived between the two answers.
    const all = new Set([...live, ...(await this.#engine.store.list({ archived: true }))]);
    return [...all].sort((a, b) => a - b);
  }

  // Settings.

  get settings(): Settings {
    return this.#engine.image.settings;
  }

  get rules(): readonly FilterRule[] {
    return this.#engine.image.rules;
  }

  /**
   * Stores a rule under a new uuid, and gives that. @throws FilterError with Ganeti's text on a body
   * with any fault; then nothing is stored.
   */
  async addRule(body: Json): Promise<FilterUuid> {
    return this.#engine.run(ruleCommand(newUuid(this.#options.random), this.#ruleBody(body)));
  }

  /** Makes the rule with that uuid, or replaces all of it. @throws FilterError */
  async replaceRule(uuid: string, body: Json): Promise<FilterUuid> {
    return this.#engine.run(ruleCommand(readRuleUuid(uuid), this.#ruleBody(body)));
  }

  #ruleBody(body: Json) {
    return readRuleBody(body, this.#options.patterns ?? noPatterns);
  }

  /** @throws QueueError `unknown_rule`, FilterError on what is no uuid. */
  async deleteRule(uuid: string): Promise<void> {
    return this.#engine.run(removeRuleCommand(readRuleUuid(uuid)));
  }

  /**
   * What keeps a job from running: why it is not started, or which locks it waits for and who has
   * them. Empty if nothing does. Cost: claimed jobs, and queued ones that have not been looked at since a change;
   * takes turns. @throws QueueError `unknown_job` if it has ended or never was.
   */
  async whyNotRunning(id: JobId): Promise<readonly Hindrance[]> {
    const { clock, locks, lookMax = lookMaxDefault } = this.#options;
    return hindrances(this.#engine, { clock, locks, lookMax }, id);
  }

  /** Tells which jobs have changed, by whomever, when that is durable; gives what ends that. */
  onChange(listener: (changed: ReadonlySet<JobId>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  change(settings: Partial<Settings>): Promise<void> {
    return this.#engine.run({
      apply: (step) => step.set({ ...step.image.settings, ...settings }),
    });
  }

  // Life.

  /** False once it has been stopped, or has lost its lease. */
  get isOpen(): boolean {
    return !this.#engine.ended;
  }

  /** It takes jobs, and is not about to stop. */
  get isWorking(): boolean {
    return this.isOpen && !this.#stopping && this.#options.executor !== undefined;
  }

  /**
   * Whether this worker has not finished with the job: a job that was killed has ended before its operation has
   * noticed, and a last call to a node may be under way.
   */
  handles(id: JobId): boolean {
    return this.#runners.has(id);
  }

  /** Jobs in this worker's hands. */
  get heldCount(): number {
    return this.#runners.size;
  }

  /**
   * Takes nothing new, gives waiting jobs back to the queue, lets running opcodes finish for
   * `graceMs` and gives up the lease. What runs longer is told by its signal, and has failed.
   */
  async stop({ graceMs = 60_000 } = {}): Promise<void> {
    this.#stopping = true;
    this.#stopPolling();
    for (const { runner } of this.#runners.values()) runner.look();
    const { clock, store } = this.#options;
    let stopTimer = () => {};
    const timeOver = new Promise<void>((resolve) => {
      stopTimer = clock.after(graceMs, resolve);
    });
    const done = Promise.all([...this.#runners.values()].map((one) => one.done));
    await Promise.race([done, timeOver]);
    stopTimer();
    await this.#engine.stop(new Error("the queue has been stopped"));
    this.#loseAll();
    await store.close(this.#runners.size > 0 || this.#refusals.isBusy);
  }

  /** Resolves when this worker has nothing in its hands. */
  async idle(): Promise<void> {
    while (this.#runners.size > 0) {
      await Promise.all([...this.#runners.values()].map(({ done }) => done));
    }
  }

  /** False: it is not over, and goes on in a later step. */
  #settle(step: Step): boolean {
    const { executor, capacity = Infinity, processId, lookMax = lookMaxDefault } = this.#options;
    const { claim } = this.#engine.store;
    const judged = chooseRejected(step.image, lookMax);
    for (const { job } of judged.rejected) step.put(cancelQueued(job, step.now), null);
    const own = this.#claimedBy(claim.worker).length;
    const room = executor === undefined || this.#stopping ? 0 : capacity - own;
    const chosen = chooseStarted(step.image, room, lookMax);
    for (const { job } of chosen.started) {
      const ours = { ...job, livelock: leaseText(claim), ...(processId ? { processId } : {}) };
      if (
        !ours.opcodes.every(({ input }) => isJsonObject(input) && typeof input.OP_ID === "string")
      ) {
        step.put(failToStart(ours, "an opcode cannot be read", step.now), null);
      } else step.put(takeNext(ours, step.now, executor as Executor), claim);
    }
    return judged.isDone && chosen.isDone;
  }

  #settled(changed: ReadonlySet<JobId>, rulesChanged: boolean): void {
    const { image, store } = this.#engine;
    for (const id of changed) {
      const held = this.#runners.get(id);
      if (held !== undefined) held.runner.look();
      // The step may be the last one: what its runner could not store any more must not be done again.
      else if (!this.#engine.ended && isOf(image.get(id), store.claim)) this.#start(id);
    }
    if (rulesChanged) for (const { runner } of this.#runners.values()) runner.look();
    this.#watchers.tell(changed);
    if (changed.size > 0) for (const listener of this.#listeners) listener(changed);
  }

  #claimedBy(worker: number): readonly JobId[] {
    const { image } = this.#engine;
    return [...image.claimed].filter((id) => image.get(id)?.claim?.worker === worker);
  }

  #start(id: JobId): void {
    const { executor, locks, clock, random } = this.#options;
    const { timeouts = ganetiTimeouts(() => random.fraction()) } = this.#options;
    const runner = new Runner(id, {
      engine: this.#engine,
      executor: executor as Executor,
      locks,
      clock,
      timeouts,
      stopping: () => this.#stopping,
      submit: (jobs) => this.#submit(jobs, false),
    });
    const done = runner.run().finally(() => {
      this.#runners.delete(id);
      return this.#startAgain(id);
    });
    this.#runners.set(id, { runner, done });
  }

  /**
   * A job may be claimed again before its last runner has freed its locks. Only a claim that is durable
   * counts: after a crash, an opcode that has begun on any other would be begun once more.
   */
  async #startAgain(id: JobId): Promise<void> {
    const engine = this.#engine;
    await engine.durable();
    if (engine.ended || this.#runners.has(id)) return;
    if (isOf(engine.image.get(id), engine.store.claim)) this.#start(id);
  }

  #bury(dead: readonly Claim[]): void {
    for (const one of dead) {
      void this.#options.locks.releaseLease(leaseText(one)).catch(() => undefined);
    }
  }

  #loseAll(): void {
    this.#stopPolling();
    for (const { runner } of this.#runners.values()) runner.lose();
    this.#watchers.tellAll();
  }

  #poll(): void {
    const { clock, pollMs = 1000 } = this.#options;
    this.#stopPolling = clock.after(pollMs, () => {
      this.#engine.wake();
      if (!this.#engine.ended) this.#poll();
    });
  }
}

const isOf = (entry: Entry | undefined, own: Claim): boolean =>
  entry?.claim?.worker === own.worker && entry.claim.fence === own.fence;
