/** Connections that may break, and how that is told from a refusal of the server. */
import { LeaseLostError } from "@ganeti-ts/job-queue";
import pg, { type ClientConfig } from "pg";

/**
 * What the `pg` package is to connect with: a connection that is kept alive, looks for names in `schema` first, and has
 * `settings` of the server (`name=value`).
 *
 * Throws an Error where `schema` is no plain name in lower case: it is written into statements as it is.
 */
export function connectionTo(
  place: ClientConfig | string,
  schema: string,
  settings: readonly string[],
): ClientConfig {
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new Error(`'${schema}' is no name of a schema`);
  const given = typeof place === "string" ? { connectionString: place } : place;
  // Statements are short: compiling them would cost more than it gains.
  const all = [`search_path=${schema}`, "jit=off", ...settings];
  return { ...given, options: all.map((setting) => `-c ${setting}`).join(" "), keepAlive: true };
}

export async function connected(config: ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Several statements in one message; a result for each, which the types of the package do not know. */
export const resultsOf = async (
  client: pg.Client,
  statements: string,
): Promise<readonly pg.QueryResult[]> => [await client.query(statements)].flat();

/**
 * Errors of the server's own have a `severity`; after those of class 57P, and where a transaction stood idle
 * for too long, it closes the connection.
 */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof LeaseLostError || error instanceof TypeError) return false;
  const { severity, code } = error as { severity?: string; code?: string };
  if (severity !== undefined) return code?.startsWith("57P") === true || code === "25P03";
  return code !== undefined || /[Cc]onnection|not queryable/.test((error as Error).message);
}
