/** Unfinished jobs known to one worker, which determine the documents it still needs. */
import {
  type Change,
  changedId,
  type JobRow,
  JobTable,
  takenJob,
  type UndecodedJob,
} from "@ganeti-ts/job-queue";
import { isFinalized, type Job, type JobId, type JobStatus } from "@ganeti-ts/protocol";
import { isPlainText, jobOfText, type Patch, type StoredEntry } from "../rows/documents.js";
import type { FullRow } from "./statements.js";

/** id, status, archived, claimed_by, fence, cancel. */
export type NewsRow = readonly [number, string, boolean, number | null, number | null, boolean];

export class KnownJobs {
  /** Unfinished jobs whose opcodes this worker has seen, with their holders. */
  readonly #holders = new JobTable<number | null>();
  readonly #own: number;

  constructor(own: number) {
    this.#own = own;
  }

  /** The holder of each job after these news: a worker or null, undefined if unknown. */
  holderAfter(news: readonly JobRow[]): (id: JobId) => number | null | undefined {
    if (news.length === 0) return (id) => this.#holders.get(id);
    const changed = new Map(news.map(({ id, claim }) => [id, claim?.worker ?? null]));
    return (id) => (changed.has(id) ? changed.get(id) : this.#holders.get(id));
  }

  ids(): Iterable<JobId> {
    return this.#holders.keys();
  }

  /** For a job held by another worker only the opcodes matter, and they never change. */
  needsDocument({ id, status, archived, claim }: JobRow, dead: ReadonlySet<number>): boolean {
    if (archived || isFinalized(status)) return false;
    if (claim === null || !this.#holders.has(id)) return true;
    return claim.worker === this.#own || dead.has(claim.worker);
  }

  /** Applies the news of a step, and its changes. */
  learn(jobs: readonly JobRow[], changes: readonly Change[]): void {
    for (const { id, status, archived, claim } of jobs) {
      this.#note(id, archived || isFinalized(status), claim?.worker ?? null);
    }
    for (const change of changes) {
      if (change.kind !== "job") continue;
      this.#note(changedId(change), isFinalized(change.status), change.claim?.worker ?? null);
    }
  }

  #note(id: JobId, isOver: boolean, holder: number | null): void {
    if (isOver) this.#holders.delete(id);
    else this.#holders.set(id, holder);
  }
}

export const lightRow = ([id, status, archived, worker, fence, cancel]: NewsRow): JobRow => ({
  id: id as JobId,
  status: status as JobStatus,
  archived,
  claim:
    worker === null
      ? null
      : { worker, fence: fence as number, ...(cancel ? { cancel: true } : {}) },
});

/** A row with its job. */
export const fullRow = (row: FullRow): JobRow => ({ ...stateOf(row), job: decoded(row) });

/** A row for the news: an unclaimed job is decoded when it is needed. */
export const rowOfNews = (row: FullRow): JobRow =>
  row.claimed_by === null ? { ...stateOf(row), undecoded: new UndecodedRow(row) } : fullRow(row);

const stateOf = (row: FullRow): JobRow =>
  lightRow([
    ...([Number(row.id), row.status, row.archived] as const),
    row.claimed_by === null ? null : Number(row.claimed_by),
    ...([row.fence === null ? null : Number(row.fence), row.cancel] as const),
  ]);

function decoded({ document, log, patches, ...row }: FullRow): Job {
  const job = jobOfText(
    document,
    log === null ? [] : (JSON.parse(log) as StoredEntry[]),
    patches === null ? [] : (JSON.parse(patches) as Patch[]),
  );
  if (row.taken === null) return job;
  return takenJob(job, {
    claim: { worker: Number(row.claimed_by), fence: Number(row.fence) },
    status: row.status as JobStatus,
    at: Number(row.taken),
    processId: row.process_id ?? undefined,
  });
}

class UndecodedRow implements UndecodedJob {
  readonly priority: number;
  readonly isPlain: boolean;
  readonly #row: FullRow;

  constructor(row: FullRow) {
    this.priority = row.priority;
    this.isPlain = isPlainText(row.document);
    this.#row = row;
  }

  decoded(): Job {
    return decoded(this.#row);
  }
}
