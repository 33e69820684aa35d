/** SQL statements of the store, other than the two halves of a step. */
import type { JobChange } from "@ganeti-ts/job-queue";
import type { Client, QueryConfig } from "pg";
import { jobText } from "../rows/job-text.js";
import type { StepTexts } from "./step-text.js";

/** Numbers that PostgreSQL sends as text are numbers here: all are below 2^53. */
export interface FullRow {
  readonly id: string;
  readonly status: string;
  readonly priority: number;
  readonly archived: boolean;
  readonly claimed_by: string | null;
  readonly fence: string | null;
  readonly cancel: boolean;
  /** When its worker took the job (µs), and in which process, if the document is older than that; otherwise null. */
  readonly taken: string | null;
  readonly process_id: number | null;
  readonly document: string;
  /** A JSON list of stored entries; null if there are none. */
  readonly log: string | null;
  /** A JSON list of patches; null if there are none. */
  readonly patches: string | null;
}

/**
 * Most queued jobs have neither a log nor patches, and are newer than every job that has: a look into these tables
 * for each row would cost as much as the row itself. The last job in them is looked up once for each statement.
 */
const fullRowColumns = `id, status, priority, archived, claimed_by, fence, cancel, taken, process_id, document::text,
    CASE WHEN id <= (SELECT max(job) FROM job_log) THEN
      (SELECT json_agg(json_build_object('opcode', opcode, 'text', entry::text) ORDER BY serial)
        FROM job_log WHERE job_log.job = job.id) END::text AS log,
    CASE WHEN id <= (SELECT max(job) FROM job_patch) THEN
      (SELECT json_agg(json_build_object('opcode', opcode, 'text', job_patch.document::text))
        FROM job_patch WHERE job_patch.job = job.id) END::text AS patches`;

export const documents = (ids: readonly number[]): QueryConfig => ({
  name: "documents",
  text: `SELECT ${fullRowColumns} FROM job WHERE id = ANY($1::bigint[])`,
  values: [`{${ids.join()}}`],
});

/** Queued jobs with neighbouring ids, in one row: each column contains one text for all of them, in the same order. */
export interface BundleRow {
  /** Separated by commas, like the priorities. */
  readonly ids: string;
  readonly priorities: string;
  /** Separated by `bundleSeparator`. */
  readonly documents: string;
  /** Revision of the queue when they were read. */
  readonly revision: string;
}

/** A control character: JSON texts contain none but white space. */
export const bundleSeparator = "\x01";

/** Jobs whose ids differ only in their remainder by this share a bundle. */
const bundleSize = 256;

/**
 * Queued jobs after the id `serial` that no worker has, in bundles: these cost the reader less than half as much as a
 * row for each job. Jobs with a log or patches, which a worker has returned to the queue, are left out.
 */
export const newJobs = (serial: number): QueryConfig => ({
  name: "new jobs",
  text: `SELECT string_agg(id::text, ',') AS ids, string_agg(priority::text, ',') AS priorities,
      string_agg(document::text, E'\\x01') AS documents, (SELECT revision FROM queue) AS revision
    FROM job WHERE id > $1 AND ended IS NULL AND claimed_by IS NULL AND status = 'queued'
      AND CASE WHEN id <= (SELECT max(job) FROM job_log)
        THEN NOT EXISTS (SELECT FROM job_log WHERE job_log.job = job.id) ELSE true END
      AND CASE WHEN id <= (SELECT max(job) FROM job_patch)
        THEN NOT EXISTS (SELECT FROM job_patch WHERE job_patch.job = job.id) ELSE true END
    GROUP BY id / ${bundleSize}`,
  values: [serial],
});

/** New queued jobs: many jobs are inserted by columns, which costs less than a long JSON text. */
export const insertQueued = (jobs: readonly JobChange[], revision: number): QueryConfig => ({
  name: "insert queued",
  text: `INSERT INTO job (id, status, priority, document, revision)
    SELECT id, 'queued', priority, document, $4::bigint
    FROM ROWS FROM (unnest($1::bigint[], $2::integer[]), json_array_elements($3::json))
      AS given (id, priority, document)`,
  values: [
    `{${jobs.map(({ job }) => job.id).join()}}`,
    `{${jobs.map(({ priority }) => priority).join()}}`,
    `[${jobs.map(({ job }) => jobText(job)).join()}]`,
    revision,
  ],
});

/** The second half of a step: `texts` are the arguments of `keep_step`. */
export const keepStep = (texts: StepTexts): QueryConfig => ({
  name: "keep step",
  text: "SELECT keep_step($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
  values: [...texts],
});

/** A whole step on the revision `before`: `turn` is the key of the lock that serialises steps. */
export const wholeStep = (turn: number, before: number, texts: StepTexts): QueryConfig => ({
  name: "whole step",
  text: "CALL whole_step($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, NULL)",
  values: [turn, before, ...texts],
});

/** Unfinished jobs of these workers. */
export const claimedBy = (workers: readonly number[]): QueryConfig => ({
  name: "claimed by",
  text: "SELECT id FROM job WHERE ended IS NULL AND claimed_by = ANY($1::bigint[])",
  values: [workers],
});

/** Registers a worker and returns its id. Workers gone for a day are deleted. */
export async function registerWorker(client: Client, leaseMs: number): Promise<number> {
  await client.query("DELETE FROM worker WHERE gone AND lease_until < now() - interval '1 day'");
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO worker (lease_until)
     VALUES (clock_timestamp() + $1 * interval '1 millisecond') RETURNING id`,
    [leaseMs],
  );
  return Number(rows[0]?.id);
}

/** A worker that still holds jobs, or is busy, is left for others to fence and bury. */
export const giveUpLease = (worker: number, fence: number, busy: boolean): QueryConfig[] => [
  {
    text: "UPDATE worker SET lease_until = '-infinity' WHERE id = $1 AND fence = $2 AND fenced IS NULL",
    values: [worker, fence],
  },
  {
    text: `DELETE FROM worker WHERE NOT $3 AND id = $1 AND fence = $2 AND fenced IS NULL
      AND NOT EXISTS (SELECT FROM job WHERE ended IS NULL AND claimed_by = $1)`,
    values: [worker, fence, busy],
  },
];
