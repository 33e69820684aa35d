/** Where jobs live: the port that a store implements, in memory or in a database. */
import type { FilterRule, Job, JobId, JobStatus, LogEntry } from "@ganeti-ts/protocol";

/** Who has a job. */
export interface Claim {
  readonly worker: number;
  /** Raised when the worker is declared dead: what it writes afterwards counts no more. */
  readonly fence: number;
  /** Somebody asked for a cancel while the job was running; heeded if it ever waits again. */
  readonly cancel?: boolean;
}

/** A worker as texts name it, in `livelock` and as the lease of its locks. */
export const leaseText = ({ worker, fence }: Claim): string => `${worker}:${fence}`;

/** A worker that is dead, and that this one has to take care of. */
export interface DeadWorker extends Claim {
  /** This worker has raised its fence already; its jobs and locks are still its own. */
  readonly fenced: boolean;
}

export interface Settings {
  /** No new jobs are accepted. */
  readonly drained: boolean;
  /** Jobs claimed at the same time, by all workers together. */
  readonly runningMax: number;
  /** Jobs that are not archived, at most; null is no limit. */
  readonly sizeMax: number | null;
}

export const defaultSettings: Settings = { drained: false, runningMax: 20, sizeMax: null };

/** A job in the store. */
export interface JobRow {
  readonly id: JobId;
  readonly status: JobStatus;
  readonly archived: boolean;
  readonly claim: Claim | null;
  /**
   * The job with its log. In news it may be absent: then status and claim are all that counts, for
   * somebody else has the job, and its opcodes' inputs are known from before.
   */
  readonly job?: Job;
}

/** What a worker has to know at the start of a step. */
export interface News {
  /** The store's time, whole microseconds since the epoch. */
  readonly nowMicros: number;
  /** The last job id given. */
  readonly serial: number;
  /** Jobs that have not ended, or did since: all that others changed since the worker's last step. */
  readonly jobs: readonly JobRow[];
  /**
   * Jobs that have ended and are not archived. Present at first, and again where changes may have been missed:
   * then these and `jobs` are all that are not archived.
   */
  readonly finished?: readonly Pick<JobRow, "id" | "status">[];
  /** The jobs that were asked for, as they are, with their documents; unknown ones are missing. */
  readonly wanted: ReadonlyMap<JobId, JobRow>;
  /** Present at first and when others changed them. */
  readonly settings?: Settings;
  readonly rules?: readonly FilterRule[];
  /**
   * Workers that have not been buried: their lease is over and nobody has fenced them, or this worker has,
   * or somebody who has been buried since.
   */
  readonly dead: readonly DeadWorker[];
  /**
   * Workers that have been fenced: at first all that may still be standing still somewhere, then those
   * fenced since the worker's last step.
   */
  readonly fenced: readonly Claim[];
  /** Jobs that are not archived, finalized ones included. */
  readonly liveCount: number;
}

/** What a step changes; a later change of the same job replaces an earlier one. */
export type Change =
  | {
      readonly kind: "job";
      readonly job: Job;
      readonly status: JobStatus;
      readonly priority: number;
      readonly claim: Claim | null;
      /** Its first change ever. */
      readonly isNew: boolean;
      /**
       * Indexes of the opcodes that differ from what the store has by more than their logs, ascending: all of
       * a new job. A store writes these, and what the job has besides opcodes, so that a step on a job of
       * many opcodes costs no more than on one of few.
       */
      readonly opcodes: readonly number[];
      /** Log entries that the store does not have yet. */
      readonly log: readonly { readonly index: number; readonly entry: LogEntry }[];
    }
  | { readonly kind: "archive"; readonly ids: readonly JobId[] }
  | { readonly kind: "serial"; readonly serial: number }
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "rule"; readonly rule: FilterRule }
  | { readonly kind: "rule gone"; readonly uuid: string }
  /** Raises the fence of a dead worker: it writes nothing any more. What it holds is held until this worker buries it. */
  | { readonly kind: "fence"; readonly dead: Claim }
  /** Frees the locks of a worker that has been fenced, now or before. */
  | { readonly kind: "bury"; readonly dead: Claim };

export type JobChange = Extract<Change, { kind: "job" }>;

/** This worker has been declared dead, or cannot know that it has not: it must stop at once. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** Which jobs a listing gives. */
export interface Selection {
  readonly archived: boolean;
  /** Only those that ended before this moment (whole microseconds), or whenever with Infinity. */
  readonly endedBefore?: number;
}

/** One worker's view of a store. */
export interface JobStore {
  readonly claim: Claim;
  /** Other processes may use the same jobs: then news also come without a step of our own. */
  readonly shared: boolean;
  /** How long, in ms, this worker's lease lasts at least; Infinity where nobody could take over. */
  leaseLeftMs(): number;
  /** The whole length of a lease in ms. */
  readonly leaseMs: number;

  /**
   * One step: nobody else is in one. `wanted` is asked as late as possible, then `decide` is given
   * what is new and says what to write; all of it is durable when the promise resolves, or none
   * happened when it rejects. Either function may be called again before that; the last call counts.
   * @throws LeaseLostError
   */
  step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]): Promise<void>;

  /** Those of the jobs that exist, archived or not, with their documents; in no particular order. */
  read(ids: readonly JobId[]): Promise<readonly JobRow[]>;
  /** Ids, ascending. */
  list(selection: Selection): Promise<readonly JobId[]>;

  /** `listener` is told, late or twice or never, that others changed something. */
  onNews(listener: () => void): void;
  /** Gives up the lease. `busy`: operations may be under way still, so that others have to fence it. */
  close(busy?: boolean): Promise<void>;
}
