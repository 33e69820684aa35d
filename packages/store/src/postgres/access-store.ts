/** Records of logins and of actions that are no jobs, in a PostgreSQL database, for all servers of a cluster. */
import {
  type AccessBounds,
  type AccessRecord,
  type AccessStore,
  accessKept,
  endedSessionsMax,
  type StoredAccess,
  storable,
} from "@ganeti-ts/job-queue";
import pg, { type ClientConfig } from "pg";
import { connected, connectionTo } from "./connection.js";
import { migrateTables } from "./migrate-tables.js";

/** Options of `openPostgresAccessStore`. */
interface PostgresAccessOptions extends AccessBounds {
  /** Connection settings of the `pg` package; its environment variables also apply. */
  readonly connection?: ClientConfig | string;
  readonly schema?: string;
}

/** Statements per version: version n is the result of the first n lists. */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE access_record (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, "user" text,
       address text, action text NOT NULL, object text NOT NULL, done boolean NOT NULL,
       text text NOT NULL
     )`,
    "CREATE INDEX access_record_action ON access_record (action, id)",
    "CREATE TABLE ended_session (session text PRIMARY KEY, until bigint NOT NULL)",
    "CREATE INDEX ended_session_until ON ended_session (until)",
  ],
];

/** Creates the tables if necessary. */
export async function openPostgresAccessStore(
  options: PostgresAccessOptions = {},
): Promise<AccessStore> {
  const { connection = {}, schema = "ganeti_ts" } = options;
  const config = connectionTo(connection, schema, ["synchronous_commit=on"]);
  const client = await connected(config);
  try {
    await migrateTables(client, schema, {
      versionTable: "access_version",
      content: "access records",
      steps: migrations,
    });
  } finally {
    await client.end();
  }
  return new PostgresAccessStore(config, options);
}

interface Row extends Omit<StoredAccess, "id" | "at"> {
  /** PostgreSQL sends these numbers as text; both are below 2^53. */
  readonly id: string;
  readonly at: string;
}

class PostgresAccessStore implements AccessStore {
  readonly #pool: pg.Pool;
  readonly #kept: number;
  readonly #sessionsMax: number;

  constructor(
    config: ClientConfig,
    { kept = accessKept, sessionsMax = endedSessionsMax }: AccessBounds,
  ) {
    this.#kept = kept;
    this.#sessionsMax = sessionsMax;
    this.#pool = new pg.Pool({ ...config, max: 2, idleTimeoutMillis: 10_000 });
    this.#pool.on("error", () => {});
  }

  async add(record: AccessRecord): Promise<void> {
    const { at, user, address, action, object, done, text } = storable(record);
    await this.#pool.query(
      `INSERT INTO access_record (at, "user", address, action, object, done, text)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [at, user, address, action, object, done, text],
    );
    await this.#pool.query(
      `DELETE FROM access_record WHERE action = $1 AND id <=
         (SELECT id FROM access_record WHERE action = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`,
      [action, this.#kept],
    );
  }

  async latest(
    count: number,
    before: number = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly StoredAccess[]> {
    const { rows } = await this.#pool.query<Row>(
      "SELECT * FROM access_record WHERE id < $1 ORDER BY id DESC LIMIT $2",
      [before, count],
    );
    return rows.map((row) => ({ ...row, id: Number(row.id), at: Number(row.at) }));
  }

  async endSession(
    session: string,
    { now, until }: { readonly now: number; readonly until: number },
  ): Promise<void> {
    await this.#pool.query(
      `INSERT INTO ended_session VALUES ($1, $2)
         ON CONFLICT (session) DO UPDATE SET until = excluded.until`,
      [session, until],
    );
    await this.#pool.query(
      `DELETE FROM ended_session WHERE until <= $1 OR until <=
         (SELECT until FROM ended_session ORDER BY until DESC LIMIT 1 OFFSET $2)`,
      [now, this.#sessionsMax],
    );
  }

  async isEnded(session: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query("SELECT FROM ended_session WHERE session = $1", [
      session,
    ]);
    return rowCount === 1;
  }

  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }
}
