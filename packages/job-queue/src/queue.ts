/** Job queue of one worker: the interface for clients, and the engine that runs jobs. */
import { noPatterns, readRuleBody, readRuleUuid } from "@ganeti-ts/job-filter";
import {
  type CancelSignal,
  type FilterRule,
  type FilterUuid,
  invariant,
  type Job,
  type JobId,
  type Json,
  type JsonObject,
} from "@ganeti-ts/protocol";
import {
  archiveCommand,
  autoArchive,
  cancelJob,
  type Outcome,
  priorityCommand,
} from "./jobs/administration.js";
import { checkFields, type JobValues } from "./jobs/fields.js";
import { jobRows } from "./jobs/reading.js";
import { acceptedId, type Submitted, submitCommand } from "./jobs/submission.js";
import {
  type ChangeRequest,
  type JobChangeAnswer,
  Watchers,
  waitForChange,
  waitForEnd,
} from "./jobs/watching.js";
import type { Executor } from "./ports.js";
import { QueueListeners } from "./queue-listeners.js";
import type { QueueOptions, StopOptions } from "./queue-options.js";
import { atMost } from "./running/at-most.js";
import { Refusals } from "./running/refusals.js";
import { isReadable, statusWhenTaken, takeNext } from "./running/runner.js";
import { Runners } from "./running/runners.js";
import { cancelQueued, failToStart } from "./running/transitions.js";
import { type Hindrance, hindrances } from "./starting/hindrance.js";
import {
  previewRule,
  type RuleEffects,
  type RulePreview,
  type RuleQuestion,
  ruleEffects,
} from "./starting/rule-effects.js";
import { newUuid, removeRuleCommand, ruleCommand } from "./starting/rules.js";
import { chooseRejected, chooseStarted, lookMaxDefault } from "./starting/scheduling.js";
import { Engine, type EngineOwner } from "./steps/engine.js";
import type { LiveJobs } from "./steps/roster.js";
import type { Step } from "./steps/step.js";
import { type Claim, leaseText, type Settings } from "./stores/store.js";

/** Longest wait (ms) of `open` for dead workers to be refused: calls that they have sent may take a quarter of an hour. */
const refusalMaxMs = 5_000;

/** The queue of one worker: submission, cancellation, queries and rules for clients, and the running of jobs. */
export class JobQueue {
  readonly #engine: Engine;
  readonly #refusals: Refusals;
  readonly #options: QueueOptions;
  readonly #runners: Runners;
  readonly #watchers = new Watchers();
  readonly #listeners = new QueueListeners();
  #stopPolling = () => {};
  #stopping = false;

