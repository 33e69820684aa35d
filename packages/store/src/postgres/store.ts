/** Job store of one of several workers: steps are serialised transactions. */
import { randomUuid } from "@ganeti-ts/config";
import {
  type Change,
  type Claim,
  HaltError,
  type JobChange,
  type JobRow,
  type JobStore,
  LeaseLostError,
  leaseText,
  type News,
  type Selection,
} from "@ganeti-ts/job-queue";
import type { LockOrder } from "@ganeti-ts/locking";
import { type JobId, secureRandom } from "@ganeti-ts/protocol";
import pg, { type ClientConfig } from "pg";
import { othersTurn } from "../event-loop.js";
import { Assumption } from "./assumption.js";
import { connected, connectionTo, isConnectionError } from "./connection.js";
import { DebouncedNotify } from "./debounced-notify.js";
import { type KnownCommit, StepHistory } from "./history.js";
import { JobsAhead } from "./jobs-ahead.js";
import { KnownJobs } from "./known-jobs.js";
import { Lease } from "./lease.js";
import { Listener } from "./listener.js";
import { PostgresLockStore } from "./lock-store.js";
import { afterUpgrade } from "./newer-version.js";
import { heard, progressNotice } from "./notice.js";
import { stepErrors } from "./procedures.js";
import { migrate } from "./schema.js";
import { giveUpLease, insertQueued, keepStep, registerWorker, wholeStep } from "./statements.js";
import { beginStep, newsOf, readRows } from "./step-news.js";
import { interestsOthers, stepTexts } from "./step-text.js";
import { Unsure } from "./unsure.js";

/** Options of `openPostgresStore`. */
interface PostgresOptions {
  /** Connection settings of the `pg` package; its environment variables also apply. */
  readonly connection?: ClientConfig | string;
  /** The schema that holds the queue: one queue per schema. */
  readonly schema?: string;
  /**
   * Time (ms) after which a worker that does not renew its lease counts as dead; it renews it three times as
   * often.
   */
  readonly leaseMs?: number;
  /** The last step that was acknowledged to an earlier process of this server. */
  readonly known?: KnownCommit | undefined;
  /** The order in which locks are taken, the same for all workers; Ganeti's levels if absent. */
  readonly lockOrder?: LockOrder;
}

/**
 * Connects a new worker, after creating or upgrading the tables if necessary.
 * @throws HaltError if the tables are of a newer version, or lack the known step
 */
export async function openPostgresStore(options: PostgresOptions = {}): Promise<PostgresStore> {
  const { connection = {}, schema = "ganeti_ts", leaseMs = 30_000 } = options;
  const config = connectionTo(connection, schema, [
    // Acknowledge only durable commits: with synchronous_commit off, a database crash could lose a step that
    // was already reported.
    "synchronous_commit=on",
    // A worker suspended in the middle of a step blocks the others for at most one lease.
    `idle_in_transaction_session_timeout=${leaseMs}`,
  ]);
  const client = await connected({ ...config, pipeline: true });
  try {
    await migrate(client, schema);
    const history = new StepHistory(options.known);
    await history.compare(client);
    const granted = process.hrtime.bigint();
    const worker = await registerWorker(client, leaseMs);
    const keys = await client.query<{ key: number }>("SELECT hashtext($1) AS key", [
      `ganeti-ts step ${schema}`,
    ]);
    const store = new PostgresStore(client, {
      config,
      worker,
      leaseMs,
      lockOrder: options.lockOrder,
      granted,
      schema,
      history,
      lockKey: keys.rows[0]?.key as number,
    });
    await store.listen();
    return store;
  } catch (error) {
    await client.end();
    throw error;
  }
}

interface Registration {
  readonly config: ClientConfig;
  readonly worker: number;
  readonly leaseMs: number;
  readonly lockOrder: LockOrder | undefined;
  readonly granted: bigint;
  readonly schema: string;
  readonly history: StepHistory;
  /** Key of the advisory lock that serialises steps. */
  readonly lockKey: number;
}

