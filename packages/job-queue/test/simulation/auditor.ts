// Invariants of the queue, checked at every stored step and every action of operations.
import { type FilterableJob, pass, ruleChain } from "@ganeti-ts/job-filter";
import {
  type FilterRule,
  isFinalized,
  type Job,
  type JobId,
  type Json,
  sameJson,
} from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import type { Process } from "@ganeti-ts/testkit/simulation";
import {
  type Change,
  type Claim,
  type JobChange,
  type JobRow,
  jobPriorityOf,
  jobStatusOf,
  type MemoryDatabase,
} from "../../src/index.js";

/** Name of an invariant, by which broken copies are identified. */
export type Invariant =
  | "acknowledged is kept"
  | "nothing runs twice"
  | "begun is recorded"
  | "only what has begun dies"
  | "results are true"
  | "ended is ended"
  | "documents are whole"
  | "limits hold"
  | "held for a cause"
  | "locks exclude"
  | "the dead hold nothing"
  | "the fenced write nothing"
  | "the buried do nothing"
  | "no delay without cause"
  | "calls are answered"
  | "all ends";

/** No run needs nearly as many. */
const stepsMax = 50_000;

export class Violation extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

interface Running {
  readonly process: Process;
  readonly locks: readonly (readonly [name: string, mode: string])[];
}

export class Auditor {
  /** The first thing that went wrong. */
  violation: Violation | undefined;
  readonly counts = {
    steps: 0,
    begun: 0,
    died: 0,
    requeued: 0,
    spared: 0,
    held: 0,
    full: 0,
    canceled: 0,
    acted: 0,
    late: 0,
  };
  readonly #database: MemoryDatabase;
  readonly #submitted = new Set<JobId>();
  /** Opcodes that have begun, by `job.index`: what they gave, once they ended. */
  readonly #begun = new Map<string, { result?: Json; mayBeginAgain: boolean }>();
  readonly #running = new Map<string, Running>();
  #before = new Map<JobId, JobRow | undefined>();

  constructor(database: MemoryDatabase) {
    this.#database = database;
  }

  broken(invariant: Invariant, what: string): void {
    this.violation ??= new Violation(invariant, what);
  }

  acknowledged(id: JobId): void {
    if (this.#submitted.has(id)) this.broken("acknowledged is kept", `job ${id} was given twice`);
    this.#submitted.add(id);
    if (!this.#database.rows.has(id)) this.broken("acknowledged is kept", `job ${id} is not there`);
  }

  get submittedCount(): number {
    return this.#submitted.size;
  }

  before(changes: readonly Change[]): void {
    const { rows } = this.#database;
    this.#before = new Map();
    for (const change of changes) {
      if (change.kind === "job") this.#before.set(change.job.id, rows.get(change.job.id));
    }
  }

  /** `startsAll`: the step was one of a worker with room for every job. */
  after(changes: readonly Change[], worker: number, startsAll: boolean): void {
    if (++this.counts.steps > stepsMax) this.broken("all ends", "work that leads nowhere");
    if (this.#database.workers.get(worker)?.isFenced !== false) {
      this.broken("the fenced write nothing", `worker ${worker} wrote`);
    }
    for (const change of changes) {
      if (change.kind !== "job") continue;
      this.#checkJob(change.job);
      this.#checkWritten(change);
    }
    this.#checkBurials(changes);
    this.#checkLimits(changes);
    if (startsAll && changes.length > 0) this.#checkHeld();
  }

  #checkJob(job: Job): void {
    const before = this.#before.get(job.id);
    const status = jobStatusOf(job.opcodes);
    const where = `job ${job.id} (${job.opcodes.map((one) => one.status).join(" ")})`;
    if (before !== undefined && isFinalized(before.status)) {
      this.broken("ended is ended", `${where} was ${before.status}`);
    }
    if (isFinalized(status) !== (job.ended !== null))
      this.broken("documents are whole", `${where}: its end`);
    const current = job.opcodes.findIndex((one) => !isFinalized(one.status));
    const rest = current < 0 ? [] : job.opcodes.slice(current + 1).map((one) => one.status);
    if (!rest.every((one) => one === "queued") && !rest.every((one) => one === "canceling")) {
      this.broken("documents are whole", `${where}: opcodes after the current one`);
    }
    const serials = job.opcodes.flatMap(({ log }) => log.map(([serial]) => serial));
    if (serials.some((serial, at) => serial !== at + 1))
      this.broken("documents are whole", `${where}: its log`);
    for (const [index, opcode] of job.opcodes.entries()) {
      const was = before?.job?.opcodes[index];
      if (was !== undefined && isFinalized(was.status) && !sameJson(was.result, opcode.result)) {
        this.broken("ended is ended", `${where}: result ${index}`);
      }
      if (opcode.status !== "success") continue;
      const ran = this.#begun.get(`${job.id}.${index}`);
      if (ran?.result === undefined || !sameJson(ran.result, opcode.result)) {
        this.broken("results are true", `${where}: opcode ${index} did not give that`);
      }
    }
    if (status === "canceled") this.counts.canceled++;
  }

  /** Opcodes not listed as changed equal those in the store. */
  #checkWritten({ job, opcodes, isNew, log }: JobChange): void {
    const before = this.#before.get(job.id)?.job;
    const entries = log.map(({ entry: [serial] }) => serial);
    for (const [index, opcode] of job.opcodes.entries()) {
      const was = before?.opcodes[index];
      const more = opcode.log.slice(was?.log.length ?? 0);
      if (more.some(([serial]) => !entries.includes(serial))) {
        this.broken("documents are whole", `job ${job.id}: log of opcode ${index} is not written`);
      }
      if (opcodes.includes(index)) continue;
      if (isNew || !sameJson({ ...was, log: [] } as Json, { ...opcode, log: [] } as Json)) {
        this.broken("documents are whole", `job ${job.id}: opcode ${index} is not written`);
      }
      this.counts.spared++;
    }
  }

