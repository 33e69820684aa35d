/** Configuration store in a PostgreSQL database, for any number of processes: a row for each object. */

import {
  type Commit,
  type CommitOutcome,
  type ConfigRow,
  type ConfigStore,
  randomUuid,
  type StoredConfiguration,
} from "@ganeti-ts/config";
import { HaltError } from "@ganeti-ts/job-queue";
import { secureRandom } from "@ganeti-ts/protocol";
import type pg from "pg";
import type { ClientConfig } from "pg";
import { forgetOldCommits, migrateConfig } from "./config-schema.js";
import { connected, connectionTo, isConnectionError } from "./connection.js";
import { type KnownCommit, lossOf } from "./history.js";
import { Listener } from "./listener.js";

/** Options of `openPostgresConfigStore`. */
interface PostgresConfigOptions {
  /** Connection settings of the `pg` package; its environment variables also apply. */
  readonly connection?: ClientConfig | string;
  /** The schema that holds the configuration, and the queue. */
  readonly schema?: string;
  /** Interval (ms) of polling for changes without a notification. */
  readonly pollMs?: number;
  /** The last commit that was acknowledged to an earlier process of this server. */
  readonly known?: KnownCommit | undefined;
  /**
   * Called when the database has lost commits that were acknowledged to this process, which must stop acting at once. Calls reject
   * with the error from then on.
   */
  readonly onLoss?: (error: HaltError) => void;
  /** Time (ms) to retry a lost connection before a call fails. */
  readonly retryMs?: number;
}

/** A configuration in PostgreSQL. */
export interface PostgresConfigStore extends ConfigStore {
  /** The last commit that was acknowledged to this process; undefined before the first one. */
  readonly known: KnownCommit | undefined;
}

/**
 * Connects, after creating or upgrading the tables if necessary.
 * @throws HaltError if the tables are of a newer version, or lack the known commit
 */
export async function openPostgresConfigStore(
  options: PostgresConfigOptions = {},
): Promise<PostgresConfigStore> {
  const { connection = {}, schema = "ganeti_ts", pollMs = 2000, retryMs = 30_000 } = options;
  const config = connectionTo(connection, schema, [
    // Acknowledge only durable commits: otherwise a crash of the database server could undo one.
    "synchronous_commit=on",
    // Changes are few rows of many, which the planner does not know: without the index every query would read
    // the whole table.
    "enable_seqscan=off",
  ]);
  const client = await connected(config);
  try {
    await migrateConfig(client, schema);
    await forgetOldCommits(client);
    const { known, onLoss = () => {} } = options;
    await compare(client, known);
    const store = new Store(client, { config, schema, pollMs, retryMs, known, onLoss });
    await store.listen();
    return store;
  } catch (error) {
    await client.end();
    throw error;
  }
}

interface Settings {
  readonly config: ClientConfig;
  readonly schema: string;
  readonly pollMs: number;
  readonly retryMs: number;
  readonly known: KnownCommit | undefined;
  readonly onLoss: (error: HaltError) => void;
}

interface NewsRow {
  readonly newest: string;
  /** Null if the last commit has no mark any more. */
  readonly mark: string | null;
  readonly forgotten: string;
  /** Null if there are no changes. */
  readonly type: ConfigRow["type"] | null;
  readonly uuid: string;
  readonly serial: string;
  readonly document: string | null;
}

class Store implements PostgresConfigStore {
  readonly shared = true;
  readonly #settings: Settings;
  readonly #channel: string;
  readonly #listener: Listener;
  readonly #poll: NodeJS.Timeout;
  #client: pg.Client | undefined;
  /** Serialises calls, which share one connection. */
  #turn: Promise<unknown> = Promise.resolve();
  #tell = () => {};
  #isOver = false;
  #known: KnownCommit | undefined;
  /** Marks of this process's commits that it has not been notified of yet. */
  readonly #ownMarks = new Set<string>();

