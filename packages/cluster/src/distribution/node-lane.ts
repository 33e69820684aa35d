/** NodeLane: sends one node the copies it lacks, in order, and retries until they arrive. */
import { ssconfLines } from "@ganeti-ts/config";
import { archivedJobFileName, jobFileName } from "@ganeti-ts/job-queue";
import {
  answered,
  dataDirectory,
  type NodeAnswer,
  type NodeBackend,
  type NodeCallArguments,
  type NodeCaller,
  type NodeCallName,
} from "@ganeti-ts/node-calls";
import { invariant, type JobId, type Timers } from "@ganeti-ts/protocol";
import type { ClusterLog } from "../log.js";
import type { WrittenFile } from "./distribution-ports.js";

/** Current state of all copies, read when they are sent. */
export interface Copies {
  /** Values by key; empty until the configuration has been written. */
  readonly ssconf: Readonly<Record<string, string>>;
  readonly configuration: CopiedFile | undefined;
  /** Data for which Ganeti's format has no place. */
  readonly rest: { readonly version: number; readonly text: string } | undefined;
  readonly serial: number;
  readonly drained: boolean;
  /** Text of a job's file; undefined if it is archived or unknown. */
  jobText(id: JobId): Promise<string | undefined>;
}

interface CopiedFile {
  readonly version: number;
  readonly text: string;
  readonly file: WrittenFile;
}

export interface LanePorts {
  readonly nodes: NodeBackend;
  readonly caller: NodeCaller;
  readonly clock: Timers;
  readonly log: ClusterLog;
}

export interface LaneNode {
  readonly uuid: string;
  readonly name: string;
  readonly online: boolean;
  /** A master candidate other than the master. */
  readonly candidate: boolean;
}

/** First pause (ms) before a retry for a node that did not accept a copy. */
const firstPauseMs = 1_000;
const lastPauseMs = 60_000;

/** Maximum number of jobs that one call moves to the archive. */
const movesAtOnce = 100;

const queueDirectory = `${dataDirectory}/queue`;
/** File with `Copies.rest`. It is in the queue folder, because nodes accept no additional files elsewhere. */
export const restFileName = "ganeti-ts.json";

/** Version of the format of that file. */
export const restVersion = 2;

/** Queue of copies for one node. A change costs O(changed). */
export class NodeLane {
  readonly #copies: Copies;
  readonly #ports: LanePorts;
  readonly #ssconf = new Map<string, string>();
  readonly #jobs = new Set<JobId>();
  readonly #moves = new Set<JobId>();
  #node: LaneNode;
  #configuration = -1;
  #rest = -1;
  #serial = -1;
  #drained: boolean | undefined;
  #running: Promise<string | undefined> | undefined;
  #stopTimer: (() => void) | undefined;
  #pauseMs = firstPauseMs;
  #isFailing = false;
  #isStopped = false;
  /** Whether copies may have become due since the running work last checked. */
  #isWoken = false;

  constructor(node: LaneNode, copies: Copies, ports: LanePorts) {
    this.#node = node;
    this.#copies = copies;
    this.#ports = ports;
  }

  get node(): LaneNode {
    return this.#node;
  }

  /** Whether the node did not accept the last copy. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Whether no files of jobs are waiting to be sent. */
  get owesNoJobs(): boolean {
    return this.#jobs.size + this.#moves.size === 0;
  }

  /** Whether files of jobs are sent to the node. */
  get takesJobs(): boolean {
    return this.#node.online && this.#node.candidate;
  }

  /** Updates the node's role. Returns whether it came back or became a candidate, so that it may have missed anything. */
  change(node: LaneNode): boolean {
    const tookJobs = this.takesJobs;
    const isBack = node.online && !this.#node.online;
    this.#node = node;
    if (isBack) this.forget();
    if (!this.takesJobs) {
      this.#jobs.clear();
      this.#moves.clear();
    }
    const becomes = this.takesJobs && !tookJobs;
    if (becomes) {
      this.#configuration = -1;
      this.#rest = -1;
      this.#serial = -1;
      this.#drained = undefined;
    }
    // No pause: the node is reachable, because the job that promoted it has just called it.
    if (isBack || becomes) this.#endPause();
    return becomes;
  }

  /** Marks everything except jobs to be sent again. */
  forget(): void {
    this.#ssconf.clear();
    this.#configuration = -1;
    this.#rest = -1;
    this.#serial = -1;
    this.#drained = undefined;
  }

  oweJobs(ids: Iterable<JobId>): void {
    if (this.takesJobs) for (const id of ids) this.#jobs.add(id);
  }

  oweMoves(ids: Iterable<JobId>): void {
    if (!this.takesJobs) return;
    for (const id of ids) {
      this.#jobs.delete(id);
      this.#moves.add(id);
    }
  }

  /** Sends due copies, unless the node has failed and its pause has not ended. */
  wake(): void {
    if (this.#stopTimer !== undefined) return;
    this.#isWoken = true;
    void this.#start();
  }

  /** Sends all due copies now. Returns why the node lacks some of them; undefined if it has all. */
  async attempt(): Promise<string | undefined> {
    await this.#running;
    this.#endPause();
    return this.#start();
  }

  /** Stops the lane; resolves when the current call has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#running;
  }

  #endPause(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** Runs the lane's work. An unexpected error, which is a bug, ends the lane. */
  #start(): Promise<string | undefined> {
    this.#running ??= this.#sendAll()
      .catch((error: Error) => {
        this.#isStopped = true;
        this.#isFailing = true;
        return error.message;
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#isWoken) this.wake();
      });
    return this.#running;
  }