  /** When a worker is buried, exactly those of its jobs fail that had an opcode running. */
  #checkBurials(changes: readonly Change[]): void {
    const buried = new Set(
      changes.flatMap((change) => (change.kind === "bury" ? [change.dead.worker] : [])),
    );
    for (const change of changes) {
      if (change.kind !== "job") continue;
      const before = this.#before.get(change.job.id);
      if (before?.claim == null || !buried.has(before.claim.worker)) continue;
      const current = before.job?.opcodes.find(({ status }) => !isFinalized(status));
      if (current?.status === "waiting") this.counts.requeued++;
      if (change.status === "error" && current?.status !== "running") {
        this.broken("only what has begun dies", `job ${change.job.id} was ${current?.status}`);
      }
    }
  }

  /** Limits that a claimed job counts for: the queue, its RATE_LIMIT rule, its reasons that are limits. */
  #limitsOf(job: Job): readonly string[] {
    const rule = this.#chain.applying(judged(job));
    const reasons = new Set(reasonTexts(job).map((text) => `reason ${text}`));
    return ["all", ...(rule === undefined ? [] : [`rule ${rule.uuid}`]), ...reasons];
  }

  /** A job that has just been started is within every limit that it counts for. */
  #checkLimits(changes: readonly Change[]): void {
    const started = changes.flatMap((change) => {
      const isStart = change.kind === "job" && change.claim !== null;
      return isStart && this.#before.get(change.job.id)?.claim === null ? [change.job] : [];
    });
    if (started.length === 0) return;
    const { settings, rules, rows } = this.#database;
    this.#chain = ruleChain(rules.values(), compilePattern);
    const usage = new Map<string, number>();
    for (const { job, claim } of rows.values()) {
      if (claim === null) continue;
      for (const key of this.#limitsOf(job)) usage.set(key, (usage.get(key) ?? 0) + 1);
    }
    for (const key of started.flatMap((job) => this.#limitsOf(job))) {
      const limit = limitOf(key, settings.runningMax, rules);
      const count = usage.get(key) ?? 0;
      if (count >= limit) this.counts.full++;
      if (count > limit) this.broken("limits hold", `${key}: ${count} of ${limit}`);
    }
  }

  #chain = ruleChain([], compilePattern);

  /** After a worker's step nothing is left that could start, and each held job has a cause. */
  #checkHeld(): void {
    const startable = this.startable();
    if (startable.length > 0) this.broken("held for a cause", `nothing holds job ${startable[0]}`);
  }

  /** Jobs that a worker with free capacity would have to start or cancel, by the rules of the packages below. */
  startable(): readonly JobId[] {
    const rows = [...this.#database.rows.values()];
    const result = pass({
      queued: rows
        .filter((row) => row.claim === null && !isFinalized(row.status))
        .map((row) => judged(row.job)),
      claimed: rows.filter((row) => row.claim !== null).map((row) => judged(row.job)),
      chain: ruleChain(this.#database.rules.values(), compilePattern),
      runningMax: this.#database.settings.runningMax,
    });
    this.counts.held += result.held.length;
    for (const { job, causes } of result.held) {
      for (const cause of causes) {
        const isTrue =
          cause.kind === "dependency"
            ? cause.jobs.every(
                (id) => !isFinalized(this.#database.rows.get(id)?.status ?? "success"),
              )
            : cause.kind === "paused" || cause.kind === "rate_limit"
              ? this.#database.rules.has(cause.rule.uuid)
              : true;
        if (!isTrue) this.broken("held for a cause", `job ${job.id}: ${cause.kind} is not true`);
      }
    }
    return [...result.start.map(({ id }) => id), ...result.cancel.map(({ job }) => job.id)];
  }

  // Actions of operations.

  began(
    id: JobId,
    index: number,
    process: Process,
    locks: Running["locks"],
    isFenced: boolean,
  ): void {
    const key = `${id}.${index}`;
    this.counts.begun++;
    const before = this.#begun.get(key);
    if (before !== undefined && !before.mayBeginAgain) {
      this.broken("nothing runs twice", `opcode ${index} of job ${id}`);
    }
    this.#begun.set(key, { mayBeginAgain: false });
    if (isFenced) return;
    const stored = this.#database.rows.get(id)?.job.opcodes[index];
    // Another worker may have killed it since its beginning was stored, which its own worker has yet to hear.
    const isKilled = stored?.status === "error" && stored.executed !== null;
    if (stored?.status !== "running" && !isKilled) {
      this.broken("begun is recorded", `job ${id} is stored as ${stored?.status}`);
    }
    for (const [other, running] of this.#running) {
      if (!running.process.isAlive || other === key) continue;
      for (const [name, mode] of locks) {
        const clash = running.locks.find(
          ([held, how]) => held === name && (how === "exclusive" || mode === "exclusive"),
        );
        if (clash !== undefined)
          this.broken("locks exclude", `${name} is held by ${other} and ${key}`);
      }
    }
    this.#running.set(key, { process, locks });
  }

  /** An effect of an operation that is taken, wherever that is. */
  acted(claim: Claim, id: JobId): void {
    this.counts.acted++;
    if (this.#database.isBuried(claim)) {
      this.broken("the buried do nothing", `job ${id} of worker ${claim.worker}`);
    }
  }

  /** `result` undefined: it failed, or is to be tried again. */
  over(id: JobId, index: number, result: Json | undefined, mayBeginAgain: boolean): void {
    const key = `${id}.${index}`;
    this.#running.delete(key);
    const ran = this.#begun.get(key);
    if (ran === undefined) return;
    ran.mayBeginAgain = mayBeginAgain;
    if (result !== undefined) ran.result = result;
  }

  /** Its worker has been declared dead, or the job was taken from it: it excludes no other job any more. */
  abandoned(process: Process): void {
    for (const [key, running] of this.#running)
      if (running.process === process) this.#running.delete(key);
  }

  taken(id: JobId): void {
    for (const key of this.#running.keys()) if (key.startsWith(`${id}.`)) this.#running.delete(key);
  }

  /** At the end, when everything has settled. */
  finish(): void {
    for (const id of this.#submitted) {
      const row = this.#database.rows.get(id);
      if (row === undefined) this.broken("acknowledged is kept", `job ${id} is lost`);
      else if (!isFinalized(row.status)) this.broken("all ends", `job ${id} is ${row.status}`);
    }
  }
}

function limitOf(key: string, runningMax: number, rules: ReadonlyMap<string, FilterRule>): number {
  if (key === "all") return runningMax;
  if (key.startsWith("reason ")) {
    const [, digits] = /^reason rate-limit:(\d+):/.exec(key) ?? [];
    return Number(digits) > 0 ? Number(digits) : Infinity;
  }
  const action = rules.get(key.slice(5))?.action;
  return typeof action === "object" ? action[1] : Infinity;
}

const reasonTexts = (job: Job): string[] =>
  job.opcodes.flatMap(({ input }) => {
    const { reason } = input as { reason: readonly (readonly [string, string])[] };
    return reason.map(([, text]) => text);
  });

/** The same list of inputs for the same job, so that cached data about it is kept. */
const inputsOf = new WeakMap<object, readonly Json[]>();

function judged(job: Job): FilterableJob {
  const key = job.opcodes[0]?.input as object;
  const inputs = inputsOf.get(key) ?? job.opcodes.map(({ input }) => input);
  inputsOf.set(key, inputs);
  return { id: job.id, priority: jobPriorityOf(job.opcodes), inputs };
}
