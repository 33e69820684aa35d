/** Connections that may break, and how that is told from a refusal of the server. */
import { LeaseLostError } from "@ganeti-ts/job-queue";
import pg, { type ClientConfig } from "pg";

export async function connected(config: ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  await client.connect();
  return client;
}

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
