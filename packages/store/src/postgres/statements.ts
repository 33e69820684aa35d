/** What steps say to the database. */
import type { Change, JobChange } from "@ganeti-ts/job-queue";
import { microsOf } from "@ganeti-ts/protocol";
import type { Client, QueryConfig } from "pg";
import { entryText, jobText, ruleText } from "../rows/documents.js";

/** Numbers that PostgreSQL sends as text are numbers here: all stay below 2^53. */
export interface QueueRow {
  readonly now: string;
  readonly revision: string;
  readonly serial: string;
  readonly live_count: string;
  readonly drained: boolean;
  readonly running_max: number;
  readonly size_max: number | null;
  readonly settings_revision: string;
  readonly rules_revision: string;
  /** null: there is no such worker. */
  readonly fence: string | null;
  readonly gone: boolean | null;
  readonly last_step: string | null;
}

export interface LightRow {
  readonly id: string;
  readonly status: string;
  readonly archived: boolean;
  readonly claimed_by: string | null;
  readonly fence: string | null;
  readonly cancel: boolean;
}

export interface FullRow extends LightRow {
  readonly document: string;
  /** A JSON list of stored entries; null if there are none. */
  readonly log: string | null;
}

const light = "id, status, archived, claimed_by, fence, cancel";

/**
 * Begins a step: nobody else is in one until it ends. Three answers follow the two of the beginning:
 * the queue, the dead, the jobs that changed since `seen` (or all unfinished ones, if nothing was seen).
 * The rows of the dead are held: one that leaves by itself just now must not vanish before it is fenced.
 */
export const beginStep = (lockKey: number, worker: number, seen: number | undefined): string => `
  BEGIN; SELECT pg_advisory_xact_lock(${lockKey});
  SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now, queue.*,
    worker.fence, worker.gone, worker.last_step FROM queue LEFT JOIN worker ON worker.id = ${worker};
  SELECT id, fence FROM worker
    WHERE NOT gone AND lease_until <= clock_timestamp() AND id <> ${worker} FOR UPDATE;
  SELECT ${light} FROM job WHERE ${seen === undefined ? "ended IS NULL" : `revision > ${seen}`}`;

export const claimedBy = (workers: readonly number[]): QueryConfig => ({
  name: "claimed by",
  text: `SELECT ${light} FROM job WHERE claimed_by = ANY($1::bigint[])`,
  values: [workers],
});

export const documents = (ids: readonly number[]): QueryConfig => ({
  name: "documents",
  text: `SELECT ${light}, document::text,
      (SELECT json_agg(json_build_object('opcode', opcode, 'text', entry::text) ORDER BY serial)
        FROM job_log WHERE job_log.job = job.id)::text AS log
    FROM job WHERE id = ANY($1::bigint[])`,
  values: [ids],
});

/** What a step leaves besides jobs, rules and logs. */
export interface StepEnd {
  readonly worker: number;
  readonly fence: number;
  readonly stepNumber: number;
  readonly revision: number;
  readonly serial: number;
  readonly liveCount: number;
  readonly settingsChanged: boolean;
  readonly rulesChanged: boolean;
  readonly channel: string;
}

/** Gives the rows that were changed: one, or this worker has been fenced. */
export const endStep = (end: StepEnd): QueryConfig => ({
  name: "end step",
  text: `WITH own AS (
      UPDATE worker SET last_step = $3 WHERE id = $1 AND fence = $2 AND NOT gone RETURNING id
    ), next AS (
      UPDATE queue SET revision = $4, serial = $5, live_count = $6,
        settings_revision = CASE WHEN $7 THEN $4 ELSE settings_revision END,
        rules_revision = CASE WHEN $8 THEN $4 ELSE rules_revision END
      WHERE EXISTS (SELECT FROM own)
    ) SELECT id, pg_notify($9, id::text) FROM own`,
  values: [
    ...[end.worker, end.fence, end.stepNumber, end.revision, end.serial, end.liveCount],
    ...[end.settingsChanged, end.rulesChanged, end.channel],
  ],
});

interface Write {
  readonly query: QueryConfig;
  readonly rows?: number;
}

/** The statements of a step's changes, without the queue's own row. Each must change `rows` rows, where that is said. */
export function writes(
  changes: readonly Change[],
  revision: number,
  seen: number,
): readonly Write[] {
  const jobs = changes.filter((change) => change.kind === "job");
  const added = jobs.filter(({ isNew }) => isNew);
  const changed = jobs.filter(({ isNew }) => !isNew);
  const entries = jobs.flatMap(({ job, log }) => log.map((one) => ({ id: job.id, ...one })));
  const list: Write[] = [];
  if (added.length > 0) list.push({ query: insertJobs(added, revision), rows: added.length });
  if (changed.length > 0) {
    list.push({ query: updateJobs(changed, revision, seen), rows: changed.length });
  }
  if (entries.length > 0) {
    const query = {
      name: "log",
      text: `INSERT INTO job_log (job, serial, opcode, entry)
        SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[], $4::json[])`,
      values: [
        entries.map(({ id }) => id),
        entries.map(({ entry }) => entry[0]),
        entries.map(({ index }) => index),
        entries.map(({ entry }) => entryText(entry)),
      ],
    };
    list.push({ query, rows: entries.length });
  }
  for (const change of changes) {
    const query = otherWrite(change, revision);
    if (query !== undefined) list.push(query);
  }
  return list;
}

