/** Port to a job store, in memory or in a database. */
import type { FilterRule, Job, JobId, JobStatus, LogEntry } from "@ganeti-ts/protocol";

/** The worker that holds a job. */
export interface Claim {
  readonly worker: number;
  /** Raised when the worker is declared dead: its later writes are refused. */
  readonly fence: number;
  /** A cancel was requested while the job was running; it takes effect if the job waits again. */
  readonly cancel?: boolean;
}

/** A worker's name in texts, in `livelock` and as the lease of its locks. */
export const leaseText = ({ worker, fence }: Claim): string => `${worker}:${fence}`;

/** A dead worker that this worker has to take care of. */
export interface DeadWorker extends Claim {
  /** Whether this worker has already raised its fence; its jobs and locks are still its own. */
  readonly fenced: boolean;
}

/** Settings of the queue, the same for all workers. */
export interface Settings {
  /** No new jobs are accepted. */
  readonly drained: boolean;
  /** Maximum number of jobs claimed at the same time by all workers. */
  readonly runningMax: number;
  /** Maximum number of jobs that are not archived; null: no limit. */
  readonly sizeMax: number | null;
}

/** Settings of a new queue. */
export const defaultSettings: Settings = { drained: false, runningMax: 20, sizeMax: null };

/**
 * An unclaimed job whose opcodes are not needed yet: a queue that another worker empties is not decoded. Its worker
 * decodes it, and filter rules and questions about the queue do.
 */
export interface UndecodedJob {
  /** The best priority of its opcodes that have not ended. */
  readonly priority: number;
  /** Whether its opcodes certainly have no dependencies, and no rate limits in their reasons. */
  readonly isPlain: boolean;
  /** The job with its log. */
  decoded(): Job;
}

/** A job in the store. */
export interface JobRow {
  readonly id: JobId;
  readonly status: JobStatus;
  readonly archived: boolean;
  readonly claim: Claim | null;
  /**
   * The job with its log. In news it may be absent: either the job is `undecoded`, or only status and claim are
   * valid, because another worker holds the job, and the inputs of its opcodes are already known.
   */
  readonly job?: Job;
  /** Only in news, instead of `job`: an unclaimed job. */
  readonly undecoded?: UndecodedJob;
}

/** News for a worker at the start of a step. */
export interface News {
  /** The store's time, whole microseconds since the epoch. */
  readonly nowMicros: number;
  /** The last job id assigned. */
  readonly serial: number;
  /** Unfinished jobs, and jobs that ended: all changes by others since the worker's last step. */
  readonly jobs: readonly JobRow[];
  /**
   * Ended jobs that are not archived. Present in the first news, and again if changes may have been missed:
   * these and `jobs` are then all jobs that are not archived.
   */
  readonly finished?: readonly Pick<JobRow, "id" | "status">[];
  /** The requested jobs in their present state, with documents; unknown ones are missing. */
  readonly wanted: ReadonlyMap<JobId, JobRow>;
  /** Present in the first news, and when others changed them. */
  readonly settings?: Settings;
  readonly rules?: readonly FilterRule[];
  /**
   * Workers that have not been buried: their lease has expired and they have not been fenced, or they were
   * fenced by this worker or by one that has been buried since.
   */
  readonly dead: readonly DeadWorker[];
  /**
   * Fenced workers: in the first news all that may still be running somewhere, later those fenced since the
   * worker's last step.
   */
  readonly fenced: readonly Claim[];
  /** Number of jobs that are not archived, including finalized ones. */
  readonly liveCount: number;
}

/** Claim of a queued job, from which its new state follows: see `takenJob`. */
export interface Taken {
  readonly id: JobId;
  readonly claim: Claim;
  /** `waiting`, or `running` if its next opcode has nothing to wait for. */
  readonly status: JobStatus;
  /** Integer microseconds. */
  readonly at: number;
  readonly processId?: number | undefined;
  readonly opcodeCount: number;
}

