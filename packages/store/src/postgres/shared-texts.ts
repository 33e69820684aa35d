/**
 * Named texts in a PostgreSQL database, shared by processes that change them in turns. They survive the death
 * of a process; the last ones may be lost in a crash of the database server's machine.
 */
import type pg from "pg";
import type { ClientConfig } from "pg";
import { connected, connectionTo, isConnectionError, resultsOf } from "./connection.js";

interface Row {
  readonly name: string;
  readonly serial: string;
  readonly content: string;
}

export interface SharedTextsOptions {
  /** Connection settings of the `pg` package; its environment variables also apply. */
  readonly connection?: ClientConfig | string;
  /** Schema of the table; it may contain other tables. */
  readonly schema?: string;
  /** Maximum time (ms) a process that is suspended during its turn blocks the others. */
  readonly turnMs?: number;
}

export type Texts = ReadonlyMap<string, string>;

export interface SharedTexts {
  /** All texts. */
  load(): Promise<Texts>;
  /**
   * Waits for the turn of this process, passes the changes of others since the last turn to `adopt`, then calls `act`
   * once. Callers that wait at the same time share a turn: one of them gets the changes, and they act one after the
   * other. Texts that `act` saves, always as a whole, are stored when this resolves. When it rejects they may not be
   * stored: the next turn then starts by reading all texts. An error of `act` is rethrown, and nothing is stored by any
   * caller of that turn.
   */
  turn<T>(adopt: (changed: Texts) => void, act: (save: (changed: Texts) => void) => T): Promise<T>;
  close(): Promise<void>;
}

/** Creates the table if necessary. */
export async function openSharedTexts(options: SharedTextsOptions = {}): Promise<SharedTexts> {
  const { connection = {}, schema = "ganeti_ts", turnMs = 10_000 } = options;
  const config = connectionTo(connection, schema, [
    "synchronous_commit=off",
    // Without statistics, as after the creation of a cluster, the planner would read all texts for those of others.
    "enable_seqscan=off",
    `idle_in_transaction_session_timeout=${turnMs}`,
  ]);
  const client = await connected(config);
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('ganeti-ts schema ${schema}'));
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS shared_text (name text PRIMARY KEY, serial bigint NOT NULL, content text NOT NULL);
    CREATE INDEX IF NOT EXISTS shared_text_changed ON shared_text (serial);
    CREATE SEQUENCE IF NOT EXISTS shared_text_serial; COMMIT`);
  return new PostgresTexts(client, config, `ganeti-ts texts ${schema}`);
}

/** Call of `turn` that waits. */
interface Caller {
  readonly adopt: (changed: Texts) => void;
  /** Acts; the returned function passes the result on once it is stored. */
  readonly act: (save: (changed: Texts) => void) => () => void;
  readonly fail: (error: unknown) => void;
}

class PostgresTexts implements SharedTexts {
  readonly #config: ClientConfig;
  readonly #lock: string;
  #client: pg.Client | undefined;
  /** Serialises the turns of this process. */
  #last: Promise<unknown> = Promise.resolve();
  /** Callers that share the next turn. */
  #waiting: Caller[] = [];
  /** Serial of the newest text known to this process. */
  #seen = 0;
  #isClosed = false;

  constructor(client: pg.Client, config: ClientConfig, lock: string) {
    this.#client = client;
    this.#config = config;
    this.#lock = lock;
  }

  async load(): Promise<Texts> {
    this.#seen = 0;
    let all: Texts = new Map();
    await this.turn(
      (changed) => {
        all = changed;
      },
      () => undefined,
    );
    return all;
  }

  turn<T>(adopt: (changed: Texts) => void, act: (save: (changed: Texts) => void) => T): Promise<T> {
    return new Promise((resolve, fail) => {
      const acted = (save: (changed: Texts) => void) => {
        const value = act(save);
        return () => resolve(value);
      };
      this.#waiting.push({ adopt, act: acted, fail });
      if (this.#waiting.length === 1) this.#last = this.#last.then(() => this.#turn());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#client?.end().catch(() => undefined);
  }

  /** A turn for all callers that wait when it begins. */
  async #turn(): Promise<void> {
    let callers: Caller[] = [];
    try {
      if (this.#isClosed) throw new Error("the texts have been closed");
      const { client, changed } = await this.#begun();
      callers = this.#waiting.splice(0);
      if (changed.size > 0) callers[0]?.adopt(changed);
      const saved = new Map<string, string>();
      const passOn = callers.map(({ act }) =>
        act((texts) => {
          for (const [name, text] of texts) saved.set(name, text);
        }),
      );
      if (saved.size === 0) await client.query("COMMIT");
      else await this.#keep(client, saved);
      for (const pass of passOn) pass();
    } catch (error) {
      // Their turn has not come.
      if (callers.length === 0) callers = this.#waiting.splice(0);
      // A caller may have changed its texts: the next turn reads all of them again.
      this.#seen = 0;
      await this.#client?.query("ROLLBACK").catch(() => this.#drop());
      for (const { fail } of callers) fail(error);
    }
  }

  /** Starts a turn and reads the changes, on a new connection if the present one is broken. */
  async #begun(): Promise<{ client: pg.Client; changed: Texts }> {
    for (let isNew = false; ; isNew = true) {
      try {
        this.#client ??= await connected(this.#config);
        const results = await resultsOf(
          this.#client,
          `BEGIN; SELECT pg_advisory_xact_lock(hashtext('${this.#lock}'));
           SELECT name, serial, content FROM shared_text WHERE serial > ${this.#seen}`,
        );
        const rows: Row[] = results[2]?.rows ?? [];
        this.#seen = rows.reduce((max, { serial }) => Math.max(max, Number(serial)), this.#seen);
        return {
          client: this.#client,
          changed: new Map(rows.map((row) => [row.name, row.content])),
        };
      } catch (error) {
        if (isNew || !isConnectionError(error)) throw error;
        this.#drop();
      }
    }
  }

  async #keep(client: pg.Client, saved: Texts): Promise<void> {
    const { rows } = await client.query<{ serial: string }>({
      name: "texts",
      text: `WITH made AS (SELECT nextval('shared_text_serial') AS serial), kept AS (
          INSERT INTO shared_text (name, serial, content)
            SELECT name, made.serial, content FROM made, unnest($1::text[], $2::text[]) AS given (name, content)
            ON CONFLICT (name) DO UPDATE SET serial = excluded.serial, content = excluded.content
        ) SELECT serial FROM made`,
      values: [[...saved.keys()], [...saved.values()]],
    });
    await client.query("COMMIT");
    this.#seen = Number(rows[0]?.serial);
  }

  #drop(): void {
    void this.#client?.end().catch(() => undefined);
    this.#client = undefined;
  }
}
