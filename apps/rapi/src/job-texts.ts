/** Jobs as the API shows them, as JSON text; that of a job that has ended is made once. */
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

/** How much is kept of whole blocks, in bytes. */
const keptBytesMax = 64 * 2 ** 20;

/** Jobs whose text is made, and blocks that are put together, before everything else has its turn. */
const jobsPerTurn = 64;
const blocksPerTurn = 16;

export class JobTexts {
  readonly #queue: Pick<ClusterQueue, "live" | "query">;
  readonly #kept = new Map<JobId, string>();
  /** Blocks as of the last answer. */
  #blocks: ReadonlyMap<JobBlock, Promise<Uint8Array>> = new Map();
  /** The last answer, which holds as long as no job has changed. */
  #last:
    | { readonly blocks: readonly JobBlock[]; readonly parts: readonly Uint8Array[] }
    | undefined;
  readonly #idTexts = new WeakMap<readonly JobId[], Uint8Array>();

  constructor(queue: Pick<ClusterQueue, "live" | "query">) {
    this.#queue = queue;
  }

  /**
   * All jobs that are not archived with their paths: a JSON list and a newline as UTF-8, in parts. Cost: blocks of
   * 512 jobs, and the ids of those blocks to which a job came or from which one went since.
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
   * All jobs that are not archived: a JSON list and a newline as UTF-8, in parts. Cost: nothing if no job has
   * changed; else blocks of 512 jobs, and of those blocks in which a job has changed the jobs that have not ended, or ended since.
   */
  async list(): Promise<readonly Uint8Array[]> {
    const { blocks } = await this.#queue.live();
    if (this.#last?.blocks === blocks) return this.#last.parts;
    const made = new Map<JobBlock, Promise<Uint8Array>>();
    const texts: Uint8Array[] = [];
    let bytes = 0;
    for (const block of blocks) {
      // Clients that ask at the same time wait for the same text.
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

  /** A text that could not be made is made again for the next question. */
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

  /** One job with its log and results; of an unknown one every field but the id is null. */
  async one(id: JobId): Promise<string> {
    const [row] = await this.#queue.query([id], allFields);
    return objectText(allFields, row ?? [id, ...allFields.slice(1).map(() => null)]);
  }
}

const objectText = (fields: readonly string[], row: readonly Json[]): string =>
  writeJson(Object.fromEntries(fields.map((field, at) => [field, row[at] as Json])));

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The texts as one list, with commas between them. */
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
