/** Conversion of changes of the queue to writes of its file. */
import type { Change, JobChange } from "@ganeti-ts/job-queue";
import { microsOf } from "@ganeti-ts/protocol";
import { entryText, jobWriting, ruleText } from "../rows/documents.js";
import { jobText } from "../rows/job-text.js";
import type { Write } from "./writer.js";

/** SQL texts of the writes, by name. */
export const writeStatements = {
  counts: "UPDATE queue SET serial = ?, live_count = live_count + ?",
  insert:
    "INSERT INTO job (status, ended, worker, fence, cancel, document, id) VALUES (?, ?, ?, ?, ?, ?, ?)",
  update: `UPDATE job SET status = ?, ended = ?, worker = ?, fence = ?, cancel = ?, document = ?
     WHERE id = ? AND ended IS NULL`,
  updateHead: `UPDATE job SET status = ?, ended = ?, worker = ?, fence = ?, cancel = ?
     WHERE id = ? AND ended IS NULL`,
  patch: "INSERT OR REPLACE INTO job_patch (job, opcode, document) VALUES (?, ?, ?)",
  dropPatches: "DELETE FROM job_patch WHERE job = ?",
  addEntry: "INSERT INTO job_log (job, serial, opcode, entry) VALUES (?, ?, ?, ?)",
  archive: "UPDATE job SET archived = 1 WHERE id = ? AND archived = 0",
  /** Follows each `archive`. */
  countArchived: "UPDATE queue SET live_count = live_count - changes()",
  settings: "UPDATE queue SET drained = ?, running_max = ?, size_max = ?",
  setRule: "INSERT OR REPLACE INTO filter_rule (uuid, document) VALUES (?, ?)",
  removeRule: "DELETE FROM filter_rule WHERE uuid = ?",
  bury: "UPDATE queue SET last_gone = max(last_gone, ?)",
};

/** Without the counts of the queue, except for archived jobs. */
export function writesOf(change: Change): readonly Write[] {
  switch (change.kind) {
    case "job":
      return writesOfJob(change);
    case "archive":
      return change.ids.flatMap((id): Write[] => [
        ["archive", [id]],
        ["countArchived", []],
      ]);
    case "serial":
      return []; // Written together with the count.
    case "settings": {
      const { drained, runningMax, sizeMax } = change.settings;
      return [["settings", [drained ? 1 : 0, runningMax, sizeMax]]];
    }
    case "rule":
      return [["setRule", [change.rule.uuid, ruleText(change.rule)]]];
    case "rule gone":
      return [["removeRule", [change.uuid]]];
    case "fence":
      return []; // A past worker has no row, and is fenced again by the next process.
    case "bury":
      return [["bury", [change.dead.worker]]];
  }
}

function writesOfJob(change: JobChange): readonly Write[] {
  const { job, isOnlyLog, log } = change;
  const entries = log.map(
    ({ index, entry }): Write => ["addEntry", [job.id, entry[0], index, entryText(entry)]],
  );
  return isOnlyLog ? entries : [...writesOfRow(change), ...entries];
}

function writesOfRow(change: JobChange): readonly Write[] {
  const { job, status, claim, isNew } = change;
  const { id } = job;
  const ended = job.ended === null ? null : microsOf(job.ended);
  const head = [status, ended, claim?.worker ?? null, claim?.fence ?? null, claim?.cancel ? 1 : 0];
  const refusal = `job ${id} is not there, or has ended before`;
  if (isNew) return [["insert", [...head, jobText(job), id]]];
  const writing = jobWriting(change);
  if ("document" in writing) {
    const update: Write = ["update", [...head, writing.document, id], refusal];
    return writing.mayHavePatches ? [["dropPatches", [id]], update] : [update];
  }
  return [
    ...writing.patches.map(({ opcode, text }): Write => ["patch", [id, opcode, text]]),
    ["updateHead", [...head, id], refusal],
  ];
}
