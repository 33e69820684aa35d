/**
 * In-memory job store, for tests and for data that need not persist; several workers can share it like a
 * database.
 */

import { jobFacts } from "@ganeti-ts/job-filter";
import type { Clock } from "@ganeti-ts/protocol";
import { type FilterRule, isFinalized, type Job, type JobId, microsOf } from "@ganeti-ts/protocol";
import { jobPriorityOf } from "../jobs/job-status.js";
import {
  type Change,
  type Claim,
  type DeadWorker,
  defaultSettings,
  type JobRow,
  type JobStore,
  LeaseLostError,
  leaseText,
  type News,
  type Selection,
  type Settings,
} from "./store.js";

/** Options of `MemoryDatabase.connect`. */
interface MemoryStoreOptions {
  /** If absent, leases never expire. */
  readonly leaseMs?: number;
}

interface Row extends JobRow {
  readonly job: Job;
}

/** The data that outlives workers. */
export class MemoryDatabase {
  serial = 0;
  settings: Settings = defaultSettings;
  liveCount = 0;
  readonly rules: Map<string, FilterRule> = new Map();
  readonly rows: Map<JobId, Row> = new Map();
  /** Workers that have not been buried. */
  readonly workers = new Map<number, MemoryStore>();
  /** All workers ever fenced, in order. */
  readonly fenced: Claim[] = [];
  readonly clock: Clock;
  readonly leaseMs: number;
  #lastWorker = 0;

  constructor(clock: Clock, { leaseMs = Infinity }: MemoryStoreOptions = {}) {
    this.clock = clock;
    this.leaseMs = leaseMs;
  }

  /** Connects a new worker; it renews its lease by `clock`. */
  connect(clock: Pick<Clock, "now" | "after"> = this.clock): MemoryStore {
    this.#lastWorker++;
    const store = new MemoryStore(this, { worker: this.#lastWorker, fence: 1 }, clock);
    this.workers.set(this.#lastWorker, store);
    return store;
  }

  /** Whether a worker's writes are refused. */
  isFenced({ worker, fence }: Claim): boolean {
    const store = this.workers.get(worker);
    return store?.claim.fence !== fence || store.isFenced;
  }

  /** Whether a worker's jobs and locks have been released. */
  isBuried({ worker }: Claim): boolean {
    return !this.workers.has(worker);
  }

  /** Dead workers that `own` has to take care of. */
  deadBut(own: number): DeadWorker[] {
    const now = this.clock.now();
    return [...this.workers.values()].flatMap(({ claim, leaseUntil, fencedBy }) => {
      if (claim.worker === own) return [];
      const isDue =
        fencedBy === undefined
          ? leaseUntil <= now
          : fencedBy === own || !this.workers.has(fencedBy);
      return isDue ? [{ ...claim, fenced: fencedBy === own }] : [];
    });
  }

  apply(changes: readonly Change[], by: MemoryStore): void {
    for (const change of changes) this.#applyOne(change, by);
    for (const store of this.workers.values()) {
      if (store !== by && changes.length > 0) store.tell(changes);
    }
  }

  #applyOne(change: Change, by: MemoryStore): void {
    switch (change.kind) {
      case "job": {
        const { job, status, claim, isNew } = change;
        this.rows.set(job.id, { id: job.id, status, archived: false, claim, job });
        if (isNew) this.liveCount++;
        by.know(change);
        return;
      }
      case "archive":
        for (const id of change.ids) {
          const row = this.rows.get(id) as Row;
          if (!row.archived) this.liveCount--;
          this.rows.set(id, { ...row, archived: true });
        }
        return;
      case "serial":
        this.serial = change.serial;
        return;
      case "settings":
        this.settings = change.settings;
        return;
      case "rule":
        this.rules.set(change.rule.uuid, change.rule);
        return;
      case "rule gone":
        this.rules.delete(change.uuid);
        return;
      case "fence": {
        const dead = this.workers.get(change.dead.worker);
        if (dead === undefined) return;
        if (!dead.isFenced) this.fenced.push(dead.claim);
        dead.fencedBy = by.claim.worker;
        return;
      }
      case "bury":
        this.workers.delete(change.dead.worker);
        return;
    }
  }
}

/** One worker's view of a `MemoryDatabase`. */
export class MemoryStore implements JobStore {
  readonly claim: Claim;
  readonly shared = true;
  /** By the clock of the database. */
  leaseUntil: number;
  /** The worker that fenced it; it must not write any more. */
  fencedBy: number | undefined;
  /** Number of fenced workers already reported to this worker. */
  #fencedSeen = 0;
  /** Expiry of its lease as known to the worker, by its own clock. */
  #leaseKnownUntil: number;
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #database: MemoryDatabase;
  #listener = () => {};
  /** Jobs that others changed since the last step. */
  readonly #unseen = new Set<JobId>();
  #isFirst = true;
  #settingsUnseen = true;
  #rulesUnseen = true;
  /** Unfinished jobs whose inputs this worker has. */
  readonly #known = new Set<JobId>();
  #stopRenewal = () => {};

  constructor(database: MemoryDatabase, claim: Claim, clock: Pick<Clock, "now" | "after">) {
    this.#database = database;
    this.#clock = clock;
    this.claim = claim;
    this.leaseUntil = database.clock.now() + database.leaseMs;
    this.#leaseKnownUntil = clock.now() + database.leaseMs;
    for (const { id, archived, status } of database.rows.values()) {
      if (!archived && !isFinalized(status)) this.#unseen.add(id);
    }
    if (database.leaseMs < Infinity) this.#renewLater();
  }

  get isFenced(): boolean {
    return this.fencedBy !== undefined;
  }

  get leaseMs(): number {
    return this.#database.leaseMs;
  }

  leaseLeftMs(): number {
    return this.#leaseKnownUntil - this.#clock.now();
  }

  async step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]) {
    await undefined; // So that calls made together share a step.
    this.stepNow(wanted, decide);
  }