  async #sendAll(): Promise<string | undefined> {
    const { log } = this.#ports;
    const { name } = this.#node;
    for (;;) {
      this.#isWoken = false;
      if (this.#isStopped || !this.#node.online) return undefined;
      const answer = await this.#sendNext();
      if (answer === undefined) break;
      if (answer.ok) continue;
      if (!this.#isFailing) {
        log.warn({ node: name, problem: answer.message }, "a node misses copies; trying again");
      }
      this.#isFailing = true;
      this.#retryLater();
      return answer.message;
    }
    if (this.#isFailing) log.info({ node: name }, "the node has all copies again");
    this.#isFailing = false;
    this.#pauseMs = firstPauseMs;
    return undefined;
  }

  #retryLater(): void {
    if (this.#isStopped) return;
    this.#endPause();
    this.#stopTimer = this.#ports.clock.after(this.#pauseMs, () => {
      this.#stopTimer = undefined;
      this.wake();
    });
    this.#pauseMs = Math.min(this.#pauseMs * 2, lastPauseMs);
  }

  /** Makes one call for the first due copy; undefined if nothing is due. */
  async #sendNext(): Promise<NodeAnswer<unknown> | undefined> {
    return (
      (await this.#sendSsconf()) ??
      (this.#node.candidate
        ? ((await this.#sendConfiguration()) ?? (await this.#sendQueue()))
        : undefined)
    );
  }

  async #sendSsconf() {
    const entries = Object.entries(this.#copies.ssconf);
    const changed = entries.filter(([key, text]) => this.#ssconf.get(key) !== text);
    if (changed.length === 0) return undefined;
    const values = Object.fromEntries(changed.map(([key, text]) => [key, ssconfLines(text)]));
    const answer = await this.#call("write_ssconf_files", { values });
    if (answer.ok) for (const [key, text] of changed) this.#ssconf.set(key, text);
    return answer;
  }

  async #sendConfiguration() {
    const { configuration } = this.#copies;
    if (configuration === undefined || configuration.version === this.#configuration) {
      return undefined;
    }
    const { text: content, file, version } = configuration;
    invariant(
      version > this.#configuration,
      () => `config.data: version ${version} after ${this.#configuration}`,
    );
    const path = `${dataDirectory}/config.data`;
    const answer = await this.#call("upload_file_single", { path, content, ...file });
    if (answer.ok) this.#configuration = version;
    return answer;
  }

  async #sendQueue(): Promise<NodeAnswer<unknown> | undefined> {
    const { rest, serial, drained } = this.#copies;
    if (rest !== undefined && rest.version !== this.#rest) {
      const answer = await this.#writeQueueFile(restFileName, rest.text);
      if (answer.ok) this.#rest = rest.version;
      return answer;
    }
    // Sent before the job, so that its number cannot be given to another job.
    if (serial > this.#serial) {
      const answer = await this.#writeQueueFile("serial", `${serial}\n`);
      if (answer.ok) this.#serial = serial;
      return answer;
    }
    if (drained !== this.#drained) {
      const answer = await this.#call("jobqueue_set_drain_flag", { drained });
      if (answer.ok) this.#drained = drained;
      return answer;
    }
    return (await this.#sendJob()) ?? (await this.#sendMoves());
  }

  async #sendJob(): Promise<NodeAnswer<unknown> | undefined> {
    for (const id of this.#jobs) {
      this.#jobs.delete(id);
      const text = await this.#copies.jobText(id);
      if (text === undefined) continue;
      if (this.#serial < this.#copies.serial) {
        // The node has come back meanwhile and must get the number first.
        if (this.takesJobs) this.#jobs.add(id);
        return this.#sendNext();
      }
      // Otherwise a daemon that takes over from the copies would give the number to another job.
      invariant(
        id <= this.#serial,
        () => `job ${id}: sent to a node that counts to ${this.#serial}`,
      );
      const answer = await this.#writeQueueFile(jobFileName(id), text);
      if (!answer.ok && this.takesJobs) this.#jobs.add(id);
      return answer;
    }
    return undefined;
  }

  async #sendMoves(): Promise<NodeAnswer<unknown> | undefined> {
    const ids = [...this.#moves].slice(0, movesAtOnce);
    if (ids.length === 0) return undefined;
    for (const id of ids) this.#moves.delete(id);
    const renames = ids.map((id) => ({
      from: `${queueDirectory}/${jobFileName(id)}`,
      to: `${queueDirectory}/${archivedJobFileName(id)}`,
    }));
    const answer = await this.#call("jobqueue_rename", { renames });
    // If the node answers, it has only refused to move a file that it never had or has moved already.
    if (answer.ok || (await this.#call("version", {})).ok) return answered(null);
    for (const id of ids) this.#moves.add(id);
    return answer;
  }

  #writeQueueFile(name: string, content: string) {
    return this.#call("jobqueue_update", { path: `${queueDirectory}/${name}`, content });
  }

  async #call<Name extends NodeCallName>(
    name: Name,
    args: NodeCallArguments<Name>,
  ): Promise<NodeAnswer<unknown>> {
    return this.#ports.nodes.call(this.#node.uuid, name, args, this.#ports.caller);
  }
}
