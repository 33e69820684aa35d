/** Prepared statements that read the queue. */
import type { Selection } from "@ganeti-ts/job-queue";
import type Database from "libsql";
import type { Patch } from "../rows/documents.js";

type Prepared = Database.Statement<unknown[]>;

export class Statements {
  readonly unfinished: Prepared;
  readonly job: Prepared;
  readonly log: Prepared;
  readonly #patches: Prepared;
  readonly finished: Prepared;
  readonly idRange: Prepared;
  readonly rules: Prepared;
  readonly #begin: Prepared;
  readonly #commit: Prepared;
  readonly #listAll;
  readonly #listEnded;

  constructor(database: Database.Database) {
    const prepare = (sql: string) => database.prepare(sql);
    this.#begin = prepare("BEGIN");
    this.#commit = prepare("COMMIT");
    this.unfinished = prepare("SELECT * FROM job WHERE ended IS NULL ORDER BY id");
    this.finished = prepare("SELECT id, status FROM job WHERE ended IS NOT NULL AND archived = 0");
    this.job = prepare("SELECT * FROM job WHERE id = ?");
    this.log = prepare("SELECT opcode, entry AS text FROM job_log WHERE job = ? ORDER BY serial");
    this.#patches = prepare("SELECT opcode, document AS text FROM job_patch WHERE job = ?");
    this.rules = prepare("SELECT document FROM filter_rule ORDER BY uuid");
    this.idRange = prepare("SELECT min(id) AS first, max(id) AS last FROM job");
    const between = "SELECT id FROM job WHERE id BETWEEN ? AND ? AND archived = ?";
    this.#listAll = prepare(`${between} ORDER BY id`);
    this.#listEnded = prepare(`${between} AND ended < ? ORDER BY id`);
  }

  /** Statements of `read` see the same state, whatever a thread writes meanwhile. */
  ofOneState<T>(read: () => T): T {
    this.#begin.run();
    try {
      return read();
    } finally {
      this.#commit.run();
    }
  }

  /** Those of the selection with ids from `first` to `last`. */
  list({ archived, endedBefore }: Selection, first: number, last: number): { id: number }[] {
    const range = [first, last, archived ? 1 : 0];
    if (endedBefore === undefined) return this.#listAll.all(...range) as { id: number }[];
    const limit = Math.min(endedBefore, Number.MAX_SAFE_INTEGER);
    return this.#listEnded.all(...range, limit) as { id: number }[];
  }

  patches(id: number): readonly Patch[] {
    return this.#patches.all(id) as Patch[];
  }
}
