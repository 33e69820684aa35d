/** States of simulated nodes in a file of one process. */
import { keptStates, SavedTexts } from "@ganeti-ts/simulated-nodes";
import type Database from "libsql";
import { NodeRows, nodeStateWrites, statesError } from "./node-file.js";
import { otherWork } from "./other-work.js";
import type { Writer } from "./writer.js";

export class OwnNodeStates {
  readonly #database: Database.Database;
  readonly #writer: Writer;
  readonly #rows: NodeRows;
  /** Serial number of the newest state; undefined before it has been read. */
  #serial: number | undefined;
  /** Texts of the next transaction, by name. */
  readonly #waiting = new SavedTexts();
  #flushing: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: Database.Database, writer: Writer) {
    this.#database = database;
    this.#writer = writer;
    this.#rows = new NodeRows(database);
  }

  load() {
    this.#mustBeOpen();
    try {
      const { texts, newest } = this.#rows.since(-1);
      this.#serial = Math.max(newest, 0);
      return keptStates(texts);
    } catch (error) {
      throw statesError(error);
    }
  }

  save(changed: ReadonlyMap<string, string>): Promise<void> {
    this.#waiting.enter(changed);
    this.#flushing ??= otherWork().then(() => this.#flush());
    return this.#flushing;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    const flushed = this.#flush();
    this.#isClosed = true;
    await flushed.finally(() => this.#writer.close());
    this.#database.close();
  }

  /** Transactions are written in the order of their flushes. */
  async #flush(): Promise<void> {
    this.#flushing = undefined;
    const changed = this.#waiting.all;
    if (changed.size === 0) return;
    this.#waiting.clear();
    this.#mustBeOpen();
    try {
      this.#serial = (this.#serial ?? this.#rows.newest()) + 1;
      await this.#writer.write(nodeStateWrites(changed, this.#serial));
    } catch (error) {
      throw statesError(error);
    }
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw statesError(new Error("the file has been closed"));
  }
}
