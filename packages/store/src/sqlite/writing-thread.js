// Carries out transactions of SQLite files, so that the event loop of the process does not wait for them.
import { parentPort } from "node:worker_threads";
import Database from "libsql";

/**
 * @typedef {import("./writer.js").Order} Order
 * @typedef {import("./writer.js").Write} Write
 * @typedef {import("./writer.js").Reply} Reply
 * @typedef {Database.Statement<unknown[]>} Prepared
 * @typedef {{ database: Database.Database, begin: Prepared, commit: Prepared, rollback: Prepared,
 *   prepared: Map<string, Prepared> }} File
 */

/** Maximum time (ms) to wait for another connection that writes to the file. */
const turnMs = 10_000;

/** Files by number, and errors of those that could not be opened. @type {Map<number, File | Error>} */
const files = new Map();

/** @param {number} number */
function fileOf(number) {
  const file = files.get(number);
  if (file === undefined || file instanceof Error) throw file ?? new Error("the file is not open");
  return file;
}

/** @param {Extract<Order, { kind: "open" }>} order @returns {File} */
function opened({ path, pragmas, statements }) {
  const database = new Database(path, { timeout: turnMs });
  for (const pragma of pragmas) database.pragma(pragma);
  const prepare = (/** @type {string} */ text) => database.prepare(text);
  return {
    database,
    begin: prepare("BEGIN IMMEDIATE"),
    commit: prepare("COMMIT"),
    rollback: prepare("ROLLBACK"),
    prepared: new Map(Object.entries(statements).map(([name, text]) => [name, prepare(text)])),
  };
}

/** @param {Extract<Order, { kind: "open" }>} order */
function open(order) {
  try {
    files.set(order.file, opened(order));
  } catch (error) {
    files.set(order.file, /** @type {Error} */ (error));
    throw error;
  }
}

/** All or nothing. @param {File} file @param {readonly Write[]} writes */
function write({ database, begin, commit, rollback, prepared }, writes) {
  begin.run();
  try {
    const changed = writes.map(([name, values, refusal]) => {
      const statement = /** @type {Prepared} */ (prepared.get(name));
      const changes = Number(statement.run(...values).changes);
      if (refusal !== undefined && changes !== 1) throw new Error(refusal);
      return changes;
    });
    commit.run();
    return changed;
  } catch (error) {
    if (database.inTransaction) rollback.run();
    throw error;
  }
}

/** Whether the log is empty now: a reader can prevent it. @param {File} file */
function truncate({ database }) {
  database.pragma("busy_timeout = 0");
  try {
    const [result] = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
    return [/** @type {{ busy: number }} */ (result).busy === 0 ? 1 : 0];
  } catch (error) {
    if (!String(/** @type {{ code?: unknown }} */ (error).code).startsWith("SQLITE_")) throw error;
    return [0];
  } finally {
    database.pragma(`busy_timeout = ${turnMs}`);
  }
}

/** @param {Order} order @returns {readonly number[]} */
function carryOut(order) {
  switch (order.kind) {
    case "open":
      open(order);
      return [];
    case "write":
      return write(fileOf(order.file), order.writes);
    case "truncate":
      return truncate(fileOf(order.file));
    case "close":
      fileOf(order.file).database.close();
      files.delete(order.file);
      return [];
  }
}

/** @param {Order} order @returns {Reply} */
function reply(order) {
  try {
    return { changed: carryOut(order) };
  } catch (error) {
    const { message, code } = /** @type {Error & { code?: string }} */ (error);
    return { message, ...(code === undefined ? {} : { code }) };
  }
}

parentPort?.on("message", (order) => parentPort?.postMessage(reply(order)));
