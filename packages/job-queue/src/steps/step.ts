/** Step as seen by commands: the known state, and their changes to it. */
import {
  type FilterRule,
  invariant,
  isFinalized,
  type Job,
  type JobId,
  type Json,
  type QueuedOpcode,
} from "@ganeti-ts/protocol";
import { currentOpcode, isJobFinalized, jobPriorityOf, jobStatusOf } from "../jobs/job-status.js";
import { appendLog } from "../running/transitions.js";
import type { Change, Claim, JobChange, JobRow, News, Settings, Taken } from "../stores/store.js";
import { type Entry, entryOf, TakenEntry } from "./entry.js";
import type { Image } from "./image.js";

export class Step {
  /** The store's time, whole microseconds. */
  readonly now: number;
  readonly image: Image;
  /** Jobs changed by this step or by others, for watchers. */
  readonly changed: Set<JobId> = new Set();
  /** Jobs whose worker was found dead in this step. */
  readonly buried: Set<JobId> = new Set();
  /** Set when something that can start jobs, or keep them from starting, has changed. */
  unsettled = false;
  readonly #wanted: ReadonlyMap<JobId, JobRow>;
  readonly #changes: Noted[] = [];
  /** Jobs claimed at the end of this step. */
  readonly #taken = new Map<JobId, JobChange>();
  /** Jobs changed by this step, as in the store. */
  readonly #stored = new Map<JobId, Stored>();
  /** Rows changed by this step. */
  readonly #written = new Map<JobId, JobRow>();

  constructor(image: Image, news: News) {
    this.image = image;
    this.now = news.nowMicros;
    this.#wanted = news.wanted;
  }

  /**
   * A wanted job, also an ended or archived one, in its present state, including the changes of this step.
   */
  row(id: JobId): JobRow | undefined {
    const written = this.#written.get(id);
    if (written !== undefined) return written;
    const entry = this.image.get(id);
    const row = this.#wanted.get(id);
    if (entry === undefined || !entry.fresh) return row;
    const status = jobStatusOf(entry.job.opcodes);
    return { id, status, archived: false, claim: entry.claim, job: entry.job };
  }

