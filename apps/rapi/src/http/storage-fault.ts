/** storageFault: faults for failures of the store: one of two reasons, without paths and hosts. */
import { HttpFault } from "./fault.js";

/** Error codes of SQLite and PostgreSQL for a full disk. */
const fullCodes = new Set(["SQLITE_FULL", "53100"]);

/** 502, as Ganeti answers if its master daemon is unreachable. Undefined for other errors. */
export function storageFault(error: unknown): HttpFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  const cause = { cause: error };
  if (fullCodes.has(String(code))) {
    return new HttpFault(500, "The disk of the database is full", {}, cause);
  }
  const isAway = syscall === "connect" || /^(08|57P|25006)/.test(String(code));
  if (isAway || error.message.startsWith("Connection terminated")) {
    return new HttpFault(502, "The database of the cluster cannot be reached", {}, cause);
  }
  return undefined;
}
