/** States of simulated nodes in a file of several processes of one machine. */
import { keptStates, type NodeStates } from "@ganeti-ts/simulated-nodes";
import type Database from "libsql";
import { NodeRows, nodeStateStatements, nodeStateWrites, statesError } from "./node-file.js";

/** Each call is a transaction: no other process may write between its reading of their changes and its own changes. */
export class SharedNodeStates {
  readonly #database: Database.Database;
  readonly #rows: NodeRows;
  readonly #sql;
  /** Serial of the newest state that this process knows. */
  #seen = -1;
  #isClosed = false;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#rows = new NodeRows(database);
    this.#sql = {
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
      put: database.prepare(nodeStateStatements.put),
      removeParts: database.prepare(nodeStateStatements.removeParts),
    };
  }

  load() {
    this.#seen = -1;
    return keptStates(this.#orStatesError(() => this.#news()));
  }

  /** Within the transaction of `alone`. */
  save(changed: ReadonlyMap<string, string>): void {
    this.#orStatesError(() => {
      const serial = this.#rows.newest() + 1;
      for (const [name, values] of nodeStateWrites(changed, serial)) this.#sql[name].run(...values);
      this.#seen = serial;
    });
  }

  alone<T>(adopt: Parameters<NonNullable<NodeStates["alone"]>>[0], act: () => T): T {
    this.#orStatesError(() => this.#sql.begin.run());
    try {
      const changed = this.#orStatesError(() => this.#news());
      if (changed.size > 0) adopt(keptStates(changed));
      const value = act();
      this.#orStatesError(() => this.#sql.commit.run());
      return value;
    } catch (error) {
      // Changes in memory are invalid: the next turn reads the stored states.
      this.#seen = -1;
      if (this.#database.inTransaction) this.#sql.rollback.run();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#database.close();
  }

  #news(): ReadonlyMap<string, string> {
    const { texts, newest } = this.#rows.since(this.#seen);
    this.#seen = newest;
    return texts;
  }

  /** Converts errors of the file to those that simulated nodes report. */
  #orStatesError<T>(ask: () => T): T {
    try {
      if (this.#isClosed) throw new Error("the file has been closed");
      return ask();
    } catch (error) {
      throw statesError(error);
    }
  }
}
