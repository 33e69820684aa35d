/** Jobs as they are kept, for those who ask: from memory where that is as good as the store. */
import type { Clock, JobId } from "@ganeti-ts/protocol";
import type { Engine } from "./engine.js";
import { jobStatusOf } from "./job-status.js";
import type { JobRow } from "./store.js";

/** Jobs looked at before others get their turn, and opcodes where these have many. */
export const jobsPerTurn = 256;
const opcodesPerTurn = 2048;

/**
 * Calls `visit` for each job that exists, archived or not, in no particular order. Only what is durable is
 * shown. However many opcodes they have, the event loop is not held up: everything else has its turn in between.
 */
export async function visitJobs(
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

/** Everything else that is ready to run has its turn. */
export const turn = (clock: Clock) => new Promise<void>((resolve) => clock.after(0, resolve));

/** Those of the jobs that exist. Unfinished ones cost nothing but where others may have changed them by now. */
export async function readJobs(engine: Engine, ids: readonly JobId[]): Promise<readonly JobRow[]> {
  await engine.durable();
  const rows: JobRow[] = [];
  const others: JobId[] = [];
  for (const id of ids) {
    const row = rowInMemory(engine, id);
    if (row === undefined) others.push(id);
    else rows.push(row);
  }
  return others.length === 0 ? rows : [...rows, ...(await engine.store.read(others))];
}

function rowInMemory({ image, store }: Engine, id: JobId): JobRow | undefined {
  const entry = image.get(id);
  if (!entry?.fresh) return undefined;
  const { job, claim } = entry;
  if (store.shared && claim?.worker !== store.claim.worker) return undefined;
  return { id, status: jobStatusOf(job.opcodes), archived: false, claim, job };
}
