/** What a client is told where a request fails because nothing can be stored: which of two reasons, and no path or host. */
import { HttpFault } from "./fault.js";

/** Of SQLite and of PostgreSQL. */
const fullCodes = new Set(["SQLITE_FULL", "53100"]);

/** As Ganeti answers where its master daemon is not to be reached: 502. Undefined if `error` is another one. */
export function storageFault(error: unknown): HttpFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  const cause = { cause: error };
  if (fullCodes.has(String(code))) {
    return new HttpFault(500, "The disk of the database is full", {}, cause);
  }
  const isAway = syscall === "connect" || /^(08|57P)/.test(String(code));
  if (isAway || error.message.startsWith("Connection terminated")) {
    return new HttpFault(502, "The database of the cluster cannot be reached", {}, cause);
  }
  return undefined;
}