  stepNow(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]): void {
    const database = this.#database;
    if (database.isFenced(this.claim)) {
      throw new LeaseLostError(`worker ${leaseText(this.claim)} has lost its lease`);
    }
    const news = this.#news([...wanted()]);
    const changes = decide(news);
    // Only now: a step that was not accepted may be repeated, with the same news.
    for (const { id, status, archived } of news.jobs) {
      if (archived || isFinalized(status)) this.#known.delete(id);
      else this.#known.add(id);
    }
    this.#isFirst = false;
    this.#unseen.clear();
    this.#settingsUnseen = false;
    this.#rulesUnseen = false;
    this.#fencedSeen = database.fenced.length;
    database.apply(changes, this);
  }

  async read(ids: readonly JobId[]): Promise<readonly JobRow[]> {
    return ids.flatMap((id) => this.#database.rows.get(id) ?? []);
  }

  async list({ archived, endedBefore }: Selection): Promise<readonly JobId[]> {
    const rows = [...this.#database.rows.values()].filter(
      (row) =>
        row.archived === archived &&
        (endedBefore === undefined ||
          (row.job.ended !== null && microsOf(row.job.ended) < endedBefore)),
    );
    return rows.map(({ id }) => id).sort((a, b) => a - b);
  }

  onNews(listener: () => void): void {
    this.#listener = listener;
  }

  async close(busy = false): Promise<void> {
    this.#stopRenewal();
    if (this.isFenced) return;
    this.leaseUntil = Number.NEGATIVE_INFINITY;
    this.#leaseKnownUntil = Number.NEGATIVE_INFINITY;
    if (!busy && this.#claimedByMe().length === 0) this.#database.workers.delete(this.claim.worker);
  }

  /** Records changes by other workers. */
  tell(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === "job") this.#unseen.add(change.job.id);
      else if (change.kind === "archive") for (const id of change.ids) this.#unseen.add(id);
      else if (change.kind === "settings") this.#settingsUnseen = true;
      else if (change.kind === "rule" || change.kind === "rule gone") this.#rulesUnseen = true;
    }
    this.#listener();
  }

  know({ job, status }: Extract<Change, { kind: "job" }>): void {
    if (isFinalized(status)) this.#known.delete(job.id);
    else this.#known.add(job.id);
  }

  #news(wantedIds: readonly JobId[]): News {
    const { rows, serial, liveCount, settings, rules, clock } = this.#database;
    const dead = this.#database.deadBut(this.claim.worker);
    const deadWorkers = new Set(dead.map(({ worker }) => worker));
    const unseen = new Set(this.#unseen);
    if (dead.length > 0) {
      for (const { id, claim } of rows.values()) {
        if (claim !== null && deadWorkers.has(claim.worker)) unseen.add(id);
      }
    }
    const wanted = wantedIds.flatMap((id): [JobId, Row][] => {
      const row = rows.get(id);
      return row === undefined ? [] : [[id, row]];
    });
    return {
      serial,
      liveCount,
      dead,
      nowMicros: clock.wallMicros(),
      fenced: this.#database.fenced.slice(this.#fencedSeen),
      wanted: new Map(wanted),
      jobs: [...unseen].map((id) => this.#newsOf(rows.get(id) as Row, deadWorkers)),
      ...(this.#isFirst ? { finished: [...rows.values()].filter(isFinished) } : {}),
      ...(this.#settingsUnseen ? { settings } : {}),
      ...(this.#rulesUnseen ? { rules: [...rules.values()] } : {}),
    };
  }

  /** Like a database that sends documents only if they are needed. */
  #newsOf(row: Row, dead: ReadonlySet<number>): JobRow {
    const { id, status, claim, archived } = row;
    if (archived || isFinalized(status)) return { id, status, archived, claim };
    const isElsewhere =
      claim !== null && claim.worker !== this.claim.worker && !dead.has(claim.worker);
    if (isElsewhere && this.#known.has(id)) return { id, status, archived, claim };
    return claim === null ? undecoded(row) : row;
  }

  #claimedByMe(): readonly Row[] {
    return [...this.#database.rows.values()].filter(
      ({ claim }) => claim?.worker === this.claim.worker,
    );
  }

  #renewLater(): void {
    const { clock, leaseMs } = this.#database;
    this.#stopRenewal = this.#clock.after(leaseMs / 3, () => {
      if (this.#database.isFenced(this.claim)) return;
      this.leaseUntil = clock.now() + leaseMs;
      this.#leaseKnownUntil = this.#clock.now() + leaseMs;
      this.#renewLater();
    });
  }
}

function undecoded({ job, ...row }: Row): JobRow {
  const { dependencies, buckets } = jobFacts(job.opcodes.map(({ input }) => input));
  const isPlain = dependencies.length + buckets.length === 0;
  const priority = jobPriorityOf(job.opcodes);
  return { ...row, undecoded: { priority, isPlain, decoded: () => job } };
}

const isFinished = ({ status, archived }: Row): boolean => isFinalized(status) && !archived;