  private constructor(options: QueueOptions) {
    this.#options = options;
    if (options.onChange !== undefined) this.#listeners.ofJobs(options.onChange);
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
    this.#runners = new Runners(this.#engine, options, {
      stopping: () => this.#stopping,
      submit: (jobs) => this.#submit(jobs, false),
    });
    this.#refusals = new Refusals({
      takers: options.effectTakers,
      clock: options.clock,
      jobsOf: ({ worker }) => this.#claimedBy(worker),
      refused: () => this.#engine.wake(),
      isOver: () => this.#engine.ended,
    });
  }

  /** Reads the store, takes care of dead workers, and starts jobs. */
  static async open(options: QueueOptions): Promise<JobQueue> {
    const queue = new JobQueue(options);
    const look = () => queue.#engine.run({ apply: () => undefined });
    await look();
    if (queue.#refusals.isBusy) {
      // Jobs and locks of dead workers wait until their effects are refused, all others do not.
      await atMost(options.clock, refusalMaxMs, queue.#refusals.idle());
      await look();
    }
    if (options.store.shared) queue.#poll();
    return queue;
  }

  // Submission.

  /** Submits one job; durable when the id is returned. @throws QueueError */
  async submit(opcodes: readonly JsonObject[]): Promise<JobId> {
    return acceptedId(await this.#submit([opcodes], false));
  }

  /** Submits several jobs; a refused entry does not affect the others. @throws QueueError */
  submitMany(jobs: readonly (readonly JsonObject[])[]): Promise<readonly Submitted[]> {
    return this.#submit(jobs, false);
  }

  /** Like `submit`, even if the queue is drained. */
  async submitToDrained(opcodes: readonly JsonObject[]): Promise<JobId> {
    return acceptedId(await this.#submit([opcodes], true));
  }

  #submit(jobs: readonly (readonly JsonObject[])[], evenDrained: boolean) {
    return this.#engine.run(submitCommand(jobs, evenDrained));
  }

  // Existing jobs.

  /** @returns whether it was canceled, and Ganeti's message; waits up to 44 s for a running job */
  cancel(id: JobId, { kill = false } = {}): Promise<Outcome> {
    return cancelJob(this.#engine, this.#watchers, this.#options.clock, id, kill);
  }

  /** @throws QueueError for a priority other than -10, 0 or 10 */
  async changePriority(id: JobId, priority: number): Promise<Outcome> {
    return this.#engine.run(priorityCommand(id, priority));
  }

  /** False if the job does not exist outside the archive, or has not ended. */
  async archive(id: JobId): Promise<boolean> {
    return (await this.#engine.run(archiveCommand([id]))) === 1;
  }

  autoArchive(ageSeconds: number, timeoutSeconds: number): Promise<readonly [number, number]> {
    return autoArchive(this.#engine, this.#options.clock, ageSeconds, timeoutSeconds);
  }

  /** @throws QueueError `unknown_job`, or for unknown fields */
  waitForChange(id: JobId, request: ChangeRequest): Promise<JobChangeAnswer> {
    return waitForChange(this.#engine, this.#watchers, this.#options.clock, id, request);
  }

  /**
   * The job once it has ended, successfully or not; its opcodes have status and result. Waits without limit:
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

  /** Like `query`, but a few rows at a time: other work gets its turn before each further part. */
  async *rows<const Fields extends readonly string[]>(
    ids: readonly JobId[],
    fields: Fields,
    { archived = false } = {},
  ): AsyncGenerator<readonly (JobValues<Fields> | undefined)[], void> {
    checkFields(fields);
    const asked = ids.length > 0 ? ids : await this.#listed(archived);
    yield* jobRows(this.#engine, this.#options.clock, asked, fields);
  }

  /** Jobs that are not archived: O(1), or one round trip if others may have changed them. */
  async live(): Promise<LiveJobs> {
    const { store, ended, roster } = this.#engine;
    if (store.shared && !ended) await this.#engine.run({ apply: () => undefined });
    return roster;
  }

  /** Ids of the jobs that have not ended, ascending, as this worker knows them. O(jobs). */
  get openIds(): readonly JobId[] {
    return [...this.#engine.image.ids()];
  }

  /** The last job id in use, as this worker knows it; 0 before the first job. */
  get lastId(): JobId {
    return this.#engine.image.serial as JobId;
  }

  /** Ids of jobs outside the archive, or of all, ascending. */
  async #listed(archived: boolean): Promise<readonly JobId[]> {
    const live = (await this.live()).blocks.flatMap(({ ids }) => ids);
    if (!archived) return live;
    // A job may be archived between the two queries.
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
   * Stores a rule under a new uuid and returns that. @throws FilterError with Ganeti's text for a faulty
   * body; nothing is stored then
   */
  async addRule(body: Json): Promise<FilterUuid> {
    return this.#engine.run(ruleCommand(newUuid(this.#options.random), this.#ruleBody(body)));
  }

  /** Creates the rule with that uuid, or replaces it completely. @throws FilterError */
  async replaceRule(uuid: string, body: Json): Promise<FilterUuid> {
    return this.#engine.run(ruleCommand(readRuleUuid(uuid), this.#ruleBody(body)));
  }

  #ruleBody(body: Json) {
    return readRuleBody(body, this.#options.patterns ?? noPatterns);
  }

  /** @throws QueueError `unknown_rule`, FilterError for an invalid uuid */
  async deleteRule(uuid: string): Promise<void> {
    return this.#engine.run(removeRuleCommand(readRuleUuid(uuid)));
  }

  /** Unfinished jobs by the rule that applies to them, and by ad-hoc rate limit. Cost: O(unfinished jobs). */
  ruleEffects(): Promise<RuleEffects> {
    return ruleEffects(this.#engine, this.#options.clock);
  }

  /** Jobs that a rule catches, or would catch if it were stored; nothing is changed. */
  previewRule(question: RuleQuestion): Promise<RulePreview> {
    const { clock, patterns = noPatterns } = this.#options;
    return previewRule(this.#engine, { clock, patterns }, question);
  }

  /**
   * Reasons why a job is not running: the causes that hold it, or the locks it waits for with their holders.
   * Empty if there are none. Cost: claimed jobs, and queued ones not examined since a change; yields to other
   * work. @throws QueueError `unknown_job` if it has ended or never existed
   */
  async whyNotRunning(id: JobId): Promise<readonly Hindrance[]> {
    const { clock, locks, lookMax = lookMaxDefault } = this.#options;
    return hindrances(this.#engine, { clock, locks, lookMax }, id);
  }

  /**
   * Reports which jobs have changed, by any worker, once the changes are durable; returns a function that
   * stops the reports.
   */
  onChange(listener: (changed: ReadonlySet<JobId>) => void): () => void {
    return this.#listeners.ofJobs(listener);
  }

  /**
   * Reports that filter rules or settings may have changed, once that is durable; returns a function that stops
   * the reports.
   */
  onRules(listener: () => void): () => void {
    return this.#listeners.ofRules(listener);
  }

  change(settings: Partial<Settings>): Promise<void> {
    return this.#engine.run({
      apply: (step) => step.set({ ...step.image.settings, ...settings }),
    });
  }

  // Life cycle.

  /** False once it has been stopped, or has lost its lease. */
  get isOpen(): boolean {
    return !this.#engine.ended;
  }

  /** Whether it accepts jobs, and is not stopping. */
  get isWorking(): boolean {
    return this.isOpen && !this.#stopping && this.#options.executor !== undefined;
  }

  /**
   * Whether this worker still processes the job: a killed job has ended before its operation notices, and a
   * last call to a node may be in progress.
   */
  handles(id: JobId): boolean {
    return this.#runners.has(id);
  }

  /** Number of jobs this worker holds. */
  get heldCount(): number {
    return this.#runners.size;
  }

  /**
   * Takes no new jobs, returns waiting jobs to the queue, lets running opcodes finish for `graceMs` and
   * releases the lease. Operations that take longer are signalled, and have failed. `beforeClose` is called when
   * no job changes any more and the store can still be read.
   */
  async stop({ graceMs = 60_000, beforeClose }: StopOptions = {}): Promise<void> {
    this.#stopping = true;
    this.#stopPolling();
    this.#runners.lookAll();
    const { clock, store } = this.#options;
    await atMost(clock, graceMs, this.#runners.ended());
    await this.#engine.stop(new Error("the queue has been stopped"));
    this.#loseAll();
    await beforeClose?.();
    const { size, hasCut } = this.#runners;
    await store.close(size > 0 || hasCut || this.#refusals.isBusy);
  }

  /** Resolves when this worker holds no jobs. */
  idle(): Promise<void> {
    return this.#runners.idle();
  }

  /** False: it is unfinished, and continues in a later step. */
  #settle(step: Step): boolean {
    const { executor, capacity = Infinity, processId, lookMax = lookMaxDefault } = this.#options;
    const { claim } = this.#engine.store;
    const judged = chooseRejected(step.image, lookMax);
    for (const { job } of judged.rejected) step.put(cancelQueued(job, step.now), null);
    const own = this.#claimedBy(claim.worker).length;
    const room = executor === undefined || this.#stopping ? 0 : capacity - own;
    const chosen = chooseStarted(step.image, room, lookMax);
    for (const entry of chosen.started) {
      const { job, inputs } = entry;
      const { id } = job;
      const ours = () => ({
        ...job,
        livelock: leaseText(claim),
        ...(processId ? { processId } : {}),
      });
      if (!isReadable(job)) {
        step.put(failToStart(ours(), "an opcode cannot be read", step.now), null);
      } else if (step.hasChanged(id)) {
        step.put(takeNext(ours(), step.now, executor as Executor), claim);
      } else {
        const status = statusWhenTaken(job, executor as Executor);
        const opcodeCount = inputs.length;
        step.take(entry, { id, claim, status, at: step.now, processId, opcodeCount });
      }
    }
    const { claimed, settings } = step.image;
    invariant(
      chosen.started.length === 0 || claimed.size <= settings.runningMax,
      () => `${claimed.size} jobs would run, ${settings.runningMax} may`,
    );
    return judged.isDone && chosen.isDone;
  }

  #settled(changed: ReadonlySet<JobId>, rulesChanged: boolean): void {
    for (const id of changed) this.#runners.changed(id);
    if (rulesChanged) this.#runners.lookAll();
    this.#watchers.tell(changed);
    this.#listeners.tell(changed, rulesChanged, this.#engine.image.settings);
  }

  #claimedBy(worker: number): readonly JobId[] {
    const { image } = this.#engine;
    return [...image.claimed].filter((id) => image.get(id)?.claim?.worker === worker);
  }

  #bury(dead: readonly Claim[]): void {
    for (const one of dead) {
      void this.#options.locks.releaseLease(leaseText(one)).catch(() => undefined);
    }
  }

  #loseAll(): void {
    this.#stopPolling();
    this.#runners.loseAll();
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