  /** Stores a job. If it has ended, its claim ends too. */
  put(job: Job, claim: Claim | null, log: JobChange["log"] = []): void {
    const known = this.row(job.id)?.status;
    invariant(
      known === undefined || !isFinalized(known),
      () => `job ${job.id}: has ended with ${known}, and would change`,
    );
    const before = this.image.get(job.id);
    const holder = before?.claim ?? claim;
    invariant(
      claim?.worker === holder?.worker || claim === null,
      () => `job ${job.id}: of worker ${holder?.worker}, and would be that of ${claim?.worker}`,
    );
    if (!this.#stored.has(job.id)) this.#noteStored(before?.fresh ? before : undefined, job.id);
    const final = isJobFinalized(job);
    this.image.set(job.id, final ? undefined : entryOf(job, claim, before));
    this.changed.add(job.id);
    if (final || claim === null || before?.claim === null) this.unsettled = true;
    this.#change({
      kind: "job",
      job,
      status: jobStatusOf(job.opcodes),
      priority: jobPriorityOf(job.opcodes),
      claim: final ? null : claim,
      isNew: false,
      log,
    });
  }

  /** Claims a queued job that nothing else in this step changes, neither before nor afterwards. */
  take(before: Entry, taken: Taken): void {
    const { id, claim, status } = taken;
    invariant(before.claim === null, () => `job ${id}: is claimed already, and would be started`);
    const entry = new TakenEntry(before, taken);
    this.image.set(id, entry);
    this.changed.add(id);
    this.#taken.set(id, {
      kind: "job",
      get job() {
        return entry.job;
      },
      ...{ status, claim, taken, priority: before.priority, isNew: false, log: [] },
      get opcodes() {
        return [currentOpcode(entry.job)];
      },
    });
  }

  /** Whether this step has changed the job. */
  hasChanged(id: JobId): boolean {
    return this.#written.has(id);
  }

  #noteStored(known: Entry | undefined, id: JobId): void {
    const { job, claim } = known ?? this.#wanted.get(id) ?? {};
    if (job !== undefined) this.#stored.set(id, { job, claim: claim ?? null });
  }

  /** Stores new jobs; their ids must be `image.serial + 1` and up, gaps allowed. */
  add(jobs: readonly Job[], serial: number): void {
    const last = this.image.serial;
    invariant(
      jobs.every(({ id }) => id > last && id <= serial),
      () => `new jobs ${jobs.map(({ id }) => id).join()}: not after ${last}, up to ${serial}`,
    );
    this.image.assign({ serial, liveCount: this.image.liveCount + jobs.length });
    this.#change({ kind: "serial", serial });
    for (const job of jobs) {
      this.image.set(job.id, entryOf(job, null, undefined));
      this.changed.add(job.id);
      const priority = jobPriorityOf(job.opcodes);
      this.#change({
        kind: "job",
        job,
        status: "queued",
        priority,
        claim: null,
        isNew: true,
        log: [],
      });
    }
    this.unsettled = true;
  }

  log(entry: Entry, index: number, entries: readonly (readonly [string, Json])[]): void {
    const { job, added } = appendLog(entry.job, index, entries, this.now);
    this.put(
      job,
      entry.claim,
      added.map((one) => ({ index, entry: one })),
    );
  }

  archive(ids: readonly JobId[]): void {
    const open = ids.find((id) => !isFinalized(this.row(id)?.status ?? "success"));
    invariant(open === undefined, () => `job ${open}: has not ended, and would be archived`);
    this.image.assign({ liveCount: this.image.liveCount - ids.length });
    this.#change({ kind: "archive", ids });
    for (const id of ids) this.changed.add(id);
  }

  set(settings: Settings): void {
    this.image.assign({ settings });
    this.unsettled = true;
    this.#change({ kind: "settings", settings });
  }

  setRule(rule: FilterRule): void {
    const others = this.image.rules.filter(({ uuid }) => uuid !== rule.uuid);
    this.image.assign({ rules: [...others, rule] });
    this.unsettled = true;
    this.#change({ kind: "rule", rule });
  }

  removeRule(uuid: string): void {
    this.image.assign({ rules: this.image.rules.filter((rule) => rule.uuid !== uuid) });
    this.unsettled = true;
    this.#change({ kind: "rule gone", uuid });
  }

  fence(dead: Claim): void {
    this.#change({ kind: "fence", dead });
  }

  bury(dead: Claim): void {
    this.#change({ kind: "bury", dead });
  }

  mark(): readonly [number, number] {
    return [this.image.mark(), this.#changes.length];
  }

  /** Undoes the changes of a command that refused. */
  rollback([image, changes]: readonly [number, number]): void {
    this.image.rollback(image);
    const kept = this.#changes.slice(0, changes);
    this.#changes.length = 0;
    this.#written.clear();
    for (const change of kept) this.#change(change);
  }

  #change(change: Noted): void {
    this.#changes.push(change);
    if (change.kind === "job") {
      const { job, status, claim } = change;
      this.#written.set(job.id, { id: job.id, status, archived: false, claim, job });
    } else if (change.kind === "archive") {
      for (const id of change.ids) {
        const row = this.row(id);
        if (row !== undefined) this.#written.set(id, { ...row, archived: true });
      }
    }
  }

  /** The changes for the store: the last state of each job, with all log entries. */
  changes(): readonly Change[] {
    const lastOf = new Map<JobId, NotedJob>();
    const others: Exclude<Change, JobChange>[] = [];
    for (const change of this.#changes) {
      if (change.kind !== "job") {
        others.push(change);
        continue;
      }
      const { id } = change.job;
      const before = lastOf.get(id);
      const log = before === undefined ? change.log : [...before.log, ...change.log];
      lastOf.set(id, { ...change, isNew: change.isNew || before?.isNew === true, log });
    }
    // Archived jobs cannot change, so archiving comes last.
    const isLast = ({ kind }: Change) => kind === "archive";
    const jobs = [...lastOf.values()].map((one): JobChange => {
      const stored = one.isNew ? undefined : this.#stored.get(one.job.id);
      const opcodes = changedOpcodes(one.job, stored?.job);
      return { opcodes, isOnlyLog: opcodes.length === 0 && hasSameHead(one, stored), ...one };
    });
    return [
      ...others.filter((one) => !isLast(one)),
      ...jobs,
      ...this.#taken.values(),
      ...others.filter(isLast),
    ];
  }
}

type NotedJob = Omit<JobChange, "opcodes" | "isOnlyLog">;
type Noted = NotedJob | Exclude<Change, JobChange>;

interface Stored {
  readonly job: Job;
  readonly claim: Claim | null;
}

/** Whether the row of the job, without its opcodes, is as stored. */
const hasSameHead = ({ job, claim }: NotedJob, stored: Stored | undefined): boolean =>
  stored !== undefined &&
  stored.job.received === job.received &&
  stored.job.started === job.started &&
  stored.job.ended === job.ended &&
  stored.job.livelock === job.livelock &&
  stored.job.processId === job.processId &&
  stored.claim?.worker === claim?.worker &&
  stored.claim?.fence === claim?.fence &&
  stored.claim?.cancel === claim?.cancel;

/** Transitions share the opcodes they do not change: O(opcodes), mostly comparisons of pointers. */
function changedOpcodes(job: Job, stored: Job | undefined): readonly number[] {
  const changed: number[] = [];
  for (const [index, opcode] of job.opcodes.entries()) {
    const before = stored?.opcodes[index];
    if (before === undefined || !areSameButForLogs(opcode, before)) changed.push(index);
  }
  return changed;
}

const areSameButForLogs = (one: QueuedOpcode, other: QueuedOpcode): boolean =>
  one === other ||
  (one.input === other.input &&
    one.status === other.status &&
    one.result === other.result &&
    one.priority === other.priority &&
    one.started === other.started &&
    one.executed === other.executed &&
    one.ended === other.ended);