const columns = (jobs: readonly JobChange[], revision: number): unknown[] => [
  jobs.map(({ job }) => job.id),
  jobs.map(({ status }) => status),
  jobs.map(({ priority }) => priority),
  jobs.map(({ job }) => (job.ended === null ? null : microsOf(job.ended))),
  jobs.map(({ claim }) => claim?.worker ?? null),
  jobs.map(({ claim }) => claim?.fence ?? null),
  jobs.map(({ claim }) => claim?.cancel === true),
  jobs.map(({ job }) => jobText(job)),
  revision,
];

const rowsOfColumns = `unnest($1::bigint[], $2::text[], $3::int[], $4::bigint[], $5::bigint[],
  $6::bigint[], $7::boolean[], $8::json[])
  AS given (id, status, priority, ended, claimed_by, fence, cancel, document)`;

const insertJobs = (jobs: readonly JobChange[], revision: number): QueryConfig => ({
  name: "insert jobs",
  text: `INSERT INTO job (id, status, priority, ended, claimed_by, fence, cancel, document, revision)
    SELECT given.*, $9::bigint FROM ${rowsOfColumns}`,
  values: columns(jobs, revision),
});

/** Only jobs that have not ended, and that nobody has changed since this worker's news. */
const updateJobs = (jobs: readonly JobChange[], revision: number, seen: number): QueryConfig => ({
  name: "update jobs",
  text: `UPDATE job SET status = given.status, priority = given.priority, ended = given.ended,
      claimed_by = given.claimed_by, fence = given.fence, cancel = given.cancel,
      document = given.document, revision = $9
    FROM ${rowsOfColumns}
    WHERE job.id = given.id AND job.ended IS NULL AND job.revision <= $10`,
  values: [...columns(jobs, revision), seen],
});

function otherWrite(change: Change, revision: number): Write | undefined {
  switch (change.kind) {
    case "job":
    case "serial":
      return undefined;
    case "archive": {
      const text = `UPDATE job SET archived = true, revision = $2
        WHERE id = ANY($1::bigint[]) AND NOT archived AND ended IS NOT NULL`;
      return { query: { text, values: [change.ids, revision] }, rows: change.ids.length };
    }
    case "settings": {
      const { drained, runningMax, sizeMax } = change.settings;
      const text = "UPDATE queue SET drained = $1, running_max = $2, size_max = $3";
      return { query: { text, values: [drained, runningMax, sizeMax] }, rows: 1 };
    }
    case "rule": {
      const text = `INSERT INTO filter_rule (uuid, document) VALUES ($1, $2)
        ON CONFLICT (uuid) DO UPDATE SET document = excluded.document`;
      return { query: { text, values: [change.rule.uuid, ruleText(change.rule)] }, rows: 1 };
    }
    case "rule gone":
      return {
        query: { text: "DELETE FROM filter_rule WHERE uuid = $1", values: [change.uuid] },
        rows: 1,
      };
    case "fence": {
      // A worker that gives up its lease without jobs may be gone by itself meanwhile.
      const text =
        "UPDATE worker SET fence = fence + 1, gone = true WHERE id = $1 AND fence = $2 AND NOT gone";
      return { query: { text, values: [change.dead.worker, change.dead.fence] } };
    }
  }
}

/** Registers a worker; gives its id. What has been gone for a day is forgotten. */
export async function registerWorker(client: Client, leaseMs: number): Promise<number> {
  await client.query("DELETE FROM worker WHERE gone AND lease_until < now() - interval '1 day'");
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO worker (lease_until)
     VALUES (clock_timestamp() + $1 * interval '1 millisecond') RETURNING id`,
    [leaseMs],
  );
  return Number(rows[0]?.id);
}

/** A worker that still has jobs is left for others to bury. */
export const giveUpLease = (worker: number, fence: number): QueryConfig[] => [
  {
    text: "UPDATE worker SET lease_until = '-infinity' WHERE id = $1 AND fence = $2",
    values: [worker, fence],
  },
  {
    text: `DELETE FROM worker WHERE id = $1 AND fence = $2
      AND NOT EXISTS (SELECT FROM job WHERE claimed_by = $1)`,
    values: [worker, fence],
  },
];
