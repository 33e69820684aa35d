/** The store of one of several workers: steps are transactions that take turns. */
import {
  type Change,
  type Claim,
  type JobChange,
  type JobRow,
  type JobStore,
  LeaseLostError,
  leaseText,
  type News,
  type Selection,
  type Settings,
} from "@ganeti-ts/job-queue";
import type { LockOrder } from "@ganeti-ts/locking";
import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import pg, { type ClientConfig } from "pg";
import { ruleOfText } from "../rows/documents.js";
import { connected, connectionTo, isConnectionError, resultsOf } from "./connection.js";
import { Herald } from "./herald.js";
import { fullRow, KnownJobs, lightRow, type NewsRow } from "./known-jobs.js";
import { Lease } from "./lease.js";
import { Listener } from "./listener.js";
import { PostgresLockStore } from "./lock-store.js";
import { stepErrors } from "./procedures.js";
import { migrate } from "./schema.js";
import {
  claimedBy,
  documents,
  type FullRow,
  giveUpLease,
  insertQueued,
  registerWorker,
} from "./statements.js";
import { interestsOthers, stepTexts } from "./step-text.js";

/** Options of `openPostgresStore`. */
export interface PostgresOptions {
  /** Where the database is, as the `pg` package takes it; its environment variables count too. */
  readonly connection?: ClientConfig | string;
  /** The schema that holds the queue: one queue per schema. */
  readonly schema?: string;
  /** How long a worker that is not heard of counts as alive; it says so every third of that. */
  readonly leaseMs?: number;
  /** The order in which locks are taken, the same for all workers; Ganeti's levels if absent. */
  readonly lockOrder?: LockOrder;
}

/** Connects a new worker; makes or upgrades the tables first where that is needed. */
export async function openPostgresStore(options: PostgresOptions = {}): Promise<PostgresStore> {
  const { connection = {}, schema = "ganeti_ts", leaseMs = 30_000 } = options;
  const config = connectionTo(connection, schema, [
    // Who may write only after a crash of the server may have undone it would be told too early.
    "synchronous_commit=on",
    // Who stands still in the middle of a step keeps the others waiting for no longer than a lease.
    `idle_in_transaction_session_timeout=${leaseMs}`,
  ]);
  const client = await connected(config);
  try {
    await migrate(client, schema);
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
      lockKey: keys.rows[0]?.key as number,
    });
    await store.listen();
    return store;
  } catch (error) {
    await client.end();
    throw error;
  }
}

interface Seat {
  readonly config: ClientConfig;
  readonly worker: number;
  readonly leaseMs: number;
  readonly lockOrder: LockOrder | undefined;
  readonly granted: bigint;
  readonly schema: string;
  /** Of the advisory lock that steps take turns by. */
  readonly lockKey: number;
}

/** The job queue of several workers in PostgreSQL; each instance is one worker with a lease. */
export class PostgresStore implements JobStore {
  readonly claim: Claim;
  readonly shared = true;
  readonly leaseMs: number;
  /** The lock table of all workers: for `createLockManager`. */
  readonly locks: PostgresLockStore;
  readonly #seat: Seat;
  readonly #lease: Lease;
  readonly #listener: Listener;
  readonly #readers: pg.Pool;
  readonly #channel: string;
  #client: pg.Client | undefined;
  #tell = () => {};
  #isOver = false;
  #isFenced = false;
  /** Revision of the last step that this worker knows all about. */
  #seen: number | undefined;
  #stepNumber = 0;
  readonly #known: KnownJobs;
  readonly #herald: Herald;

