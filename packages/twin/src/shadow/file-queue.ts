/** FileQueue: the jobs of another program, read from its queue files. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterQueue } from "@ganeti-ts/cluster";
import {
  type ChangeRequest,
  checkFields,
  defaultSettings,
  fieldValues,
  type JobBlock,
  type JobChangeAnswer,
  jobStatusOf,
  type LiveJobs,
  QueueError,
  type Settings,
} from "@ganeti-ts/job-queue";
import {
  type CancelSignal,
  type FilterRule,
  isFinalized,
  type Job,
  type JobId,
  type JobStatus,
  type Json,
  readJob,
  sameJson,
} from "@ganeti-ts/protocol";

/** Interval (ms) of checks for changes while a request waits for one. */
const lookMs = 250;
/** Maximum duration (ms) of a wait for a change. */
const waitMaxMs = 89_000;
const jobsPerFolder = 10_000;

/** The queue to read, and settings that its files do not contain. */
export interface FileQueueOptions {
  /** Folder with `job-N`, `serial`, `drain`. */
  readonly folder: string;
  readonly rules: () => readonly FilterRule[];
  readonly runningMax: () => number;
  /** Why nothing can be changed. */
  readonly refusal: string;
}

interface Known {
  readonly version: string;
  readonly job: Job;
}

/** Queue of another program, read from its files. Each look checks all files, O(files), and reads the changed ones. */
export class FileQueue implements ClusterQueue {
  readonly #options: FileQueueOptions;
  readonly #known = new Map<JobId, Known>();
  readonly #listeners = new Set<(changed: ReadonlySet<JobId>) => void>();
  #live: LiveJobs = { size: 0, counts: new Map(), blocks: [] };
  #drained = false;
  #looking: Promise<void> | undefined;
  isOpen = true;
  readonly heldCount = 0;

  constructor(options: FileQueueOptions) {
    this.#options = options;
  }

  get rules(): readonly FilterRule[] {
    return this.#options.rules();
  }

