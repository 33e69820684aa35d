/** Reading of jobs: from memory if that is up to date, otherwise from the store. */
import type { Clock, JobId } from "@ganeti-ts/protocol";
import type { Engine } from "../steps/engine.js";
import type { JobRow } from "../stores/store.js";
import { fieldValues, type JobValues } from "./fields.js";
import { jobStatusOf } from "./job-status.js";

/** Number of jobs read before other work gets its turn, or opcodes for jobs with many. */
const jobsPerTurn = 256;
const opcodesPerTurn = 2048;

/**
 * Calls `visit` for each existing job, archived or not, in no particular order. Shows only durable states.
 * Does not block the event loop, however many opcodes there are: other work gets its turn in between.
 */
async function visitJobs(
  engine: Engine,
  clock: Clock,
  ids: readonly JobId[],
  visit: (row: Required<JobRow>) => void,
): Promise<void> {
  let opcodes = 0;
  for (const row of await readJobs(engine, ids)) {
    if (row.job === undefined) continue;
    visit(row as Required<JobRow>);
    opcodes += row.job.opcodes.length;
    if (opcodes < opcodesPerTurn) continue;
    opcodes = 0;
    await turn(clock);
  }
}

/** A row of values per job, in the order of `ids`, a few at a time; undefined for an unknown job. */
export async function* jobRows<const Fields extends readonly string[]>(
  engine: Engine,
  clock: Clock,
  ids: readonly JobId[],
  fields: Fields,
): AsyncGenerator<readonly (JobValues<Fields> | undefined)[], void> {
  for (let at = 0; at < ids.length; at += jobsPerTurn) {
    if (at > 0) await turn(clock);
    const some = ids.slice(at, at + jobsPerTurn);
    const rows = new Map<JobId, JobValues<Fields>>();
    await visitJobs(engine, clock, some, ({ id, job, archived }) => {
      rows.set(id, fieldValues(job, archived, fields) as unknown as JobValues<Fields>);
    });
    yield some.map((id) => rows.get(id));
  }
}

/** Lets everything else that is ready run first. */
export const turn = (clock: Clock) => new Promise<void>((resolve) => clock.after(0, resolve));

/** The rows of existing jobs. Unfinished and just ended jobs are free unless others may have changed them. */
export async function readJobs(engine: Engine, ids: readonly JobId[]): Promise<readonly JobRow[]> {
  const rows: JobRow[] = [];
  // A just ended job is durable in any case.
  const rest = foundIn(ids, (id) => engine.endedJobs.get(id), rows);
  if (rest.length === 0) return rows;
  await engine.durable();
  const others = foundIn(rest, (id) => rowInMemory(engine, id), rows);
  return others.length === 0 ? rows : [...rows, ...(await engine.store.read(others))];
}

/** Adds the rows that are found; returns the other ids. */
function foundIn(
  ids: readonly JobId[],
  find: (id: JobId) => JobRow | undefined,
  rows: JobRow[],
): readonly JobId[] {
  return ids.filter((id) => {
    const row = find(id);
    if (row !== undefined) rows.push(row);
    return row === undefined;
  });
}

function rowInMemory({ image, endedJobs, store }: Engine, id: JobId): JobRow | undefined {
  const entry = image.get(id);
  if (entry === undefined) return endedJobs.get(id);
  if (!entry.fresh) return undefined;
  const { job, claim } = entry;
  if (store.shared && claim?.worker !== store.claim.worker) return undefined;
  return { id, status: jobStatusOf(job.opcodes), archived: false, claim, job };
}