  constructor(client: pg.Client, seat: Seat) {
    this.#client = client;
    this.#seat = seat;
    this.leaseMs = seat.leaseMs;
    this.claim = { worker: seat.worker, fence: 1 };
    this.#known = new KnownJobs(seat.worker);
    this.#channel = `${seat.schema}_news`;
    this.#readers = new pg.Pool({ ...seat.config, max: 2, idleTimeoutMillis: 10_000 });
    this.#readers.on("error", () => {});
    this.#herald = new Herald((payload) =>
      this.#readers.query("SELECT pg_notify($1, $2)", [this.#channel, payload]),
    );
    this.#lease = new Lease({
      config: seat.config,
      worker: seat.worker,
      fence: 1,
      leaseMs: seat.leaseMs,
      granted: seat.granted,
      onFenced: () => {
        this.#isFenced = true;
        this.#tell(); // The next step finds out.
      },
    });
    this.locks = new PostgresLockStore({
      config: seat.config,
      claim: this.claim,
      schema: seat.schema,
      lockOrder: seat.lockOrder,
      leaseLeftMs: () => this.leaseLeftMs(),
    });
    const channels = [this.#channel, this.locks.channel];
    this.#listener = new Listener(seat.config, channels, (channel, payload) => {
      if (channel === this.#channel && this.#isNews(payload)) this.#tell();
      if (channel === this.locks.channel) this.locks.hear(payload);
    });
  }

  /** @internal */
  listen(): Promise<void> {
    return this.#listener.start();
  }

  /** Not what this worker did itself, or has seen in a step of its own since. */
  #isNews(payload: string): boolean {
    if (payload === "") return true;
    const [worker, revision] = payload.split(" ").map(Number) as [number, number];
    return worker !== this.#seat.worker && (this.#seen === undefined || revision > this.#seen);
  }

  leaseLeftMs(): number {
    return this.#isFenced ? 0 : this.#lease.leftMs();
  }

  onNews(listener: () => void): void {
    this.#tell = listener;
  }

  async step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]) {
    for (let unsure: Unsure | undefined; ; ) {
      if (this.#isOver || this.#isFenced) throw this.#lost();
      try {
        this.#client ??= await connected(this.#seat.config);
        if (unsure !== undefined && (await this.#wasKept(unsure))) return;
        unsure = undefined;
        await this.#transaction(this.#client, wanted, decide);
        return;
      } catch (error) {
        if (error instanceof Unsure) unsure = error;
        else if (!isConnectionError(error)) throw error;
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

  /** Ends all connections and keeps the lease, as the death of the process would. */
  async leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#herald.drop();
    await this.#lease.stop();
    await this.#listener.stop();
    await this.#readers.end();
    await this.locks.close();
    await this.#client?.end().catch(() => undefined);
  }

  async #transaction(
    client: pg.Client,
    wanted: () => Iterable<JobId>,
    decide: (news: News) => readonly Change[],
  ): Promise<void> {
    try {
      const start = await beginStep(client, this.#seat, this.#seen);
      if (start.fence !== this.claim.fence) throw this.#fenced();
      const news = await this.#news(client, start, [...wanted()]);
      const changes = decide(news);
      const learn = () => {
        this.#seen = start.revision + Number(changes.length > 0);
        this.#known.learn(news.jobs, changes);
      };
      if (changes.length === 0) await client.query("ROLLBACK");
      else await this.#keep(client, changes, start.revision + 1, learn);
      learn();
    } catch (error) {
      if (!(error instanceof Unsure) && !isConnectionError(error)) {
        await client.query("ROLLBACK").catch(() => this.#dropConnection());
      }
      throw error;
    }
  }

  /** Writes and commits. `learn` is for when that is not certain, and found out later. */
  async #keep(
    client: pg.Client,
    changes: readonly Change[],
    revision: number,
    learn: () => void,
  ): Promise<void> {
    const { worker } = this.claim;
    const stepNumber = ++this.#stepNumber;
    const isUrgent = interestsOthers(changes, worker, (id) => this.#known.holderOf(id));
    const channel = isUrgent ? this.#channel : undefined;
    const queued = changes.filter(
      (change) => change.kind === "job" && change.isNew && change.status === "queued",
    ) as JobChange[];
    const inserted = new Set(queued.length > insertedByColumns ? queued : []);
    if (inserted.size > 0) await client.query(insertQueued(queued, revision));
    const place = { claim: this.claim, stepNumber, revision, inserted, channel };
    const given = stepTexts(changes, place)
      .map((text) => (text === undefined ? "NULL" : client.escapeLiteral(text)))
      .join();
    try {
      await client.query(`SELECT keep_step(${given}); COMMIT; SELECT on_disk()`);
    } catch (error) {
      if ((error as { code?: string }).code === stepErrors.fenced) throw this.#fenced();
      if (!isConnectionError(error)) throw error;
      throw new Unsure(stepNumber, learn, error);
    }
    if (isUrgent) this.#herald.drop();
    else this.#herald.tellSoon(`${worker} ${revision}`);
  }

  /** Whether the transaction that was being committed when the connection broke was committed. */
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

  async #news(client: pg.Client, start: StepStart, wanted: readonly JobId[]): Promise<News> {
    const dead = (start.dead ?? []).map(([worker, fence, fenced]) => ({ worker, fence, fenced }));
    const fenced = (start.fenced ?? []).map(([worker, fence]) => ({ worker, fence }));
    const deadWorkers = new Set(dead.map(({ worker }) => worker));
    const light = new Map<JobId, JobRow>();
    for (const row of (start.jobs ?? []).flatMap((rows) => rows ?? [])) {
      const one = lightRow(row);
      light.set(one.id, one);
    }
    const ids = new Set<JobId>(wanted);
    if (dead.length > 0) {
      const { rows } = await client.query<{ id: string }>(claimedBy([...deadWorkers]));
      for (const { id } of rows) ids.add(Number(id) as JobId);
    }
    for (const row of light.values()) {
      if (this.#known.needsDocument(row, deadWorkers)) ids.add(row.id);
    }
    // All unfinished jobs are told: what was known and is not among them has ended.
    const over = start.all ? [...this.#known.ids()].filter((id) => !light.has(id)) : [];
    for (const id of over) ids.add(id);
    const full = ids.size === 0 ? [] : await readRows(client, [...ids]);
    const fullById = new Map(full.map((row) => [row.id, row]));
    for (const row of full) {
      const isOfDead = row.claim !== null && deadWorkers.has(row.claim.worker);
      if (isOfDead || light.has(row.id) || over.includes(row.id)) light.set(row.id, row);
    }
    const wantedRows = wanted.flatMap((id): [JobId, JobRow][] => {
      const row = fullById.get(id);
      return row === undefined ? [] : [[id, row]];
    });
    const [drained, runningMax, sizeMax] = start.settings ?? [];
    return {
      nowMicros: start.now,
      serial: start.serial,
      liveCount: start.live,
      jobs: [...light.values()],
      wanted: new Map(wantedRows),
      dead,
      fenced,
      ...(start.all ? { finished: await finishedJobs(client) } : {}),
      ...(start.settings ? { settings: { drained, runningMax, sizeMax } as Settings } : {}),
      ...(start.rules ? { rules: await rulesOf(client) } : {}),
    };
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

/** More new jobs than this are not worth saving a round trip for. */
const insertedByColumns = 20;

/** The connection broke while a commit was under way. */
class Unsure extends Error {
  readonly stepNumber: number;
  readonly learn: () => void;

  constructor(stepNumber: number, learn: () => void, cause: unknown) {
    super("the connection broke during a commit", { cause });
    this.stepNumber = stepNumber;
    this.learn = learn;
  }
}

/** What `begin_step` tells. */
interface StepStart {
  readonly now: number;
  readonly revision: number;
  readonly serial: number;
  readonly live: number;
  readonly settings: readonly [boolean, number, number | null] | null;
  readonly rules: boolean;
  /** null: there is no such worker any more. */
  readonly fence: number | null;
  readonly dead: readonly (readonly [worker: number, fence: number, fenced: boolean])[] | null;
  readonly fenced: readonly (readonly [worker: number, fence: number])[] | null;
  /** Of each step since, or all unfinished ones in one list. */
  readonly jobs: readonly (readonly NewsRow[] | null)[] | null;
  readonly all: boolean;
}

async function beginStep(
  client: pg.Client,
  { lockKey, worker }: Seat,
  seen: number | undefined,
): Promise<StepStart> {
  const [, step] = await resultsOf(
    client,
    `BEGIN; SELECT begin_step(${lockKey}, ${worker}, ${seen ?? "NULL"})::text AS start`,
  );
  return JSON.parse(step?.rows[0]?.start) as StepStart;
}

async function readRows(
  client: pg.Client | pg.Pool,
  ids: readonly JobId[],
): Promise<readonly JobRow[]> {
  const { rows } = await client.query<FullRow>(documents(ids));
  return rows.map(fullRow);
}

async function finishedJobs(client: pg.Client): Promise<NonNullable<News["finished"]>> {
  const { rows } = await client.query<{ id: string; status: string }>(
    "SELECT id, status FROM job WHERE ended IS NOT NULL AND NOT archived",
  );
  return rows.map(({ id, status }) => ({ id: Number(id) as JobId, status: status as JobStatus }));
}

async function rulesOf(client: pg.Client) {
  const { rows } = await client.query<{ document: string }>(
    "SELECT document::text FROM filter_rule ORDER BY uuid",
  );
  return rows.map(({ document }) => ruleOfText(document));
}
