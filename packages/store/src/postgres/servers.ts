/** Records of the servers that share a database: where each of them runs, and its calls under way on nodes. */
import pg, { type ClientConfig } from "pg";
import { connected, connectionTo } from "./connection.js";
import { migrateTables } from "./migrate-tables.js";

/** Options of `openPostgresServers`. */
interface PostgresServersOptions {
  /** Connection settings of the `pg` package; its environment variables also apply. */
  readonly connection?: ClientConfig | string;
  /** The schema of the job queue, whose workers these servers are. */
  readonly schema?: string;
}

/** Where a server runs: what others need in order to refuse its calls when it is dead. */
export interface ServerPlace {
  /** UUID and name of its node. */
  readonly uuid: string;
  readonly name: string;
  /** Digest of the certificate with which it calls nodes. */
  readonly digest: string;
  /** Identity of its process among all processes of its machine. */
  readonly process: string;
}

/** A call that is about to be sent. */
export interface SentCall {
  /** Unique among the calls of all servers. */
  readonly key: string;
  readonly node: string;
  readonly call: string;
  /** How long it may have effects (ms). */
  readonly forMs: number;
}

/** Statements per version: version n is the result of the first n lists. */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE server (
       worker bigint NOT NULL, fence bigint NOT NULL, entered timestamptz NOT NULL DEFAULT now(),
       uuid text NOT NULL, name text NOT NULL, digest text NOT NULL, process text NOT NULL,
       PRIMARY KEY (worker, fence)
     )`,
    `CREATE TABLE call_in_flight (
       key text PRIMARY KEY, worker bigint NOT NULL, fence bigint NOT NULL,
       node text NOT NULL, call text NOT NULL, until timestamptz NOT NULL
     )`,
    "CREATE INDEX call_in_flight_worker ON call_in_flight (worker, fence)",
  ],
];

/** Creates the tables if necessary. The queue's own tables must exist: see `openPostgresStore`. */
export async function openPostgresServers(
  options: PostgresServersOptions = {},
): Promise<PostgresServers> {
  const { connection = {}, schema = "ganeti_ts" } = options;
  const config = connectionTo(connection, schema, ["synchronous_commit=on"]);
  const client = await connected(config);
  try {
    await migrateTables(client, schema, {
      versionTable: "servers_version",
      content: "records of servers",
      steps: migrations,
    });
    await client.query(
      `DELETE FROM call_in_flight WHERE until < now();
       DELETE FROM server WHERE entered < now() - interval '1 day'
         AND NOT EXISTS (SELECT FROM worker WHERE id = server.worker AND NOT gone)`,
    );
  } finally {
    await client.end();
  }
  return new PostgresServers(config);
}

const partsOf = (lease: string) => lease.split(":").slice(0, 2) as [worker: string, fence: string];

/** Servers of one database and their calls under way. All times are those of the database's clock. */
export class PostgresServers {
  readonly #pool: pg.Pool;

  constructor(config: ClientConfig) {
    this.#pool = new pg.Pool({ ...config, max: 4, idleTimeoutMillis: 10_000 });
    this.#pool.on("error", () => {});
  }

  /** Records where the worker with this lease runs; to be called before it sends its first call. */
  async enter(lease: string, { uuid, name, digest, process }: ServerPlace): Promise<void> {
    await this.#pool.query(
      `INSERT INTO server (worker, fence, uuid, name, digest, process)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (worker, fence) DO UPDATE SET uuid = excluded.uuid, name = excluded.name,
           digest = excluded.digest, process = excluded.process`,
      [...partsOf(lease), uuid, name, digest, process],
    );
  }

  /** Undefined for a worker that has never called nodes. */
  async placeOf(lease: string): Promise<ServerPlace | undefined> {
    const { rows } = await this.#pool.query<ServerPlace>(
      "SELECT uuid, name, digest, process FROM server WHERE worker = $1 AND fence = $2",
      [...partsOf(lease)],
    );
    return rows[0];
  }

  /** Places of all servers whose lease has not expired. */
  async living(): Promise<readonly ServerPlace[]> {
    const { rows } = await this.#pool.query<ServerPlace>(
      `SELECT uuid, name, digest, process FROM server JOIN worker
           ON id = worker AND worker.fence = server.fence
         WHERE NOT gone AND fenced IS NULL AND lease_until > clock_timestamp() ORDER BY id`,
    );
    return rows;
  }

  /**
   * Records calls durably before they are sent. @throws Error if the worker has been fenced: none of them may be
   * sent then
   */
  async sent(lease: string, calls: readonly SentCall[]): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `WITH alive AS (
         SELECT id, fence FROM worker WHERE id = $1 AND fence = $2 AND fenced IS NULL FOR SHARE
       ) INSERT INTO call_in_flight
         SELECT key, id, fence, node, call, clock_timestamp() + ms * interval '1 millisecond'
         FROM alive, unnest($3::text[], $4::text[], $5::text[], $6::bigint[])
           AS given (key, node, call, ms)`,
      [
        ...partsOf(lease),
        calls.map(({ key }) => key),
        calls.map(({ node }) => node),
        calls.map(({ call }) => call),
        calls.map(({ forMs }) => Math.ceil(forMs)),
      ],
    );
    if (rowCount !== calls.length) throw new Error(`worker ${lease} has lost its lease`);
  }

  /** Removes the records of calls that have been answered. */
  async answered(keys: readonly string[]): Promise<void> {
    await this.#pool.query("DELETE FROM call_in_flight WHERE key = ANY($1::text[])", [keys]);
  }

  /** Time (ms) until all calls of this worker have ended; 0 if there are none. */
  async leftMs(lease: string): Promise<number> {
    const { rows } = await this.#pool.query<{ left: number }>(
      `SELECT coalesce(greatest(extract(epoch FROM max(until) - clock_timestamp()), 0), 0)
           ::float8 * 1000 AS left
         FROM call_in_flight WHERE worker = $1 AND fence = $2`,
      [...partsOf(lease)],
    );
    return rows[0]?.left ?? 0;
  }

  /** May be called again. */
  async close(): Promise<void> {
    if (!this.#pool.ended) await this.#pool.end();
  }
}
