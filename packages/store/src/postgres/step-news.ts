/** Beginning of a step: its transaction, and the changes that the worker has to see before it decides. */
import type { JobRow, News, Settings } from "@ganeti-ts/job-queue";
import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import type pg from "pg";
import { ruleOfText } from "../rows/documents.js";
import { resultsOf } from "./connection.js";
import type { JobsAhead } from "./jobs-ahead.js";
import { fullRow, type KnownJobs, type NewsRow, rowOfNews } from "./known-jobs.js";
import { claimedBy, documents, type FullRow } from "./statements.js";

/** Result of `begin_step`. */
export interface StepStart {
  readonly now: number;
  readonly revision: number;
  readonly serial: number;
  readonly live: number;
  readonly settings: readonly [boolean, number, number | null] | null;
  readonly rules: boolean;
  /** Mark of the revision; null if there is none. */
  readonly mark: string | null;
  /** null: the worker does not exist any more. */
  readonly fence: number | null;
  readonly dead: readonly (readonly [worker: number, fence: number, fenced: boolean])[] | null;
  readonly fenced: readonly (readonly [worker: number, fence: number])[] | null;
  /** One list for each step since, or all unfinished jobs in one list. */
  readonly jobs: readonly (readonly NewsRow[] | null)[] | null;
  readonly all: boolean;
}

/** Opens the transaction of a step, takes the lock that serialises steps and asks for what is new since `seen`. */
export async function beginStep(
  client: pg.Client,
  { lockKey, worker }: { readonly lockKey: number; readonly worker: number },
  seen: number | undefined,
): Promise<StepStart> {
  const [, step] = await resultsOf(
    client,
    `BEGIN; SELECT begin_step(${lockKey}, ${worker}, ${seen ?? "NULL"})::text AS start`,
  );
  return JSON.parse(step?.rows[0]?.start) as StepStart;
}

/** Jobs that a worker knows before a step. */
export interface JobsKnown {
  readonly known: KnownJobs;
  readonly ahead: JobsAhead;
}

/**
 * The changes since the last step of this worker, with the documents of `wanted`, of the jobs of dead workers and
 * of those that it does not have yet.
 */
export async function newsOf(
  client: pg.Client,
  start: StepStart,
  { known, ahead }: JobsKnown,
  wanted: readonly JobId[],
): Promise<News> {
  const dead = (start.dead ?? []).map(([worker, fence, fenced]) => ({ worker, fence, fenced }));
  const fenced = (start.fenced ?? []).map(([worker, fence]) => ({ worker, fence }));
  const deadWorkers = new Set(dead.map(({ worker }) => worker));
  const light = lastRows(start, ahead);
  const ids = new Set<JobId>(wanted);
  if (dead.length > 0) {
    const { rows } = await client.query<{ id: string }>(claimedBy([...deadWorkers]));
    for (const { id } of rows) ids.add(Number(id) as JobId);
  }
  for (const row of light.values()) {
    if (row.undecoded === undefined && known.needsDocument(row, deadWorkers)) ids.add(row.id);
  }
  // All unfinished jobs are included: known jobs that are missing have ended.
  const over = start.all ? [...known.ids()].filter((id) => !light.has(id)) : [];
  for (const id of over) ids.add(id);
  const full = ids.size === 0 ? [] : (await client.query<FullRow>(documents([...ids]))).rows;
  const fullById = new Map(full.map((row) => [Number(row.id), row]));
  for (const row of full.map(rowOfNews)) {
    const isOfDead = row.claim !== null && deadWorkers.has(row.claim.worker);
    if (isOfDead || light.has(row.id) || over.includes(row.id)) light.set(row.id, row);
  }
  const wantedRows = wanted.flatMap((id): [JobId, JobRow][] => {
    const row = fullById.get(id);
    return row === undefined ? [] : [[id, fullRow(row)]];
  });
  const [drained, runningMax, sizeMax] = start.settings ?? [];
  return {
    nowMicros: start.now,
    serial: start.serial,
    liveCount: start.live,
    jobs: [...light.values()],
    wanted: new Map(wantedRows),
    dead,
    fenced,
    ...(start.all ? { finished: await finishedJobs(client) } : {}),
    ...(start.settings ? { settings: { drained, runningMax, sizeMax } as Settings } : {}),
    ...(start.rules ? { rules: await rulesOf(client) } : {}),
  };
}

/** The last news of each job: one that has not changed since it was read ahead comes with its document. */
function lastRows({ jobs, all, revision }: StepStart, ahead: JobsAhead): Map<JobId, JobRow> {
  const last = new Map<JobId, JobRow>();
  const lists = jobs ?? [];
  for (const [at, rows] of lists.entries()) {
    // A list of all unfinished jobs does not say when each of them changed.
    const changed = all ? revision : revision - lists.length + 1 + at;
    for (const row of rows ?? []) last.set(row[0] as JobId, ahead.rowOf(row, changed));
  }
  return last;
}

/** Rows of `ids` with their documents; unknown ids are left out. */
export async function readRows(
  client: pg.Client | pg.Pool,
  ids: readonly JobId[],
): Promise<readonly JobRow[]> {
  const { rows } = await client.query<FullRow>(documents(ids));
  return rows.map(fullRow);
}

async function finishedJobs(client: pg.Client): Promise<NonNullable<News["finished"]>> {
  const { rows } = await client.query<{ id: string; status: string }>(
    "SELECT id, status FROM job WHERE ended IS NOT NULL AND NOT archived",
  );
  return rows.map(({ id, status }) => ({ id: Number(id) as JobId, status: status as JobStatus }));
}

async function rulesOf(client: pg.Client) {
  const { rows } = await client.query<{ document: string }>(
    "SELECT document::text FROM filter_rule ORDER BY uuid",
  );
  return rows.map(({ document }) => ruleOfText(document));
}
