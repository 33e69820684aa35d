/** Prepared statements of steps. */
import type { Change, JobChange, Selection } from "@ganeti-ts/job-queue";
import { microsOf } from "@ganeti-ts/protocol";
import type Database from "libsql";
import { entryText, jobWriting, type Patch, ruleText } from "../rows/documents.js";
import { jobText } from "../rows/job-text.js";

type Prepared = Database.Statement<unknown[]>;

export class Statements {
  readonly begin: Prepared;
  readonly commit: Prepared;
  readonly rollback: Prepared;
  readonly counts: Prepared;
  readonly unfinished: Prepared;
  readonly job: Prepared;
  readonly log: Prepared;
  readonly #patches: Prepared;
  readonly finished: Prepared;
  readonly idRange: Prepared;
  readonly rules: Prepared;
  readonly #insert;
  readonly #update;
  readonly #updateHead;
  readonly #patch;
  readonly #dropPatches;
  readonly #addEntry;
  readonly #archive;
  readonly #settings;
  readonly #setRule;
  readonly #removeRule;
  readonly #listAll;
  readonly #listEnded;

  constructor(database: Database.Database) {
    const prepare = (sql: string) => database.prepare(sql);
    this.begin = prepare("BEGIN IMMEDIATE");
    this.commit = prepare("COMMIT");
    this.rollback = prepare("ROLLBACK");
    this.counts = prepare("UPDATE queue SET serial = ?, live_count = ?");
    this.unfinished = prepare("SELECT * FROM job WHERE ended IS NULL ORDER BY id");
    this.finished = prepare("SELECT id, status FROM job WHERE ended IS NOT NULL AND archived = 0");
    this.job = prepare("SELECT * FROM job WHERE id = ?");
    this.log = prepare("SELECT opcode, entry AS text FROM job_log WHERE job = ? ORDER BY serial");
    this.#patches = prepare("SELECT opcode, document AS text FROM job_patch WHERE job = ?");
    this.rules = prepare("SELECT document FROM filter_rule ORDER BY uuid");
    this.#insert = prepare(
      "INSERT INTO job (status, ended, worker, fence, cancel, document, id) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    this.#update = prepare(
      `UPDATE job SET status = ?, ended = ?, worker = ?, fence = ?, cancel = ?, document = ?
       WHERE id = ? AND ended IS NULL`,
    );
    this.#updateHead = prepare(
      `UPDATE job SET status = ?, ended = ?, worker = ?, fence = ?, cancel = ?
       WHERE id = ? AND ended IS NULL`,
    );
    this.#patch = prepare(
      "INSERT OR REPLACE INTO job_patch (job, opcode, document) VALUES (?, ?, ?)",
    );
    this.#dropPatches = prepare("DELETE FROM job_patch WHERE job = ?");
    this.#addEntry = prepare(
      "INSERT INTO job_log (job, serial, opcode, entry) VALUES (?, ?, ?, ?)",
    );
    this.#archive = prepare("UPDATE job SET archived = 1 WHERE id = ? AND archived = 0");
    this.#settings = prepare("UPDATE queue SET drained = ?, running_max = ?, size_max = ?");
    this.#setRule = prepare("INSERT OR REPLACE INTO filter_rule (uuid, document) VALUES (?, ?)");
    this.#removeRule = prepare("DELETE FROM filter_rule WHERE uuid = ?");
    this.idRange = prepare("SELECT min(id) AS first, max(id) AS last FROM job");
    const between = "SELECT id FROM job WHERE id BETWEEN ? AND ? AND archived = ?";
    this.#listAll = prepare(`${between} ORDER BY id`);
    this.#listEnded = prepare(`${between} AND ended < ? ORDER BY id`);
  }

  /** Returns the change of the number of jobs outside the archive. */
  write(change: Change): number {
    switch (change.kind) {
      case "job":
        this.#writeJob(change);
        return change.isNew ? 1 : 0;
      case "archive":
        return -change.ids.reduce((sum, id) => sum + Number(this.#archive.run(id).changes), 0);
      case "serial":
        return 0; // Written together with the count.
      case "settings": {
        const { drained, runningMax, sizeMax } = change.settings;
        this.#settings.run(drained ? 1 : 0, runningMax, sizeMax);
        return 0;
      }
      case "rule":
        this.#setRule.run(change.rule.uuid, ruleText(change.rule));
        return 0;
      case "rule gone":
        this.#removeRule.run(change.uuid);
        return 0;
      case "fence":
      case "bury":
        return 0; // A past worker has no row: its jobs are released, nothing else.
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

  #writeJob(change: JobChange): void {
    const { job, isOnlyLog, log } = change;
    if (!isOnlyLog) this.#writeRow(change);
    for (const { index, entry } of log)
      this.#addEntry.run(job.id, entry[0], index, entryText(entry));
  }

  #writeRow(change: JobChange): void {
    const { job, status, claim, isNew } = change;
    const ended = job.ended === null ? null : microsOf(job.ended);
    const head = [
      ...[status, ended, claim?.worker ?? null, claim?.fence ?? null, claim?.cancel ? 1 : 0],
    ];
    const written = isNew
      ? this.#insert.run(...head, jobText(job), job.id)
      : this.#rewrite(change, head);
    if (Number(written.changes) !== 1) {
      throw new Error(`job ${job.id} is not there, or has ended before`);
    }
  }

  #rewrite(change: JobChange, head: readonly unknown[]) {
    const { id } = change.job;
    const writing = jobWriting(change);
    if ("document" in writing) {
      if (writing.mayHavePatches) this.#dropPatches.run(id);
      return this.#update.run(...head, writing.document, id);
    }
    for (const { opcode, text } of writing.patches) this.#patch.run(id, opcode, text);
    return this.#updateHead.run(...head, id);
  }
}