  constructor(client: pg.Client, settings: Settings) {
    this.#client = client;
    this.#settings = settings;
    this.#known = settings.known;
    this.#channel = `${settings.schema}_config`;
    this.#listener = new Listener(settings.config, [this.#channel], (_, mark) => {
      if (!this.#ownMarks.delete(mark)) this.#tell();
    });
    this.#poll = setInterval(() => this.#tell(), settings.pollMs);
    this.#poll.unref();
  }

  /** @internal */
  listen(): Promise<void> {
    return this.#listener.start();
  }

  onNews(listener: () => void): void {
    this.#tell = listener;
  }

  load(): Promise<StoredConfiguration> {
    return this.#withClient(async (client) => {
      const { serial, rows } = await this.#news(client, 0);
      return { serial, rows: rows.filter(({ document }) => document !== null) };
    });
  }

  changesSince(serial: number): Promise<StoredConfiguration | "too old"> {
    return this.#withClient(async (client) => {
      const found = await this.#news(client, serial);
      return serial < found.forgotten ? "too old" : { serial: found.serial, rows: found.rows };
    });
  }

  commit(commit: Commit): Promise<CommitOutcome> {
    const mark = randomUuid(secureRandom);
    let isUnsure = false;
    this.#ownMarks.add(mark);
    const done = this.#withClient(async (client) => {
      // The connection broke before the answer arrived: the commit may have succeeded.
      const isDone = isUnsure && (await isMarked(client, commit.serial, mark));
      isUnsure = true;
      const outcome = isDone ? "done" : await write(client, commit, mark, this.#channel);
      if (outcome === "done") this.#known = { number: commit.serial, mark };
      return outcome;
    });
    done.then(
      (outcome) => outcome !== "done" && this.#ownMarks.delete(mark),
      () => this.#ownMarks.delete(mark),
    );
    return done;
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#poll);
    await this.#listener.stop();
    await this.#turn.catch(() => undefined);
    await this.#client?.end().catch(() => undefined);
  }

  get known(): KnownCommit | undefined {
    return this.#known;
  }

  async #news(client: pg.Client, since: number) {
    const found = await news(client, since);
    if (found.mark !== undefined) this.#known = { number: found.serial, mark: found.mark };
    return found;
  }

  /** Retries on a new connection if one breaks. */
  #withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const done = this.#turn.then(async () => {
      for (const end = Date.now() + this.#settings.retryMs; ; ) {
        if (this.#isOver) throw new Error("the store has been closed");
        try {
          this.#client ??= await connected(this.#settings.config, (client) =>
            compare(client, this.#known),
          );
          return await work(this.#client);
        } catch (error) {
          if (error instanceof HaltError) this.#settings.onLoss(error);
          if (!isConnectionError(error)) throw error;
          void this.#client?.end().catch(() => undefined);
          this.#client = undefined;
          if (Date.now() > end) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** @throws HaltError if the database does not have this commit */
async function compare(client: pg.Client, known: KnownCommit | undefined): Promise<void> {
  if (known === undefined) return;
  const { rows } = await client.query<{ newest: string; mark: string | null }>(
    `SELECT config.serial AS newest, mark
      FROM config LEFT JOIN config_commit ON config_commit.serial = $1`,
    [known.number],
  );
  const mark = rows[0]?.mark ?? known.mark;
  const found = { newest: Number(rows[0]?.newest), marks: new Map([[known.number, mark]]) };
  const loss = lossOf(known, found, "configuration");
  if (loss !== undefined) throw new HaltError("history", loss);
}

/** One statement, so the result is a consistent snapshot. */
async function news(client: pg.Client, since: number) {
  const { rows } = await client.query<NewsRow>({
    name: "config news",
    text: `SELECT config.serial AS newest, mark, forgotten, type, uuid, object.serial, document::text
      FROM config LEFT JOIN config_commit AS last ON last.serial = config.serial
        LEFT JOIN config_entry AS object ON object.serial > $1`,
    values: [since],
  });
  const [first] = rows;
  return {
    serial: Number(first?.newest),
    mark: first?.mark ?? undefined,
    forgotten: Number(first?.forgotten),
    rows: rows.flatMap(({ type, uuid, serial, document }): ConfigRow[] =>
      type === null ? [] : [{ type, uuid, serial: Number(serial), document }],
    ),
  };
}

async function isMarked(client: pg.Client, serial: number, mark: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "SELECT FROM config_commit WHERE serial = $1 AND mark = $2",
    [serial, mark],
  );
  return rowCount === 1;
}

/**
 * One statement and thus one transaction: commits are serialised by the row of the configuration. The
 * worker's row is locked until the end, so that it is not fenced in between.
 */
async function write(
  client: pg.Client,
  { expectedSerial, serial, rows, lease }: Commit,
  mark: string,
  channel: string,
): Promise<CommitOutcome> {
  const [worker, fence] = lease?.split(":") ?? [];
  const alive =
    lease === undefined
      ? "SELECT true"
      : "SELECT true FROM worker WHERE id = $9 AND fence = $10 AND fenced IS NULL FOR SHARE";
  const { rows: outcome } = await client.query<{ alive: boolean; done: boolean }>({
    name: lease === undefined ? "config commit" : "config commit by worker",
    text: `WITH alive AS (${alive}), turn AS (
        UPDATE config SET serial = $2 WHERE serial = $1 AND EXISTS (SELECT FROM alive) RETURNING serial
      ), mark AS (
        INSERT INTO config_commit SELECT serial, $3 FROM turn
      ), object AS (
        INSERT INTO config_entry (type, uuid, serial, document)
          SELECT given.type, given.uuid, given.serial, given.document
          FROM turn, unnest($4::text[], $5::text[], $6::bigint[], $7::json[])
            AS given (type, uuid, serial, document)
          ON CONFLICT (type, uuid) DO UPDATE SET serial = excluded.serial, document = excluded.document
      ), told AS (
        SELECT pg_notify($8, $3) FROM turn
      ) SELECT EXISTS (SELECT FROM alive) AS alive, (SELECT count(*) FROM told) > 0 AS done`,
    values: [
      ...[expectedSerial, serial, mark],
      ...[rows.map((row) => row.type), rows.map((row) => row.uuid)],
      ...[rows.map((row) => row.serial), rows.map((row) => row.document), channel],
      ...(lease === undefined ? [] : [worker, fence]),
    ],
  });
  if (outcome[0]?.done) return "done";
  return outcome[0]?.alive ? "conflict" : "lease lost";
}
