/** The store of one of several workers: steps are transactions that take turns. */
import {
  type Change,
  type Claim,
  type JobRow,
  type JobStore,
  LeaseLostError,
  leaseText,
  type News,
  type Selection,
} from "@ganeti-ts/job-queue";
import { isFinalized, type JobId, type JobStatus } from "@ganeti-ts/protocol";
import pg, { type ClientConfig, type QueryResult } from "pg";
import { jobOfText, ruleOfText, type StoredEntry } from "../rows/documents.js";
import { connected, isConnectionError } from "./connection.js";
import { Lease } from "./lease.js";
import { Listener } from "./listener.js";
import { PostgresLockStore } from "./lock-store.js";
import { migrate } from "./schema.js";
import {
  beginStep,
  claimedBy,
  documents,
  endStep,
  type FullRow,
  giveUpLease,
  type LightRow,
  type QueueRow,
  registerWorker,
  writes,
} from "./statements.js";

export interface PostgresOptions {
  /** Where the database is, as the `pg` package takes it; its environment variables count too. */
  readonly connection?: ClientConfig | string;
  /** The schema that holds the queue: one queue per schema. */
  readonly schema?: string;
  /** How long a worker that is not heard of counts as alive; it says so every third of that. */
  readonly leaseMs?: number;
}