/** A change made by a step; a later change of the same job replaces an earlier one. */
export type Change =
  | {
      readonly kind: "job";
      readonly job: Job;
      readonly status: JobStatus;
      readonly priority: number;
      readonly claim: Claim | null;
      /** Whether this is its first change. */
      readonly isNew: boolean;
      /**
       * Indexes of the opcodes that differ from the store in more than their logs, ascending: all for a new
       * job. A store writes only these and the job's other data, so that a step on a job of many opcodes
       * costs no more than on one of few.
       */
      readonly opcodes: readonly number[];
      /** Whether the row differs from the store in new log entries only: a store may write just these. */
      readonly isOnlyLog?: boolean;
      /**
       * Present if this worker claims the job and nothing else changes: a store may write just that. `job` is composed
       * when it is read, which costs more than all the rest.
       */
      readonly taken?: Taken;
      /** Log entries that are not in the store yet. */
      readonly log: readonly { readonly index: number; readonly entry: LogEntry }[];
    }
  | { readonly kind: "archive"; readonly ids: readonly JobId[] }
  | { readonly kind: "serial"; readonly serial: number }
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "rule"; readonly rule: FilterRule }
  | { readonly kind: "rule gone"; readonly uuid: string }
  /**
   * Raises the fence of a dead worker, whose writes are refused from then on. It keeps its jobs and locks
   * until this worker buries it.
   */
  | { readonly kind: "fence"; readonly dead: Claim }
  /** Releases the locks of a worker that is fenced now or was fenced before. */
  | { readonly kind: "bury"; readonly dead: Claim };

/** A job to be stored in a step. */
export type JobChange = Extract<Change, { kind: "job" }>;

/** Id of the changed job, without composing the job. */
export const changedId = (change: JobChange): JobId => change.taken?.id ?? change.job.id;

/** This worker has been declared dead, or cannot exclude it: it must stop immediately. */
export class LeaseLostError extends Error {
  override readonly name: string = "LeaseLostError";
}

/**
 * | reason | meaning |
 * |---|---|
 * | `history` | the store lacks commits that it had acknowledged |
 * | `version` | a newer version of the program has changed the store |
 */
export type HaltReason = "history" | "version";

/** This worker must stop, and a new process cannot go on either before an administrator has acted. */
export class HaltError extends LeaseLostError {
  override readonly name = "HaltError";
  readonly reason: HaltReason;

  constructor(reason: HaltReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** Refusal of what a newer version of the program has written; `content` is what both versions are of. */
  static newerVersion(content: string, found: number, known: number): HaltError {
    const of = `${content} version ${found} is from a newer version of ganeti-ts`;
    return new HaltError("version", `${of}; this one knows version ${known}`);
  }
}

/** Selection of jobs to list. */
export interface Selection {
  readonly archived: boolean;
  /** Only jobs that ended before this time (integer microseconds); Infinity selects all ended jobs. */
  readonly endedBefore?: number;
}

/** One worker's view of a store. */
export interface JobStore {
  readonly claim: Claim;
  /** Whether other processes may use the same jobs: then news can arrive without a step of our own. */
  readonly shared: boolean;
  /** Minimum remaining time (ms) of this worker's lease; Infinity if no other worker could take over. */
  leaseLeftMs(): number;
  /** Full duration of a lease (ms). */
  readonly leaseMs: number;

  /**
   * One step; steps never overlap. `wanted` is called as late as possible, then `decide` is called with the
   * news and returns the changes; all changes are durable when the promise resolves, or none were made when
   * it rejects. Both functions may be called repeatedly; the last call counts. @throws LeaseLostError
   */
  step(wanted: () => Iterable<JobId>, decide: (news: News) => readonly Change[]): Promise<void>;

  /** The rows of existing jobs, archived or not, with their documents; in no particular order. */
  read(ids: readonly JobId[]): Promise<readonly JobRow[]>;
  /** Ids, ascending. */
  list(selection: Selection): Promise<readonly JobId[]>;

  /** `listener` is called when others have changed something, possibly late, twice or never. */
  onNews(listener: () => void): void;
  /** Releases the lease. `busy`: effects of operations may still come, so others have to fence this worker. */
  close(busy?: boolean): Promise<void>;
}