  get settings(): Settings {
    const runningMax = this.#options.runningMax();
    return { ...defaultSettings, drained: this.#drained, runningMax };
  }

  /** Reads new and changed files; concurrent callers share a look. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const names = await readdir(this.#options.folder);
    this.#drained = names.includes("drain");
    const ids = names.flatMap((name) => {
      const id = /^job-(\d+)$/.exec(name)?.[1];
      return id === undefined ? [] : [Number(id) as JobId];
    });
    const changed = new Set<JobId>();
    const present = new Set(ids);
    for (const id of this.#known.keys()) {
      if (present.has(id)) continue;
      this.#known.delete(id);
      changed.add(id);
    }
    for (const id of ids) {
      const file = join(this.#options.folder, `job-${id}`);
      const version = await versionOf(file);
      if (version === undefined || this.#known.get(id)?.version === version) continue;
      const job = await readJobAt(file);
      if (job === undefined) continue;
      this.#known.set(id, { version, job });
      changed.add(id);
    }
    if (changed.size === 0) return;
    this.#live = liveOf(this.#known, this.#live.blocks, changed);
    for (const listener of [...this.#listeners]) listener(changed);
  }

  get lastId(): JobId {
    return (this.#live.blocks.at(-1)?.ids.at(-1) ?? 0) as JobId;
  }

  async live(): Promise<LiveJobs> {
    await this.look();
    return this.#live;
  }

  get openIds(): readonly JobId[] {
    return [...this.#known].flatMap(([id, { job }]) => (job.ended === null ? [id] : []));
  }

  async query(
    ids: readonly JobId[],
    fields: readonly string[],
    { archived = false }: { readonly archived?: boolean } = {},
  ): Promise<readonly (readonly Json[] | undefined)[]> {
    checkFields(fields);
    await this.look();
    const asked = ids.length > 0 ? ids : this.#live.blocks.flatMap((block) => [...block.ids]);
    const found: (readonly Json[] | undefined)[] = [];
    for (const id of asked) {
      const live = this.#known.get(id)?.job;
      const job = live ?? (ids.length > 0 || archived ? await this.#archivedJob(id) : undefined);
      found.push(job && fieldValues(job, live === undefined, fields));
    }
    return found;
  }

  async *rows(
    ids: readonly JobId[],
    fields: readonly string[],
    options?: { readonly archived?: boolean },
  ): AsyncIterable<readonly (readonly Json[] | undefined)[]> {
    yield await this.query(ids, fields, options);
  }

  #archivedJob(id: JobId): Promise<Job | undefined> {
    const folder = String(Math.floor(id / jobsPerFolder));
    return readJobAt(join(this.#options.folder, "archive", folder, `job-${id}`));
  }

  async waitForChange(id: JobId, request: ChangeRequest): Promise<JobChangeAnswer> {
    const { fields, previousValues, previousSerial, signal, shown = (all) => all } = request;
    checkFields(fields);
    const until = performance.now() + Math.min(request.timeoutMs, waitMaxMs);
    for (;;) {
      await this.look();
      const job = this.#known.get(id)?.job;
      if (job === undefined) throw new QueueError("unknown_job", `Job with id ${id} lost`);
      const values = shown(fieldValues(job, false, fields));
      const log = job.opcodes
        .flatMap((opcode) => opcode.log)
        .filter(([serial]) => serial > (previousSerial ?? 0));
      const isOver = isFinalized(jobStatusOf(job.opcodes));
      const differs = previousValues === null || !sameJson(values, previousValues);
      if (isOver || differs || log.length > 0) return { values, log };
      if (signal?.aborted || performance.now() > until) return "nochange";
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  async ended(id: JobId, { signal }: { readonly signal?: CancelSignal } = {}) {
    for (let previousValues: readonly Json[] | null = null; ; ) {
      const request = { fields: ["status", "opresult"], previousSerial: 1e9, timeoutMs: 60_000 };
      const answer = await this.waitForChange(id, { ...request, previousValues, signal });
      if (answer === "nochange") {
        if (signal?.aborted) throw signal.reason;
        continue;
      }
      const [status, results] = answer.values as [JobStatus, readonly Json[]];
      if (isFinalized(status)) return { status, results };
      previousValues = answer.values;
    }
  }

  /** Refused: only the program that runs the jobs knows the reason. */
  whyNotRunning = (): Promise<never> => this.#refused();

  onChange(listener: (changed: ReadonlySet<JobId>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #refused(): Promise<never> {
    throw new QueueError("wrong_input", this.#options.refusal);
  }

  submit = (): Promise<never> => this.#refused();
  submitMany = (): Promise<never> => this.#refused();
  submitToDrained = (): Promise<never> => this.#refused();
  cancel = (): Promise<never> => this.#refused();
  changePriority = (): Promise<never> => this.#refused();
  archive = (): Promise<never> => this.#refused();
  autoArchive = (): Promise<never> => this.#refused();
  change = (): Promise<never> => this.#refused();
  addRule = (): Promise<never> => this.#refused();
  replaceRule = (): Promise<never> => this.#refused();
  deleteRule = (): Promise<never> => this.#refused();
  ruleEffects = (): Promise<never> => this.#refused();
  previewRule = (): Promise<never> => this.#refused();
}

/** Undefined if the file is gone: the job has been archived meanwhile. */
async function versionOf(file: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await stat(file, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    return absent(error as NodeJS.ErrnoException);
  }
}

async function readJobAt(file: string): Promise<Job | undefined> {
  try {
    return readJob(await readFile(file, "utf8"));
  } catch (error) {
    return absent(error as NodeJS.ErrnoException);
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

/** Jobs of a block differ only in the last nine bits of their ids; blocks without changes are kept. */
function liveOf(
  known: ReadonlyMap<JobId, Known>,
  before: readonly JobBlock[],
  changed: ReadonlySet<JobId>,
): LiveJobs {
  const blockOf = (id: JobId) => id >> 9;
  const old = new Map(before.map((block) => [blockOf(block.ids[0] as JobId), block]));
  const touched = new Set(Array.from(changed, blockOf));
  const ids = new Map<number, JobId[]>();
  const counts = new Map<JobStatus, number>();
  for (const id of [...known.keys()].sort((a, b) => a - b)) {
    const { opcodes } = (known.get(id) as Known).job;
    const status = jobStatusOf(opcodes);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    ids.set(blockOf(id), [...(ids.get(blockOf(id)) ?? []), id]);
  }
  const blocks = Array.from(ids, ([key, list]) =>
    touched.has(key) ? { ids: list } : (old.get(key) ?? { ids: list }),
  );
  return { size: known.size, counts, blocks };
}
