/** Jobs as the API shows them, as JSON text; that of a job that has ended is made once. */
import type { JobQueue } from "@ganeti-ts/job-queue";
import { isFinalized, type JobId, type JobStatus, type Json, writeJson } from "@ganeti-ts/protocol";
import { valuesWithoutSecrets } from "./secrets.js";

const bulkFields = [
  ...["id", "ops", "status", "summary", "opstatus", "received_ts", "start_ts", "end_ts"],
] as const;
const allFields = [...bulkFields, "oplog", "opresult"];

/** How many jobs that have ended are kept as text. */
const keptMax = 10_000;

export class JobTexts {
  readonly #queue: JobQueue;
  readonly #isShared: boolean;
  readonly #kept = new Map<JobId, string>();
  #list: Promise<Uint8Array> | undefined;

  /** @param isShared others may change jobs, which is learnt some time later */
  constructor(queue: JobQueue, isShared: boolean) {
    this.#queue = queue;
    this.#isShared = isShared;
    queue.onChange(() => {
      this.#list = undefined;
    });
  }

  /** Ids of all jobs that are not archived, ascending. */
  async ids(): Promise<readonly JobId[]> {
    const rows = await this.#queue.query([], ["id"]);
    return rows.flatMap((row) => (row === undefined ? [] : [row[0] as JobId]));
  }

  /**
   * All jobs that are not archived: a JSON list and a newline as UTF-8. Cost: nothing if no job has changed;
   * else the jobs that have not ended, or ended since.
   */
  list(): Promise<Uint8Array> {
    if (this.#isShared) return this.#listBytes();
    const list = this.#list ?? this.#listBytes();
    this.#list = list;
    // A failure is told to those who wait for it, and forgotten.
    list.catch(() => {
      if (this.#list === list) this.#list = undefined;
    });
    return list;
  }

  async #listBytes(): Promise<Uint8Array> {
    const ids = await this.ids();
    const missing = ids.filter((id) => !this.#kept.has(id));
    const made = new Map<JobId, string>();
    if (missing.length > 0) {
      for (const row of await this.#queue.query(missing, bulkFields)) {
        if (row !== undefined) this.#keep(row, made);
      }
    }
    const texts = ids.flatMap((id) => this.#kept.get(id) ?? made.get(id) ?? []);
    while (this.#kept.size > keptMax) {
      this.#kept.delete(this.#kept.keys().next().value as JobId);
    }
    return Buffer.from(`[${texts.join(",")}]\n`);
  }

  #keep(row: readonly Json[], made: Map<JobId, string>): void {
    const text = objectText(bulkFields, row);
    const [id, , status] = row as [JobId, Json, JobStatus];
    (isFinalized(status) ? this.#kept : made).set(id, text);
  }

  /** One job with its log and results; of an unknown one every field but the id is null. */
  async one(id: JobId): Promise<string> {
    const [row] = await this.#queue.query([id], allFields);
    return objectText(allFields, row ?? [id, ...allFields.slice(1).map(() => null)]);
  }
}

const objectText = (fields: readonly string[], row: readonly Json[]): string => {
  const values = valuesWithoutSecrets(fields, row);
  return writeJson(Object.fromEntries(fields.map((field, at) => [field, values[at] as Json])));
};
