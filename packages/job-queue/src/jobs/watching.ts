/** Waiting for changes of a job. */
import type { CancelSignal, Clock } from "@ganeti-ts/protocol";
import {
  isFinalized,
  type Job,
  type JobId,
  type Json,
  type LogEntry,
  sameJson,
} from "@ganeti-ts/protocol";
import { QueueError } from "../queue-error.js";
import type { Engine } from "../steps/engine.js";
import { checkFields, fieldValues } from "./fields.js";
import { jobStatusOf } from "./job-status.js";
import { readJobs } from "./reading.js";

/** Watchers by job; they are notified after a change is durable. */
export class Watchers {
  readonly #byJob = new Map<JobId, Set<() => void>>();

  tell(changed: Iterable<JobId>): void {
    if (this.#byJob.size === 0) return;
    for (const id of changed) {
      const watchers = this.#byJob.get(id);
      if (watchers !== undefined) for (const wake of [...watchers]) wake();
    }
  }

  tellAll(): void {
    this.tell([...this.#byJob.keys()]);
  }

  /** Returns a function that stops the notifications. */
  add(id: JobId, wake: () => void): () => void {
    const set = this.#byJob.get(id) ?? new Set();
    this.#byJob.set(id, set.add(wake));
    return () => {
      set.delete(wake);
      if (set.size === 0 && this.#byJob.get(id) === set) this.#byJob.delete(id);
    };
  }

  get size(): number {
    return this.#byJob.size;
  }
}

/** Options of `JobQueue.waitForChange`. */
export interface ChangeRequest {
  readonly fields: readonly string[];
  /** The values last seen by the caller, or null: then the first answer comes immediately. */
  readonly previousValues: readonly Json[] | null;
  readonly previousSerial: number | null;
  /** Limited to 89 s. */
  readonly timeoutMs: number;
  /** Aborted when the caller has disconnected. */
  readonly signal?: CancelSignal | undefined;
  /** The part of the values visible to the caller, which is also compared; all if absent. */
  readonly shown?: ((values: readonly Json[]) => readonly Json[]) | undefined;
}

/** Changed values and newer log entries, or `nochange` after the timeout. */
export type JobChangeAnswer =
  | { readonly values: readonly Json[]; readonly log: readonly LogEntry[] }
  | "nochange";

const timeoutMaxMs = 89_000;

/**
 * Answers when the values differ from those the caller saw last, when there is a newer log entry, immediately
 * when the job has ended, and with "nochange" when the time is over. @throws QueueError `unknown_job` if the
 * job does not exist outside the archive
 */
export async function waitForChange(
  engine: Engine,
  watchers: Watchers,
  clock: Clock,
  id: JobId,
  request: ChangeRequest,
): Promise<JobChangeAnswer> {
  checkFields(request.fields);
  const { fields, previousValues, previousSerial, signal, shown = (all) => all } = request;
  const look = async (): Promise<JobChangeAnswer | undefined> => {
    const job = await presentJob(engine, id);
    const values = shown(fieldValues(job, false, fields));
    const log = newerLog(job, previousSerial ?? 0);
    const differs = previousValues === null || !sameJson(values, previousValues);
    const over = isFinalized(jobStatusOf(job.opcodes));
    return over || differs || log.length > 0 ? { values, log } : undefined;
  };
  const timeoutMs = Math.min(request.timeoutMs, timeoutMaxMs);
  return until(watchers, id, { clock, timeoutMs, signal }, look);
}

/** The job once it has ended, archived or not. @throws QueueError `unknown_job`, `stopped` */
export async function waitForEnd(
  engine: Engine,
  watchers: Watchers,
  patience: Pick<Patience, "clock" | "signal">,
  id: JobId,
): Promise<Job> {
  const look = async (): Promise<Job | undefined> => {
    const [row] = await readJobs(engine, [id]);
    if (row?.job === undefined) throw new QueueError("unknown_job", `Job with id ${id} lost`);
    if (isFinalized(jobStatusOf(row.job.opcodes))) return row.job;
    if (engine.ended) throw new QueueError("stopped", "the queue has been stopped");
    return undefined;
  };
  for (;;) {
    const ended = await until(watchers, id, { ...patience, timeoutMs: timeoutMaxMs }, look);
    if (ended !== "nochange") return ended;
  }
}

interface Patience {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: CancelSignal | undefined;
}

/** Calls `look` now and after each change, until it returns a value or the time is over. */
export async function until<Answer>(
  watchers: Watchers,
  id: JobId,
  { clock, timeoutMs, signal }: Patience,
  look: () => Promise<Answer | undefined>,
): Promise<Answer | "nochange"> {
  let changed = false;
  let timeIsOver = false;
  let wake = () => {};
  const stir = () => wake();
  const unwatch = watchers.add(id, () => {
    changed = true;
    stir();
  });
  const stopTimer = clock.after(timeoutMs, () => {
    timeIsOver = true;
    stir();
  });
  signal?.addEventListener("abort", stir);
  try {
    for (;;) {
      changed = false;
      const answer = await look();
      if (answer !== undefined) return answer;
      if (signal?.aborted) throw signal.reason;
      if (timeIsOver) return "nochange";
      if (changed) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unwatch();
    stopTimer();
    signal?.removeEventListener("abort", stir);
  }
}

/** Only durable states are shown; if others may have changed the job, it is read from the store. */
async function presentJob(engine: Engine, id: JobId): Promise<Job> {
  const [row] = await readJobs(engine, [id]);
  if (row?.job === undefined || row.archived) {
    throw new QueueError("unknown_job", `Job with id ${id} lost`);
  }
  return row.job;
}

/** Entries with a serial above `serial`, in the order of their serials. */
const newerLog = (job: Job, serial: number): readonly LogEntry[] =>
  job.opcodes.flatMap(({ log }) => log.filter(([one]) => one > serial));