/** Connects a new worker; makes or upgrades the tables first where that is needed. */
export async function openPostgresStore(options: PostgresOptions = {}): Promise<PostgresStore> {
  const { connection = {}, schema = "ganeti_ts", leaseMs = 30_000 } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new Error(`'${schema}' is no name of a schema`);
  const given = typeof connection === "string" ? { connectionString: connection } : connection;
  const config: ClientConfig = {
    ...given,
    // Who may write only after a crash of the server may have undone it would be told too early.
    options: `-c search_path=${schema} -c synchronous_commit=on`,
    keepAlive: true,
  };
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
  readonly granted: bigint;
  readonly schema: string;
  /** Of the advisory lock that steps take turns by. */
  readonly lockKey: number;
}

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
  /** Unfinished jobs whose documents this worker has. */
  readonly #known = new Set<number>();

  constructor(client: pg.Client, seat: Seat) {
    this.#client = client;
    this.#seat = seat;
    this.leaseMs = seat.leaseMs;
    this.claim = { worker: seat.worker, fence: 1 };
    this.#channel = `${seat.schema}_news`;
    this.#readers = new pg.Pool({ ...seat.config, max: 2, idleTimeoutMillis: 10_000 });
    this.#readers.on("error", () => {});
    this.#lease = new Lease({
      ...{ config: seat.config, worker: seat.worker, fence: 1 },
      ...{ leaseMs: seat.leaseMs, granted: seat.granted },
      onFenced: () => {
        this.#isFenced = true;
        this.#tell(); // The next step finds out.
      },
    });
    this.locks = new PostgresLockStore({
      ...{ config: seat.config, claim: this.claim, schema: seat.schema },
      leaseLeftMs: () => this.leaseLeftMs(),
    });
    const channels = [this.#channel, this.locks.channel];
    this.#listener = new Listener(seat.config, channels, (channel, payload) => {
      if (channel === this.#channel && payload !== String(seat.worker)) this.#tell();
      if (channel === this.locks.channel) this.locks.hear(payload);
    });
  }

  /** @internal */
  listen(): Promise<void> {
    return this.#listener.start();
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
    const { rows } = await this.#readers.query<FullRow>(documents(ids));
    return rows.map(fullRow);
  }

  async list({ archived, endedBefore }: Selection): Promise<readonly JobId[]> {
    const limit = endedBefore === undefined ? null : Math.min(endedBefore, Number.MAX_SAFE_INTEGER);
    const { rows } = await this.#readers.query<{ id: string }>(
      `SELECT id FROM job WHERE archived = $1 AND ($2::bigint IS NULL OR ended < $2) ORDER BY id`,
      [archived, limit],
    );
    return rows.map(({ id }) => Number(id) as JobId);
  }

  async close(): Promise<void> {
    const { worker, fence } = this.claim;
    if (!this.#isOver) {
      for (const query of giveUpLease(worker, fence)) {
        await this.#readers.query(query).catch(() => undefined);
      }
    }
    await this.leave();
  }

  /** Ends all connections and keeps the lease, as the death of the process would. */
  async leave(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
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
    const { lockKey, worker } = this.#seat;
    try {
      const results = (await client.query(
        beginStep(lockKey, worker, this.#seen),
      )) as unknown as QueryResult[];
      const [, , queues, dead, changed] = results as [
        unknown,
        unknown,
        QueryResult<QueueRow>,
        QueryResult<LightRow>,
        QueryResult<LightRow>,
      ];
      const queue = queues.rows[0] as QueueRow;
      if (queue.gone !== false || Number(queue.fence) !== this.claim.fence) {
        this.#isFenced = true;
        throw this.#lost();
      }
      const news = await this.#news(client, queue, dead.rows, changed.rows, [...wanted()]);
      const changes = decide(news);
      if (changes.length === 0) await client.query("ROLLBACK");
      else await this.#keep(client, changes, queue);
      this.#seen = changes.length === 0 ? Number(queue.revision) : Number(queue.revision) + 1;
      this.#learnKnown(news, changes);
    } catch (error) {
      if (!(error instanceof Unsure) && !isConnectionError(error)) {
        await client.query("ROLLBACK").catch(() => this.#dropConnection());
      }
      throw error;
    }
  }

  /** Writes and commits. */
  async #keep(client: pg.Client, changes: readonly Change[], queue: QueueRow): Promise<void> {
    const revision = Number(queue.revision) + 1;
    this.#stepNumber++;
    const serial =
      changes.findLast((change) => change.kind === "serial")?.serial ?? Number(queue.serial);
    for (const { query, rows } of writes(changes, revision, Number(queue.revision))) {
      const { rowCount } = await client.query(query);
      if (rows !== undefined && rowCount !== rows) {
        throw new Error(`${query.text.slice(0, 40)}… changed ${rowCount} rows, not ${rows}`);
      }
    }
    const end = await client.query(
      endStep({
        ...{ ...this.claim, stepNumber: this.#stepNumber, revision, serial },
        liveCount: Number(queue.live_count) + moreJobs(changes),
        settingsChanged: changes.some(({ kind }) => kind === "settings"),
        rulesChanged: changes.some(({ kind }) => kind === "rule" || kind === "rule gone"),
        channel: this.#channel,
      }),
    );
    if (end.rowCount !== 1) {
      this.#isFenced = true;
      throw this.#lost();
    }
    try {
      await client.query("COMMIT");
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      throw new Unsure(this.#stepNumber, revision, error);
    }
  }

  /** Whether the transaction that was being committed when the connection broke was committed. */
  async #wasKept({ stepNumber, revision }: Unsure): Promise<boolean> {
    const { rows } = await (this.#client as pg.Client).query<{ last_step: string }>(
      "SELECT last_step FROM worker WHERE id = $1 AND fence = $2 AND NOT gone",
      [this.claim.worker, this.claim.fence],
    );
    if (rows[0] === undefined) throw this.#lost();
    if (Number(rows[0].last_step) < stepNumber) return false;
    this.#seen = revision;
    this.#known.clear(); // Documents are sent again: cheaper than to find out which were.
    return true;
  }

  async #news(
    client: pg.Client,
    queue: QueueRow,
    deadRows: readonly LightRow[],
    changed: readonly LightRow[],
    wanted: readonly JobId[],
  ): Promise<News> {
    const dead = deadRows.map(({ id, fence }) => ({ worker: Number(id), fence: Number(fence) }));
    const deadWorkers = new Set(dead.map(({ worker }) => worker));
    const light = new Map(changed.map((row) => [Number(row.id), row]));
    if (dead.length > 0) {
      const { rows } = await client.query<LightRow>(claimedBy([...deadWorkers]));
      for (const row of rows) light.set(Number(row.id), row);
    }
    const needed = [...light.values()].filter((row) => this.#needsDocument(row, deadWorkers));
    const ids = new Set<number>([...needed.map(({ id }) => Number(id)), ...wanted]);
    const full = new Map<number, JobRow>();
    if (ids.size > 0) {
      const { rows } = await client.query<FullRow>(documents([...ids]));
      for (const row of rows.map(fullRow)) full.set(row.id, row);
    }
    const isFirst = this.#seen === undefined;
    const settingsChanged = isFirst || Number(queue.settings_revision) > (this.#seen as number);
    const rulesChanged = isFirst || Number(queue.rules_revision) > (this.#seen as number);
    const wantedRows = wanted.flatMap((id): [JobId, JobRow][] => {
      const row = full.get(id);
      return row === undefined ? [] : [[id, row]];
    });
    return {
      nowMicros: Number(queue.now),
      serial: Number(queue.serial),
      liveCount: Number(queue.live_count),
      jobs: [...light].map(([id, row]) => full.get(id) ?? lightRow(row)),
      wanted: new Map(wantedRows),
      dead,
      ...(settingsChanged ? { settings: settingsOf(queue) } : {}),
      ...(rulesChanged ? { rules: await rulesOf(client) } : {}),
    };
  }

  #needsDocument(row: LightRow, dead: ReadonlySet<number>): boolean {
    if (row.archived || isFinalized(row.status as JobStatus)) return false;
    if (row.claimed_by === null || !this.#known.has(Number(row.id))) return true;
    const by = Number(row.claimed_by);
    return by === this.claim.worker || dead.has(by);
  }

  #learnKnown({ jobs }: News, changes: readonly Change[]): void {
    for (const { id, status, archived } of jobs) {
      if (archived || isFinalized(status)) this.#known.delete(id);
      else this.#known.add(id);
    }
    for (const change of changes) {
      if (change.kind !== "job") continue;
      if (isFinalized(change.status)) this.#known.delete(change.job.id);
      else this.#known.add(change.job.id);
    }
  }

  #dropConnection(): void {
    void this.#client?.end().catch(() => undefined);
    this.#client = undefined;
  }

  #lost(): LeaseLostError {
    const why = this.#isOver ? "has been closed" : "has lost its lease";
    return new LeaseLostError(`worker ${leaseText(this.claim)} ${why}`);
  }
}

