// Transactions of SQLite files. Those that are written together share one sync of the log that has them.
import fs from "node:fs";
import Database from "libsql";

/**
 * @typedef {import("./writer.js").Order} Order
 * @typedef {import("./writer.js").Write} Write
 * @typedef {import("./writer.js").Reply} Reply
 * @typedef {Database.Statement<unknown[]>} Prepared
 * @typedef {{ log: Log | undefined, database: Database.Database, begin: Prepared, commit: Prepared,
 *   rollback: Prepared, prepared: Map<string, Prepared> }} File
 * @typedef {Pick<typeof fs, "openSync" | "fdatasyncSync" | "closeSync">} Disk
 */

/** Maximum time (ms) to wait for another connection that writes to the file. */
const turnMs = 10_000;

/** The log of changes of a database, which may be open as several files. */
class Log {
  users = 0;
  /**
   * Error of the first failed sync. The kernel may have dropped the data without failing again, so that all later
   * transactions are refused.
   * @type {string | undefined}
   */
  failure;
  #path;
  #disk;
  /** @type {number | undefined} */
  #file;

  /** @param {string} path @param {Disk} disk */
  constructor(path, disk) {
    this.#path = path;
    this.#disk = disk;
  }

  sync() {
    try {
      // SQLite keeps the same log while the database is open. Closing a second descriptor of the database itself
      // would release its locks; the log has none.
      this.#file ??= this.#disk.openSync(this.#path, "r");
      this.#disk.fdatasyncSync(this.#file);
    } catch (error) {
      this.failure = `${this.#path}: ${/** @type {Error} */ (error).message}`;
    }
  }

  close() {
    if (this.#file !== undefined) this.#disk.closeSync(this.#file);
  }
}

export class Writing {
  /** Files by number, and errors of those that could not be opened. @type {Map<number, File | Error>} */
  #files = new Map();
  /** By path of the database. @type {Map<string, Log>} */
  #logs = new Map();
  /** Replies that wait until a log is on disk. @type {Map<Log, Reply[]>} */
  #waiting = new Map();
  #answer;
  #disk;

  /** @param {(replies: readonly Reply[]) => void} answer @param {Disk} [disk] */
  constructor(answer, disk = fs) {
    this.#answer = answer;
    this.#disk = disk;
  }

  /** Carries out the orders one after the other, and answers each when it is done. @param {readonly Order[]} orders */
  carryOut(orders) {
    /** @type {Reply[]} */
    const done = [];
    for (const order of orders) {
      const log = this.#logOf(order);
      if (order.kind === "close") this.#sync();
      const reply = this.#reply(order);
      if (log === undefined || order.kind !== "write" || !("changed" in reply)) done.push(reply);
      else this.#waiting.set(log, [...(this.#waiting.get(log) ?? []), reply]);
    }
    if (done.length > 0) this.#answer(done);
    this.#sync();
  }

  #sync() {
    for (const [log, replies] of this.#waiting) {
      log.sync();
      const { failure } = log;
      this.#answer(failure === undefined ? replies : replies.map(({ id }) => lost(id, failure)));
    }
    this.#waiting.clear();
  }

  /** @param {Order} order */
  #logOf({ file: number }) {
    const file = this.#files.get(number);
    return file instanceof Error ? undefined : file?.log;
  }

  /** @param {Order} order @returns {Reply} */
  #reply(order) {
    const { id } = order;
    const failure = this.#logOf(order)?.failure;
    if (order.kind === "write" && failure !== undefined) return lost(id, failure);
    try {
      return { id, changed: this.#changed(order) };
    } catch (error) {
      const { message, code } = /** @type {Error & { code?: string }} */ (error);
      return { id, message, ...(code === undefined ? {} : { code }) };
    }
  }

  /** @param {Order} order @returns {readonly number[]} */
  #changed(order) {
    switch (order.kind) {
      case "open":
        this.#open(order);
        return [];
      case "write":
        return write(this.#file(order.file), order.writes);
      case "truncate":
        return truncate(this.#file(order.file));
      case "close":
        this.#close(order);
        return [];
    }
  }

  /** @param {number} number */
  #file(number) {
    const file = this.#files.get(number);
    if (file === undefined || file instanceof Error) {
      throw file ?? new Error("the file is not open");
    }
    return file;
  }

  /** @param {Extract<Order, { kind: "open" }>} order */
  #open({ file, path, pragmas, statements, isSynced }) {
    try {
      const database = new Database(path, { timeout: turnMs });
      for (const pragma of pragmas) database.pragma(pragma);
      const prepare = (/** @type {string} */ text) => database.prepare(text);
      this.#files.set(file, {
        ...{ log: isSynced ? this.#log(path) : undefined, database },
        ...{ begin: prepare("BEGIN IMMEDIATE"), commit: prepare("COMMIT") },
        rollback: prepare("ROLLBACK"),
        prepared: new Map(Object.entries(statements).map(([name, text]) => [name, prepare(text)])),
      });
    } catch (error) {
      this.#files.set(file, /** @type {Error} */ (error));
      throw error;
    }
  }

  /** @param {string} path */
  #log(path) {
    const log = this.#logs.get(path) ?? new Log(`${path}-wal`, this.#disk);
    log.users++;
    this.#logs.set(path, log);
    return log;
  }

  /** @param {Order} order */
  #close({ file: number }) {
    const { database, log } = this.#file(number);
    database.close();
    this.#files.delete(number);
    if (log === undefined || --log.users > 0) return;
    log.close();
    for (const [path, one] of this.#logs) if (one === log) this.#logs.delete(path);
  }
}

/** @param {number} id @param {string} message @returns {Reply} */
const lost = (id, message) => ({ id, message, isLost: true });

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
