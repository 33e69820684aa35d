/** JobTexts: JSON texts of jobs for the API; that of an ended job is made once. */
import type { ClusterQueue } from "@ganeti-ts/cluster";
import type { JobBlock } from "@ganeti-ts/job-queue";
import { isFinalized, type JobId, type JobStatus, type Json, writeJson } from "@ganeti-ts/protocol";
import { joined } from "./http/parts.js";

const bulkFields = [
  ...["id", "ops", "status", "summary", "opstatus", "received_ts", "start_ts", "end_ts"],
] as const;
const allFields = [...bulkFields, "oplog", "opresult"];

/** Maximum number of ended jobs that are kept as texts. */
const keptMax = 10_000;

/** Maximum size (bytes) of the cached blocks. */
const keptBytesMax = 64 * 2 ** 20;

/** Number of jobs rendered, and blocks joined, before other work gets its turn. */
const jobsPerTurn = 64;
const blocksPerTurn = 16;

export class JobTexts {
  readonly #queue: Pick<ClusterQueue, "live" | "query">;
  readonly #kept = new Map<JobId, string>();
  /** Blocks as of the last answer. */
  #blocks: ReadonlyMap<JobBlock, Promise<Uint8Array>> = new Map();
  /** The last answer, valid as long as no job has changed. */
  #last:
    | { readonly blocks: readonly JobBlock[]; readonly parts: readonly Uint8Array[] }
    | undefined;
  readonly #idTexts = new WeakMap<readonly JobId[], Uint8Array>();

  constructor(queue: Pick<ClusterQueue, "live" | "query">) {
    this.#queue = queue;
  }

  /**
   * All jobs that are not archived with their paths: a JSON list and a newline as UTF-8, in parts. Cost: blocks of
   * 512 jobs, and the ids of the blocks in which jobs were added or removed since.
   */
  async ids(): Promise<readonly Uint8Array[]> {
    const { blocks } = await this.#queue.live();
    const texts: Uint8Array[] = [];
    for (const [at, { ids }] of blocks.entries()) {
      if (at % blocksPerTurn === blocksPerTurn - 1) await turn();
      const known = this.#idTexts.get(ids);
      const text =
        known ?? Buffer.from(ids.map((id) => `{"id":${id},"uri":"/2/jobs/${id}"}`).join());
      if (known === undefined) this.#idTexts.set(ids, text);
      texts.push(text);
    }
    return listOf(texts);
  }

  /**
   * All jobs that are not archived: a JSON list and a newline as UTF-8, in parts. Cost: none if no job has changed;
   * otherwise the blocks of 512 jobs, and in blocks with changes the jobs that had not ended at the last call.
   */
  async list(): Promise<readonly Uint8Array[]> {
    const { blocks } = await this.#queue.live();
    if (this.#last?.blocks === blocks) return this.#last.parts;
    const made = new Map<JobBlock, Promise<Uint8Array>>();
    const texts: Uint8Array[] = [];
    let bytes = 0;
    for (const block of blocks) {
      // Concurrent requests share one text.
      const text = this.#blocks.get(block) ?? made.get(block) ?? this.#blockText(block);
      if (!this.#blocks.has(block)) this.#remember(block, text);
      const done = await text;
      texts.push(done);
      bytes += done.length;
      if (bytes <= keptBytesMax) made.set(block, text);
    }
    this.#blocks = made;
    const parts = joined(listOf(texts));
    if (bytes <= keptBytesMax) this.#last = { blocks, parts };
    return parts;
  }

  /** Caches a text; a failed one is dropped, so that the next request renders it again. */
  #remember(block: JobBlock, text: Promise<Uint8Array>): void {
    this.#blocks = new Map(this.#blocks).set(block, text);
    text.catch(() => {
      this.#blocks = new Map([...this.#blocks].filter(([, other]) => other !== text));
    });
  }

  async #blockText({ ids }: JobBlock): Promise<Uint8Array> {
    const made = new Map<JobId, string>();
    const missing = ids.filter((id) => !this.#kept.has(id));
    for (let at = 0; at < missing.length; at += jobsPerTurn) {
      if (at > 0) await turn();
      for (const row of await this.#queue.query(missing.slice(at, at + jobsPerTurn), bulkFields)) {
        if (row !== undefined) this.#keep(row, made);
      }
    }
    const texts = ids.flatMap((id) => made.get(id) ?? this.#kept.get(id) ?? []);
    while (this.#kept.size > keptMax) {
      this.#kept.delete(this.#kept.keys().next().value as JobId);
    }
    return Buffer.from(texts.join());
  }

  #keep(row: readonly Json[], made: Map<JobId, string>): void {
    const text = objectText(bulkFields, row);
    const [id, , status] = row as [JobId, Json, JobStatus];
    made.set(id, text);
    if (isFinalized(status)) this.#kept.set(id, text);
  }

  /** One job with its log and results; for an unknown one, all fields but the id are null. */
  async one(id: JobId): Promise<string> {
    const [row] = await this.#queue.query([id], allFields);
    return objectText(allFields, row ?? [id, ...allFields.slice(1).map(() => null)]);
  }
}

const objectText = (fields: readonly string[], row: readonly Json[]): string =>
  writeJson(Object.fromEntries(fields.map((field, at) => [field, row[at] as Json])));

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Joins texts to a JSON list. */
function listOf(texts: readonly Uint8Array[]): readonly Uint8Array[] {
  const parts: Uint8Array[] = [Buffer.from("[")];
  for (const text of texts) {
    if (text.length === 0) continue;
    if (parts.length > 1) parts.push(Buffer.from(","));
    parts.push(text);
  }
  parts.push(Buffer.from("]\n"));
  return parts;
}