/** The connection broke while a commit was under way. */
class Unsure extends Error {
  readonly stepNumber: number;
  readonly revision: number;

  constructor(stepNumber: number, revision: number, cause: unknown) {
    super("the connection broke during a commit", { cause });
    this.stepNumber = stepNumber;
    this.revision = revision;
  }
}

const moreJobs = (changes: readonly Change[]): number =>
  changes.reduce((sum, change) => {
    if (change.kind === "archive") return sum - change.ids.length;
    return change.kind === "job" && change.isNew ? sum + 1 : sum;
  }, 0);

const settingsOf = ({ drained, running_max, size_max }: QueueRow) => ({
  ...{ drained, runningMax: running_max, sizeMax: size_max },
});

async function rulesOf(client: pg.Client) {
  const { rows } = await client.query<{ document: string }>(
    "SELECT document::text FROM filter_rule ORDER BY uuid",
  );
  return rows.map(({ document }) => ruleOfText(document));
}

const fullRow = (row: FullRow): JobRow => ({
  ...lightRow(row),
  job: jobOfText(row.document, row.log === null ? [] : (JSON.parse(row.log) as StoredEntry[])),
});

const lightRow = (row: LightRow): JobRow => ({
  id: Number(row.id) as JobId,
  status: row.status as JobStatus,
  archived: row.archived,
  claim:
    row.claimed_by === null
      ? null
      : {
          worker: Number(row.claimed_by),
          fence: Number(row.fence),
          ...(row.cancel ? { cancel: true } : {}),
        },
});