/** The job queue of several workers in PostgreSQL; each instance is one worker with a lease. */
export class PostgresStore implements JobStore {
  readonly claim: Claim;
  readonly shared = true;
  readonly leaseMs: number;
  /** The lock table of all workers: for `createLockManager`. */
  readonly locks: PostgresLockStore;
  readonly #registration: Registration;
  readonly #lease: Lease;
  readonly #listener: Listener;
  readonly #readers: pg.Pool;
  readonly #channel: string;
  #client: pg.Client | undefined;
  #tell = () => {};
  #isOver = false;
  #isFenced = false;
  #halt: HaltError | undefined;
  readonly #history: StepHistory;
  /** The step being written. */
  #commit: KnownCommit = { number: 0, mark: "" };
  /** Revision of the last step whose changes this worker knows completely. */
  #seen: number | undefined;
  #stepNumber = 0;
  readonly #known: KnownJobs;
  readonly #ahead = new JobsAhead();
  readonly #assumption = new Assumption();
  readonly #notify: DebouncedNotify;

  constructor(client: pg.Client, registration: Registration) {
    this.#client = client;
    this.#registration = registration;
    this.#history = registration.history;
    this.leaseMs = registration.leaseMs;
    this.claim = { worker: registration.worker, fence: 1 };
    this.#known = new KnownJobs(registration.worker);
    this.#channel = `${registration.schema}_news`;
    this.#readers = new pg.Pool({ ...registration.config, max: 2, idleTimeoutMillis: 10_000 });
    this.#readers.on("error", () => {});
    this.#notify = new DebouncedNotify((payload) =>
      this.#readers.query("SELECT pg_notify($1, $2)", [this.#channel, payload]),
    );
    this.#lease = new Lease({
      config: registration.config,
      worker: registration.worker,
      fence: 1,
      leaseMs: registration.leaseMs,
      granted: registration.granted,
      onFenced: () => {
        this.#isFenced = true;
        this.#hear(); // The next step finds out.
      },
    });
    this.locks = new PostgresLockStore({
      connect: () => this.#connected(registration.config),
      claim: this.claim,
      schema: registration.schema,
      lockOrder: registration.lockOrder,
      leaseLeftMs: () => this.leaseLeftMs(),
    });
    const channels = [this.#channel, this.locks.channel];
    this.#listener = new Listener(registration.config, channels, (channel, payload) => {
      if (channel === this.locks.channel) return this.locks.hear(payload);
      const { isNews, isUrgent } = heard(payload, registration.worker, this.#seen);
      if (isUrgent) this.#ahead.hear();
      if (isNews) this.#hear();
    });
  }

  /** @internal */
  listen(): Promise<void> {
    return this.#listener.start();
  }

  #hear(): void {
    this.#assumption.doubt();
    this.#tell();
  }

  leaseLeftMs(): number {
    return this.#isFenced || this.#halt !== undefined ? 0 : this.#lease.leftMs();
  }

  /** The last step that is certainly durable; undefined before the first one. */
  get known(): KnownCommit | undefined {
    return this.#history.acknowledged;
  }

  /** Ends the work of this worker: its next step rejects with the error. */
  halt(error: HaltError): void {
    this.#halt ??= error;
    this.#hear();
  }

  onNews(listener: () => void): void {
    this.#tell = listener;
  }

  async step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]) {
    for (let unsure: Unsure | undefined; ; ) {
      if (this.#halt !== undefined) throw this.#halt;
      if (this.#isFenced) await this.#findLoss();
      if (this.#isOver || this.#isFenced) throw this.#lost();
      try {
        this.#client ??= await this.#connected({ ...this.#registration.config, pipeline: true });
        if (unsure !== undefined && (await this.#wasKept(unsure))) return;
        unsure = undefined;
        if (await this.#assumedStep(this.#client, wanted, decide)) return;
        await this.#transaction(this.#client, wanted, decide);
        return;
      } catch (error) {
        this.#assumption.doubt();
        // The state of this worker is wrong: the next step reads all unfinished jobs.
        if ((error as { code?: string }).code === stepErrors.outdated) this.#seen = undefined;
        if (error instanceof Unsure) unsure = error;
        else if (!isConnectionError(error)) throw await this.#refusal(error);
        this.#dropConnection();
        if (this.leaseLeftMs() <= 0) throw this.#lost();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async read(ids: readonly JobId[]): Promise<readonly JobRow[]> {
    return readRows(this.#readers, ids);
  }

  async list({ archived, endedBefore }: Selection): Promise<readonly JobId[]> {
    const limit = endedBefore === undefined ? null : Math.min(endedBefore, Number.MAX_SAFE_INTEGER);
    const { rows } = await this.#readers.query<{ id: string }>(
      `SELECT id FROM job WHERE archived = $1 AND ($2::bigint IS NULL OR ended < $2) ORDER BY id`,
      [archived, limit],
    );
    return rows.map(({ id }) => Number(id) as JobId);
  }

  async close(busy = false): Promise<void> {
    const { worker, fence } = this.claim;
    if (!this.#isOver) {
      for (const query of giveUpLease(worker, fence, busy)) {
        await this.#readers.query(query).catch(() => undefined);
      }
    }
    await this.leave();
  }

  /** Closes all connections and keeps the lease, like the death of the process. */
  async leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#history.stop();
    this.#notify.drop();
    await this.#lease.stop();
    await this.#listener.stop();
    await this.#readers.end();
    await this.locks.close();
    await this.#client?.end().catch(() => undefined);
  }

  /** A new connection to a database that has all steps this worker knows. */
  #connected(config: ClientConfig): Promise<pg.Client> {
    return connected(config, async (client) => {
      await this.#history.compare(client).catch((error: unknown) => {
        if (error instanceof HaltError) this.halt(error);
        throw error;
      });
    });
  }

  /** A database that has gone back may lack this worker, which has not been fenced then. @throws HaltError */
  async #findLoss(): Promise<void> {
    await this.#history.compare(this.#readers).catch((error: unknown) => {
      if (error instanceof HaltError) throw error;
    });
  }

  /**
   * A step in one round trip, if this worker may assume that it knows the present state. False: it has written
   * nothing, and must ask first.
   */
  async #assumedStep(
    client: pg.Client,
    wanted: () => Iterable<JobId>,
    decide: (news: News) => readonly Change[],
  ): Promise<boolean> {
    // Commands that are ready to be submitted join this step, as they would during a round trip.
    if (this.#assumption.news() !== undefined) await othersTurn();
    const news = this.#assumption.news();
    if (news === undefined || [...wanted()].length > 0) return false;
    const changes = decide(news);
    // Only a caller that asks for news makes a step without changes.
    if (changes.length === 0) return false;
    const learn = (nowMicros?: number) => this.#learn(news.revision, news, changes, nowMicros);
    const { texts, told } = this.#textsOf(news, changes, news.revision + 1, new Set());
    const query = wholeStep(this.#registration.lockKey, news.revision, texts);
    const { rows } = await this.#kept(learn, () =>
      client.query<{ now_micros: string | null }>(query),
    );
    const now = rows[0]?.now_micros ?? null;
    if (now === null) {
      this.#assumption.doubt();
      return false;
    }
    told();
    learn(Number(now));
    return true;
  }

  /** A step in two round trips: the first asks for news. */
  async #transaction(
    client: pg.Client,
    wanted: () => Iterable<JobId>,
    decide: (news: News) => readonly Change[],
  ): Promise<void> {
    try {
      this.#assumption.asking();
      await this.#ahead.read(client);
      let start = await beginStep(client, this.#registration, this.#seen);
      if (this.#ahead.isLate(start.jobs)) {
        await client.query("ROLLBACK");
        await this.#ahead.read(client);
        start = await beginStep(client, this.#registration, this.#seen);
      }
      if (start.fence !== this.claim.fence) throw this.#fenced();
      this.#history.hasRead(start, this.#readers);
      this.#assumption.asked(start);
      const news = await newsOf(client, start, { known: this.#known, ahead: this.#ahead }, [
        ...wanted(),
      ]);
      const changes = decide(news);
      const learn = () => this.#learn(start.revision, news, changes);
      if (changes.length === 0) await client.query("ROLLBACK");
      else await this.#keep(client, news, changes, { revision: start.revision + 1, learn });
      learn();
    } catch (error) {
      if (!(error instanceof Unsure) && !isConnectionError(error)) {
        await client.query("ROLLBACK").catch(() => this.#dropConnection());
      }
      throw error;
    }
  }

  /** After a step on the revision `before` that has been committed. */
  #learn(before: number, news: News, changes: readonly Change[], nowMicros?: number): void {
    this.#seen = before + Number(changes.length > 0);
    if (changes.length > 0) this.#history.acknowledge(this.#commit);
    this.#known.learn(news.jobs, changes);
    this.#ahead.learn(news, changes);
    this.#assumption.changed(changes, nowMicros);
  }

  /**
   * Writes and commits. `learn` is called later if the result of the commit is unknown and turns out to be a
   * success.
   */
  async #keep(
    client: pg.Client,
    news: News,
    changes: readonly Change[],
    { revision, learn }: { readonly revision: number; readonly learn: () => void },
  ): Promise<void> {
    const queued = changes.filter(
      (change) => change.kind === "job" && change.isNew && change.status === "queued",
    ) as JobChange[];
    const inserted = new Set(queued.length > insertedByColumns ? queued : []);
    if (inserted.size > 0) await client.query(insertQueued(queued, revision));
    const { texts, told } = this.#textsOf(news, changes, revision, inserted);
    await this.#kept(learn, async () => {
      // Sent together: the connection is pipelined.
      const sent = [keepStep(texts), { text: "COMMIT" }, { text: "SELECT on_disk()" }];
      const results = await Promise.allSettled(sent.map((query) => client.query(query)));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    });
    told();
  }

  /** The arguments of `keep_step`, and a function to be called when it has been committed. */
  #textsOf(
    news: News,
    changes: readonly Change[],
    revision: number,
    inserted: ReadonlySet<JobChange>,
  ) {
    const { worker } = this.claim;
    const stepNumber = ++this.#stepNumber;
    const holderOf = this.#known.holderAfter(news.jobs);
    const isUrgent = interestsOthers(changes, worker, holderOf);
    const channel = isUrgent ? this.#channel : undefined;
    const commit = { number: revision, mark: randomUuid(secureRandom) };
    this.#commit = commit;
    const place = { claim: this.claim, stepNumber, commit, inserted, holderOf, channel };
    const told = () => {
      if (isUrgent) this.#notify.drop();
      else this.#notify.sendSoon(progressNotice(worker, revision));
    };
    return { texts: stepTexts(changes, place), told };
  }

  /** The result of a commit; a connection that breaks during it leaves the result unknown. */
  async #kept<Result>(learn: () => void, commit: () => Promise<Result>): Promise<Result> {
    const stepNumber = this.#stepNumber;
    try {
      return await commit();
    } catch (error) {
      if ((error as { code?: string }).code === stepErrors.fenced) throw this.#fenced();
      if (!isConnectionError(error)) throw error;
      throw new Unsure(stepNumber, learn, error);
    }
  }

  /** Whether a transaction was committed although the connection broke during the commit. */
  async #wasKept({ stepNumber, learn }: Unsure): Promise<boolean> {
    const client = this.#client as pg.Client;
    const { rows } = await client.query<{ last_step: string }>(
      "SELECT last_step FROM worker WHERE id = $1 AND fence = $2 AND fenced IS NULL",
      [this.claim.worker, this.claim.fence],
    );
    if (rows[0] === undefined) throw this.#fenced();
    if (Number(rows[0].last_step) < stepNumber) return false;
    await client.query("SELECT on_disk()");
    learn();
    return true;
  }

  /** The error itself, unless a newer version has changed the tables: then this worker must not act any more. */
  async #refusal(error: unknown): Promise<unknown> {
    const upgraded = await afterUpgrade(error, this.#readers).catch(() => undefined);
    this.#halt ??= upgraded;
    return upgraded ?? error;
  }

  #dropConnection(): void {
    void this.#client?.end().catch(() => undefined);
    this.#client = undefined;
  }

  #fenced(): LeaseLostError {
    this.#isFenced = true;
    return this.#lost();
  }

  #lost(): LeaseLostError {
    const why = this.#isOver ? "has been closed" : "has lost its lease";
    return new LeaseLostError(`worker ${leaseText(this.claim)} ${why}`);
  }
}

/** Minimum number of new jobs for which a separate insert pays off its round trip. */
const insertedByColumns = 20;
