/** QueueCopies: writes the files of changed jobs on the master, then passes them on for the candidates. */
import { archivedJobFileName, type JobStore, jobFile, jobFileName } from "@ganeti-ts/job-queue";
import { invariant, isFinalized, type Job, type JobId, type Timers } from "@ganeti-ts/protocol";
import type { GanetiFiles } from "./distribution-ports.js";

/** Changes within this time (ms) are written together. */
const gatherMs = 100;
/** Pause (ms) after a failed write of files. */
const againMs = 1_000;
/** Number of jobs read from the store at a time. */
const jobsAtOnce = 50;
/** Maximum number of texts cached for candidates that lag behind. */
const textsMax = 200;

export interface QueueCopiesPorts {
  readonly store: Pick<JobStore, "read">;
  readonly files: GanetiFiles;
  readonly clock: Timers;
  /** Called when files have been written on the master. */
  readonly written: (jobs: readonly JobId[], archived: readonly JobId[]) => void;
  readonly failed: (error: unknown) => void;
}

/** Files of jobs on the master. New log lines alone do not change a file, as in Ganeti. Cost: O(changed jobs). */
export class QueueCopies {
  readonly #ports: QueueCopiesPorts;
  readonly #dirty = new Set<JobId>();
  /** Form of each job that has not ended, as it was last written. */
  readonly #forms = new Map<JobId, string>();
  readonly #texts = new Map<JobId, string>();
  #serial = 0;
  #serialWritten = 0;
  #running: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  /** `serial`: the last job number that was given out. */
  constructor(ports: QueueCopiesPorts, serial: number) {
    this.#ports = ports;
    this.#serial = serial;
  }

  /** Last job number, the content of the file `serial`. */
  get serial(): number {
    return this.#serialWritten;
  }

  change(ids: Iterable<JobId>): void {
    for (const id of ids) {
      this.#dirty.add(id);
      this.#texts.delete(id);
    }
    if (this.#running === undefined) this.#writeIn(gatherMs);
  }

  /** Resolves when all files of changed jobs have been written, or could not be. */
  async settled(): Promise<void> {
    await this.#running;
    this.#endTimer();
    await this.#write();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endTimer();
    await this.#running;
  }

  /** Text of a job's file; undefined if it is archived or unknown. */
  async text(id: JobId): Promise<string | undefined> {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const [row] = await this.#ports.store.read([id]);
    return row?.job === undefined || row.archived ? undefined : jobFile(row.job);
  }

  #writeIn(ms: number): void {
    if (this.#isStopped) return;
    this.#stopTimer ??= this.#ports.clock.after(ms, () => {
      this.#stopTimer = undefined;
      void this.#write();
    });
  }

  #endTimer(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #write(): Promise<void> {
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined;
      if (this.#dirty.size > 0) this.#writeIn(againMs);
    });
    return this.#running;
  }

  async #writeAll(): Promise<void> {
    try {
      await this.#writeSerial();
      while (this.#dirty.size > 0 && !this.#isStopped) await this.#writeSome();
    } catch (error) {
      this.#ports.failed(error);
    }
  }

  async #writeSome(): Promise<void> {
    const { store, files, written } = this.#ports;
    const ids = [...this.#dirty].sort((a, b) => a - b).slice(0, jobsAtOnce);
    for (const id of ids) this.#dirty.delete(id);
    try {
      const rows = await store.read(ids);
      const archived = rows.filter((row) => row.archived).map(({ id }) => id);
      const changed = rows.flatMap(({ archived: isArchived, job }) =>
        job === undefined || isArchived || this.#forms.get(job.id) === formOf(job) ? [] : [job],
      );
      this.#serial = Math.max(this.#serial, ...rows.map(({ id }) => id));
      await this.#writeSerial();
      for (const job of changed) await this.#writeJob(job);
      for (const id of archived) this.#forms.delete(id);
      await files.moveQueueFiles(
        archived.map((id) => [jobFileName(id), archivedJobFileName(id)] as const),
      );
      written(
        changed.map(({ id }) => id),
        archived,
      );
    } catch (error) {
      for (const id of ids) this.#dirty.add(id);
      throw error;
    }
  }

  async #writeSerial(): Promise<void> {
    if (this.#serial === this.#serialWritten) return;
    const serial = this.#serial;
    invariant(
      serial > this.#serialWritten,
      () => `serial: ${serial} where the last number is ${this.#serialWritten}`,
    );
    await this.#ports.files.writeQueueFile("serial", `${serial}\n`);
    this.#serialWritten = serial;
  }

  async #writeJob(job: Job): Promise<void> {
    const text = jobFile(job);
    invariant(
      job.id <= this.#serialWritten,
      () => `job ${job.id}: written where the last number is ${this.#serialWritten}`,
    );
    await this.#ports.files.writeQueueFile(jobFileName(job.id), text);
    if (job.opcodes.every(({ status }) => isFinalized(status))) this.#forms.delete(job.id);
    else this.#forms.set(job.id, formOf(job));
    this.#texts.set(job.id, text);
    for (const [oldest] of this.#texts) {
      if (this.#texts.size <= textsMax) break;
      this.#texts.delete(oldest);
    }
  }
}

/** The parts of a job that determine whether its file must be written again. */
const formOf = ({ opcodes }: Job): string =>
  opcodes.map(({ status, priority }) => `${status}${priority}`).join();
