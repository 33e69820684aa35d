/**
 * Texts by name in a PostgreSQL database, which processes change one at a time and all of them know. They are
 * kept when a process dies; the last ones may be lost when the database server's machine does.
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
  /** Where the database is, as the `pg` package takes it; its environment variables count too. */
  readonly connection?: ClientConfig | string;
  /** The schema that holds them, beside whatever else is there. */
  readonly schema?: string;
  /** Who stands still in the middle of a turn keeps the others waiting for no longer than that. */
  readonly turnMs?: number;
}

export type Texts = ReadonlyMap<string, string>;

export interface SharedTexts {
  /** All there are. */
  load(): Promise<Texts>;
  /**
   * Waits for its turn; tells what others have changed since the last one; then acts, once. What it saves, texts
   * as a whole, is kept when this resolves. Where this rejects it is not known to be kept: the next turn begins
   * with all there are. What `act` throws is thrown, and nothing is kept.
   */
  turn<T>(adopt: (changed: Texts) => void, act: (save: (changed: Texts) => void) => T): Promise<T>;
  close(): Promise<void>;
}

/** Makes the table first where there is none. */
export async function openSharedTexts(options: SharedTextsOptions = {}): Promise<SharedTexts> {
  const { connection = {}, schema = "ganeti_ts", turnMs = 10_000 } = options;
  const config = connectionTo(connection, schema, [
    "synchronous_commit=off",
    `idle_in_transaction_session_timeout=${turnMs}`,
  ]);
  const client = await connected(config);
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('ganeti-ts schema ${schema}'));
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS shared_text (name text PRIMARY KEY, serial bigint NOT NULL, content text NOT NULL);
    CREATE SEQUENCE IF NOT EXISTS shared_text_serial; COMMIT`);
  return new PostgresTexts(client, config, `ganeti-ts texts ${schema}`);
}

class PostgresTexts implements SharedTexts {
  readonly #config: ClientConfig;
  readonly #lock: string;
  #client: pg.Client | undefined;
  /** Turns of this process, one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** Of the newest text that it knows. */
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
    const done = this.#last.then(() => this.#turn(adopt, act));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#client?.end().catch(() => undefined);
  }

  async #turn<T>(
    adopt: (changed: Texts) => void,
    act: (save: (changed: Texts) => void) => T,
  ): Promise<T> {
    const saved = new Map<string, string>();
    if (this.#isClosed) throw new Error("the texts have been closed");
    try {
      const { client, changed } = await this.#begun();
      if (changed.size > 0) adopt(changed);
      const value = act((texts) => {
        for (const [name, text] of texts) saved.set(name, text);
      });
      if (saved.size === 0) await client.query("COMMIT");
      else await this.#keep(client, saved);
      return value;
    } catch (error) {
      // Whatever `act` has done to what is known here, the next turn learns what is true.
      this.#seen = 0;
      await this.#client?.query("ROLLBACK").catch(() => this.#drop());
      throw error;
    }
  }

  /** Its turn, and what is new; again on another connection where the one it has is broken. */
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
