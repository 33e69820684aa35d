/** Job queue of a cluster for its listeners, with the secrets of opcodes hidden. */
import type {
  ChangeRequest,
  Hindrance,
  JobChangeAnswer,
  JobQueue,
  LiveJobs,
  Outcome,
  RuleEffects,
  RulePreview,
  RuleQuestion,
  Settings,
  Submitted,
} from "@ganeti-ts/job-queue";
import {
  type CancelSignal,
  type FilterRule,
  type FilterUuid,
  isFinalized,
  type JobId,
  type JobStatus,
  type Json,
  type JsonObject,
} from "@ganeti-ts/protocol";
import { hasSecrets, valuesWithoutSecrets } from "./secrets.js";

/**
 * `JobQueue` without the methods that end it. Jobs are shown without secrets; otherwise methods and
 * errors are as documented there.
 */
export interface ClusterQueue {
  /** @throws QueueError */
  submit(opcodes: readonly JsonObject[]): Promise<JobId>;
  /** @throws QueueError */
  submitMany(jobs: readonly (readonly JsonObject[])[]): Promise<readonly Submitted[]>;
  /** Submits a job even if the queue is drained. @throws QueueError */
  submitToDrained(opcodes: readonly JsonObject[]): Promise<JobId>;
  cancel(id: JobId, options?: { readonly kill?: boolean }): Promise<Outcome>;
  /** @throws QueueError */
  changePriority(id: JobId, priority: number): Promise<Outcome>;
  archive(id: JobId): Promise<boolean>;
  autoArchive(ageSeconds: number, timeoutSeconds: number): Promise<readonly [number, number]>;
  /** @throws QueueError */
  waitForChange(id: JobId, request: ChangeRequest): Promise<JobChangeAnswer>;
  /**
   * Resolves when the job has ended. @throws QueueError `unknown_job`; the reason of `signal` when that
   * aborts
   */
  ended(id: JobId, options?: { readonly signal?: CancelSignal }): Promise<EndedJob>;
  /** @throws QueueError */
  query(
    ids: readonly JobId[],
    fields: readonly string[],
    options?: { readonly archived?: boolean },
  ): Promise<readonly (readonly Json[] | undefined)[]>;
  /** Like `query`, in batches of rows, between which other work runs. @throws QueueError */
  rows(
    ids: readonly JobId[],
    fields: readonly string[],
    options?: { readonly archived?: boolean },
  ): AsyncIterable<readonly (readonly Json[] | undefined)[]>;
  /** Ids of the jobs that are not archived, and their number by status. O(1). */
  live(): Promise<LiveJobs>;
  /** Ids of the jobs that have not ended, ascending. Call `live` first to include new jobs of other servers. O(jobs). */
  readonly openIds: readonly JobId[];
  /** The last job id in use, as of the last `live`. */
  readonly lastId: JobId;
  /** @throws QueueError */
  whyNotRunning(id: JobId): Promise<readonly Hindrance[]>;
  /** Calls the listener with changed jobs; returns a function that unsubscribes. */
  onChange(listener: (changed: ReadonlySet<JobId>) => void): () => void;
  readonly settings: Settings;
  change(settings: Partial<Settings>): Promise<void>;
  readonly rules: readonly FilterRule[];
  /** @throws FilterError */
  addRule(body: Json): Promise<FilterUuid>;
  /** @throws FilterError */
  replaceRule(uuid: string, body: Json): Promise<FilterUuid>;
  /** @throws FilterError, QueueError */
  deleteRule(uuid: string): Promise<void>;
  ruleEffects(): Promise<RuleEffects>;
  previewRule(question: RuleQuestion): Promise<RulePreview>;
  /** False once the cluster has been closed, or its worker has lost its lease. */
  readonly isOpen: boolean;
  /** Number of jobs that this worker runs. */
  readonly heldCount: number;
}

/** Outcome of a job that has ended. */
export interface EndedJob {
  readonly status: JobStatus;
  /** Result or error of each opcode. */
  readonly results: readonly Json[];
}

/** Wraps a queue for listeners. */
export function clusterQueue(queue: JobQueue): ClusterQueue {
  const shown: ClusterQueue = {
    submit: (opcodes) => queue.submit(opcodes),
    submitMany: (jobs) => queue.submitMany(jobs),
    submitToDrained: (opcodes) => queue.submitToDrained(opcodes),
    cancel: (id, options) => queue.cancel(id, options),
    changePriority: (id, priority) => queue.changePriority(id, priority),
    archive: (id) => queue.archive(id),
    autoArchive: (age, timeout) => queue.autoArchive(age, timeout),
    waitForChange: (id, request) => {
      const { fields, shown = (values: readonly Json[]) => values } = request;
      return queue.waitForChange(
        id,
        Object.assign({}, request, {
          shown: (values: readonly Json[]) => shown(valuesWithoutSecrets(fields, values)),
        }),
      );
    },
    ended: (id, { signal } = {}) => endOf(shown, id, signal),
    async query(ids, fields, options) {
      const rows = await queue.query(ids, fields, options);
      return hasSecrets(fields)
        ? rows.map((row) => row && valuesWithoutSecrets(fields, row))
        : rows;
    },
    async *rows(ids, fields, options) {
      const isCovered = hasSecrets(fields);
      for await (const rows of queue.rows(ids, fields, options)) {
        yield isCovered ? rows.map((row) => row && valuesWithoutSecrets(fields, row)) : rows;
      }
    },
    live: () => queue.live(),
    get openIds() {
      return queue.openIds;
    },
    get lastId() {
      return queue.lastId;
    },
    whyNotRunning: (id) => queue.whyNotRunning(id),
    onChange: (listener) => queue.onChange(listener),
    get settings() {
      return queue.settings;
    },
    change: (settings) => queue.change(settings),
    get rules() {
      return queue.rules;
    },
    addRule: (body) => queue.addRule(body),
    replaceRule: (uuid, body) => queue.replaceRule(uuid, body),
    deleteRule: (uuid) => queue.deleteRule(uuid),
    ruleEffects: () => queue.ruleEffects(),
    previewRule: (question) => queue.previewRule(question),
    get isOpen() {
      return queue.isOpen;
    },
    get heldCount() {
      return queue.heldCount;
    },
  };
  return shown;
}

/** Waits for the end of a job, in waits of at most a minute; each starts from the last known state. */
async function endOf(
  queue: ClusterQueue,
  id: JobId,
  signal: CancelSignal | undefined,
): Promise<EndedJob> {
  const common = {
    fields: ["status", "opresult"],
    previousSerial: noLog,
    timeoutMs: 60_000,
    signal,
  };
  for (let previousValues: readonly Json[] | null = null; ; ) {
    const answer = await queue.waitForChange(id, { previousValues, ...common });
    if (answer === "nochange") {
      if (signal?.aborted) throw signal.reason;
      continue;
    }
    const [status, results] = answer.values as [JobStatus, readonly Json[]];
    if (isFinalized(status)) return { status, results };
    previousValues = answer.values;
  }
}

/** Serial number greater than that of any log entry, so that new log lines do not count as changes. */
const noLog = 1e9;
