/** Connections to a database, and the distinction between broken connections and refusals of the server. */
import { LeaseLostError } from "@ganeti-ts/job-queue";
import pg, { type ClientConfig } from "pg";

/**
 * Connection settings for the `pg` package: kept alive, with `schema` first in the search path, and with
 * `settings` of the server (`name=value`).
 *
 * Throws an Error unless `schema` is a plain lower-case name, because it is inserted into statements
 * literally.
 */
export function connectionTo(
  place: ClientConfig | string,
  schema: string,
  settings: readonly string[],
): ClientConfig {
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new Error(`'${schema}' is no name of a schema`);
  const given = typeof place === "string" ? { connectionString: place } : place;
  // Statements are short: compiling them would cost more than it saves.
  const all = [`search_path=${schema}`, "jit=off", ...settings];
  return { ...given, options: all.map((setting) => `-c ${setting}`).join(" "), keepAlive: true };
}

/**
 * Connects, and then calls `check`. @throws Error for a standby, which would answer with an older state; what
 * `check` throws
 */
export async function connected(
  config: ClientConfig,
  check: (client: pg.Client) => Promise<void> = async () => {},
): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query("SELECT pg_is_in_recovery() AS standby");
    if (rows[0]?.standby === true) throw standbyError();
    await check(client);
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/** SQLSTATE of a change on a standby. */
const readOnly = "25006";

const standbyError = () =>
  Object.assign(new Error("it is a standby, which accepts no changes"), {
    severity: "FATAL",
    code: readOnly,
  });

/**
 * Runs several statements in one message; one result for each, which the types of the package do not express.
 */
export const resultsOf = async (
  client: pg.Client,
  statements: string,
): Promise<readonly pg.QueryResult[]> => [await client.query(statements)].flat();

/**
 * Codes with which a server refuses a session: too many of them, no such database, and class 28, no right to log in.
 * A standby refuses changes: another connection may find the primary, which may be this server after its promotion.
 */
const isRefusedSession = (code = ""): boolean =>
  code === "53300" || code === "3D000" || code === readOnly || code.startsWith("28");

/**
 * Errors reported by the server have a `severity`. It closes the connection after those of class 57P, and
 * when a transaction was idle for too long. A session that it refuses may be accepted later.
 */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof LeaseLostError || error instanceof TypeError) return false;
  const { severity, code } = error as { severity?: string; code?: string };
  if (severity !== undefined)
    return code?.startsWith("57P") === true || code === "25P03" || isRefusedSession(code);
  return code !== undefined || /[Cc]onnection|not queryable/.test((error as Error).message);
}
