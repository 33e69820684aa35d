/** Distribution: keeps the copies on Ganeti's nodes and master candidates up to date with every change of the cluster. */
import {
  type Configuration,
  ganetiFile,
  mayChangeSsconf,
  type Snapshot,
  ssconfValues,
} from "@ganeti-ts/config";
import type { JobQueue, JobStore } from "@ganeti-ts/job-queue";
import type { NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";
import {
  asciiJson,
  type Clock,
  InvariantError,
  invariant,
  type JobId,
  type NodeObject,
} from "@ganeti-ts/protocol";
import type { ClusterLog } from "../log.js";
import {
  type DistributionOptions,
  ForeignChangeError,
  type WrittenFile,
} from "./distribution-ports.js";
import { type Copies, type LaneNode, NodeLane, restFileName, restVersion } from "./node-lane.js";
import { QueueCopies } from "./queue-copies.js";

export interface DistributionPorts extends DistributionOptions {
  readonly config: Configuration;
  readonly queue: Pick<
    JobQueue,
    "onChange" | "onRules" | "live" | "lastId" | "settings" | "rules" | "isOpen"
  >;
  /** Jobs that changed after the queue was opened and before the distribution listens for changes. */
  readonly changedBefore: Iterable<JobId>;
  readonly store: Pick<JobStore, "read">;
  readonly nodes: NodeBackend;
  readonly caller: NodeCaller;
  readonly clock: Clock;
  readonly log: ClusterLog;
  /** Called once when another program has become the master, after which nothing is sent. */
  readonly halted: (reason: string) => void;
}

/** A node that lacks copies, with the reason. */
export interface Missed {
  readonly node: string;
  readonly problem: string;
}

/** Pause after a write of the configuration, as a multiple of its duration, so that writes take a tenth of the time. */
const restFactor = 9;
/** Maximum pause (ms) after a write, so that one that hung does not delay the next one for many times as long. */
const restMaxMs = 30_000;
/** Interval (ms) of the check that no other program has become the master. */
const checkMs = 10_000;
/** Pause (ms) after a failed write of the configuration. */
const againMs = 1_000;

/**
 * Each write of the configuration costs O(objects), at most a tenth of the time, and sends the whole file, as in Ganeti. For
 * ssconf values and queue files the cost is proportional to the changes.
 */
export class Distribution {
  readonly #ports: DistributionPorts;
  readonly #lanes = new Map<string, NodeLane>();
  readonly #jobs: QueueCopies;
  readonly #copies: Copies;
  readonly #endings: (() => void)[] = [];
  #ssconf: Readonly<Record<string, string>> = {};
  #configuration: { version: number; text: string; file: WrittenFile } | undefined;
  #rest: { version: number; text: string } | undefined;
  #drained = false;
  /** Serial number of the last written configuration. */
  #serial = 0;
  #version = 0;
  #isStale = true;
  #isSsconfStale = true;
  #writing: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #reason: string | undefined;
  #isStopped = false;

  private constructor(ports: DistributionPorts, serial: number) {
    this.#ports = ports;
    const { store, files, clock, log } = ports;
    this.#jobs = new QueueCopies(
      {
        ...{ store, files, clock },
        written: (jobs, archived) => this.#oweJobs(jobs, archived),
        failed: (error) => log.error({ error }, "queue files could not be written; trying again"),
      },
      serial,
    );
    this.#copies = copiesOf(() => ({
      ssconf: this.#ssconf,
      configuration: this.#configuration,
      rest: this.#rest,
      serial: this.#jobs.serial,
      drained: this.#drained,
      jobText: (id) => this.#jobs.text(id),
    }));
  }

  /**
   * Writes the master's files and starts sending. O(jobs) only if candidates may lack files of jobs.
   * @throws ForeignChangeError if another program is the master of the files
   */
  static async start(ports: DistributionPorts): Promise<Distribution> {
    const live = await ports.queue.live();
    // The newest jobs may be archived, and their numbers must not be used again.
    const distribution = new Distribution(ports, ports.queue.lastId);
    await distribution.#begin();
    const all = ports.queueIsComplete ? [] : live.blocks.flatMap(({ ids }) => ids);
    distribution.#jobs.change([...all, ...ports.changedBefore]);
    return distribution;
  }

  /** Why the distribution has stopped; undefined while it works. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Resolves when every change made so far has been offered to each online node. */
  async flush({ everything = false } = {}): Promise<readonly Missed[]> {
    if (everything) {
      for (const lane of this.#lanes.values()) lane.forget();
      this.#isStale = true;
      this.#isSsconfStale = true;
    }
    await this.#written();
    await this.#jobs.settled();
    const lanes = [...this.#lanes.values()];
    const missed = await Promise.all(
      lanes.map(async (lane) => ({ node: lane.node.name, problem: await lane.attempt() })),
    );
    return missed.flatMap(({ node, problem }) =>
      problem === undefined ? [] : [{ node, problem }],
    );
  }

  /** Resolves when the files of changed jobs are on the master and on all candidates that answer. */
  async flushJobs(): Promise<void> {
    await this.#jobs.settled();
    const lanes = [...this.#lanes.values()];
    await Promise.all(lanes.map((lane) => (lane.isFailing ? undefined : lane.attempt())));
  }

  /** Offers the last changes to the nodes that answer, and stops. Returns whether all candidates have all jobs. */
  async stop(): Promise<boolean> {
    if (this.#reason === undefined) {
      await this.#written();
      await this.flushJobs();
    }
    const isComplete =
      this.#reason === undefined && [...this.#lanes.values()].every((lane) => lane.owesNoJobs);
    await this.#end();
    return isComplete;
  }

  async #end(): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#endings.splice(0)) end();
    this.#stopTimer?.();
    await this.#writing;
    await this.#jobs.stop();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
  }

  async #begin(): Promise<void> {
    const { config, queue, files, clock } = this.#ports;
    this.#drained = queue.settings.drained;
    for (const node of config.snapshot.nodes()) this.#addLane(node, config.snapshot);
    // Registered before the first write, which takes time, so that changes made meanwhile are written by the next one.
    this.#endings.push(
      config.onChange((step) => {
        this.#isSsconfStale ||= mayChangeSsconf(step);
        this.#followNodes(step.after, step.changes);
        this.#stale();
      }),
      queue.onRules(() => {
        void this.#followDrain();
        this.#stale();
      }),
    );
    await this.#write();
    await files.setDrained(this.#drained);
    await this.#jobs.settled();
    this.#endings.push(queue.onChange((ids) => this.#jobs.change(ids)));
    const check = () => {
      const stop = clock.after(checkMs, () => {
        void this.#check().then(check);
      });
      this.#endings.push(stop);
    };
    check();
    this.#wake();
  }

  #addLane(node: NodeObject, now: Snapshot): NodeLane {
    const { nodes, caller, clock, log } = this.#ports;
    const lane = new NodeLane(laneNode(node, now), this.#copies, { nodes, caller, clock, log });
    this.#lanes.set(node.uuid, lane);
    return lane;
  }

  /** Updates the lanes of the nodes; their roles depend on the node and on the master. */
  #followNodes(
    now: Snapshot,
    changes: readonly { readonly kind: string; readonly type?: string }[],
  ): void {
    if (!changes.some(({ kind, type }) => kind === "cluster" || type === "node")) return;
    for (const [uuid, lane] of this.#lanes) {
      if (now.find("node", uuid) !== undefined) continue;
      this.#lanes.delete(uuid);
      void lane.stop();
    }
    for (const node of now.nodes()) {
      const lane = this.#lanes.get(node.uuid);
      const newLane = lane ?? this.#addLane(node, now);
      const becomes = lane === undefined ? newLane.takesJobs : lane.change(laneNode(node, now));
      if (becomes) void this.#oweAllJobs(newLane);
    }
  }

  /** Queues the files of all jobs for a node that has become a candidate. O(jobs). */
  async #oweAllJobs(lane: NodeLane): Promise<void> {
    const { queue, clock, log } = this.#ports;
    try {
      const { blocks } = await queue.live();
      for (const { ids } of blocks) lane.oweJobs(ids);
      lane.wake();
    } catch (error) {
      // A closed queue, e.g. after the loss of its lease, reports that to its owner.
      if (this.#isStopped || !queue.isOpen) return;
      log.error({ error }, "the jobs for a new candidate could not be listed; trying again");
      this.#endings.push(clock.after(againMs, () => void this.#oweAllJobs(lane)));
    }
  }

  #oweJobs(jobs: readonly JobId[], archived: readonly JobId[]): void {
    for (const lane of this.#lanes.values()) {
      lane.oweJobs(jobs);
      lane.oweMoves(archived);
    }
    this.#wake();
  }

  #wake(): void {
    if (this.#reason !== undefined || this.#isStopped) return;
    for (const lane of this.#lanes.values()) lane.wake();
  }

  async #followDrain(): Promise<void> {
    const { queue, files, log } = this.#ports;
    const { drained } = queue.settings;
    if (drained === this.#drained || this.#reason !== undefined) return;
    this.#drained = drained;
    try {
      await files.setDrained(drained);
    } catch (error) {
      log.error({ error }, "the drain flag could not be written");
    }
    this.#wake();
  }

  #stale(): void {
    this.#isStale = true;
    if (this.#writing === undefined && this.#stopTimer === undefined) void this.#write();
  }

  async #written(): Promise<void> {
    await this.#writing;
    if (this.#isStale) await this.#write();
  }

  #write(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#writing ??= this.#writeNow().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeNow(): Promise<void> {
    if (this.#reason !== undefined || this.#isStopped) return;
    const { config, queue, files, marks, clock, log } = this.#ports;
    const begun = clock.now();
    const now = config.snapshot;
    const withSsconf = this.#isSsconfStale;
    this.#isStale = false;
    this.#isSsconfStale = false;
    try {
      this.#mustFollow(now);
      const { text, left } = ganetiFile(now.content(), queue.rules);
      const file = await files.writeConfiguration(text);
      const { sizeMax } = queue.settings;
      await this.#writeRest(
        Object.assign({ version: restVersion }, left, { queue: { sizeMax } }, marks),
      );
      this.#configuration = { version: ++this.#version, text, file };
      if (withSsconf) this.#ssconf = ssconfValues(now);
      this.#wake();
      this.#writeAfter(Math.min((clock.now() - begun) * restFactor, restMaxMs));
    } catch (error) {
      this.#isStale = true;
      this.#isSsconfStale ||= withSsconf;
      const isFault = error instanceof InvariantError;
      if (isFault || error instanceof ForeignChangeError) {
        this.#halt(error.message, isFault ? "a fault of this program" : undefined);
        if (this.#configuration === undefined) throw error;
        return;
      }
      log.error({ error }, "config.data could not be written; trying again");
      this.#writeAfter(againMs);
    }
  }

  /** Checks that the serial number does not decrease, which only a damaged store or a bug can cause. */
  #mustFollow({ serial }: Snapshot): void {
    invariant(
      serial >= this.#serial,
      () => `config.data: serial number ${serial} after ${this.#serial}`,
    );
    this.#serial = serial;
  }

  async #writeRest(rest: object): Promise<void> {
    const text = asciiJson(JSON.stringify(rest));
    if (text === this.#rest?.text) return;
    await this.#ports.files.writeQueueFile(restFileName, text);
    this.#rest = { version: ++this.#version, text };
  }

  /** Schedules the next write after a pause, in which changes are collected. */
  #writeAfter(ms: number): void {
    if (this.#isStopped) return;
    this.#stopTimer = this.#ports.clock.after(ms, () => {
      this.#stopTimer = undefined;
      if (this.#isStale) void this.#write();
    });
  }

  async #check(): Promise<void> {
    if (this.#isStopped || this.#reason !== undefined || this.#writing !== undefined) return;
    try {
      const reason = await this.#ports.files.foreignChange();
      if (reason !== undefined && this.#writing === undefined) this.#halt(reason);
    } catch (error) {
      this.#ports.log.error({ error }, "the files of the master could not be checked");
    }
  }

  #halt(reason: string, cause = "another master"): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#ports.log.error({ reason }, `${cause}: this server stops its work`);
    void Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
    this.#ports.halted(reason);
  }
}

const laneNode = (
  { uuid, name, offline, master_candidate }: NodeObject,
  now: Snapshot,
): LaneNode => ({
  ...{ uuid, name },
  online: !offline,
  candidate: master_candidate && uuid !== now.cluster.master_node,
});

/** Copies whose members are evaluated at each access. */
const copiesOf = (now: () => Copies): Copies => ({
  get ssconf() {
    return now().ssconf;
  },
  get configuration() {
    return now().configuration;
  },
  get rest() {
    return now().rest;
  },
  get serial() {
    return now().serial;
  },
  get drained() {
    return now().drained;
  },
  jobText: (id) => now().jobText(id),
});
