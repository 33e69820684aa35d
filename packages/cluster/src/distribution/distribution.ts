/** Distribution: what Ganeti's nodes and master candidates hold of the cluster follows every change. */
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
  /** Jobs that changed since the queue was opened, as of the moment when the distribution follows its changes. */
  readonly changedBefore: Iterable<JobId>;
  readonly store: Pick<JobStore, "read">;
  readonly nodes: NodeBackend;
  readonly caller: NodeCaller;
  readonly clock: Clock;
  readonly log: ClusterLog;
  /** Called once when another program has become the master: nothing is sent any more. */
  readonly halted: (reason: string) => void;
}

/** A node that does not have everything, and why. */
export interface Missed {
  readonly node: string;
  readonly problem: string;
}

/** Part of the time that writing the configuration may take: a tenth. */
const restFactor = 9;
/** Longest pause (ms) after a write: one that hung, or a machine that stood still, does not hold up the next one for ten times as long. */
const restMaxMs = 30_000;
/** Interval (ms) at which it is checked that no other program has become the master. */
const checkMs = 10_000;
/** Pause (ms) after the configuration could not be written. */
const againMs = 1_000;

/**
 * The configuration costs O(objects) each time it is written, at most a tenth of the time, and is sent whole, as
 * Ganeti does; ssconf values and queue files cost what has changed.
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
  /** Serial number of the configuration that was written last. */
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
   * Writes the master's files, and begins to send. O(jobs) only if the candidates may not have all of them.
   * @throws ForeignChangeError if another program is the master of the files
   */
  static async start(ports: DistributionPorts): Promise<Distribution> {
    const live = await ports.queue.live();
    // The newest jobs may be in the archive: their numbers must not be given out again.
    const distribution = new Distribution(ports, ports.queue.lastId);
    await distribution.#begin();
    const all = ports.queueIsComplete ? [] : live.blocks.flatMap(({ ids }) => ids);
    distribution.#jobs.change([...all, ...ports.changedBefore]);
    return distribution;
  }

  /** Why nothing is sent any more; undefined while all is well. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Resolves when everything changed until now has been offered to each node that is online. */
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

  /** Offers the last changes to the nodes that answer, and ends. Returns whether no candidate misses a job. */
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
    // Before the first write, which lasts: what changes meanwhile is written by the next one.
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

  /** Roles depend on the node and on who is the master. */
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

  /** O(jobs): for a node that has become a candidate. */
  async #oweAllJobs(lane: NodeLane): Promise<void> {
    const { queue, clock, log } = this.#ports;
    try {
      const { blocks } = await queue.live();
      for (const { ids } of blocks) lane.oweJobs(ids);
      lane.wake();
    } catch (error) {
      // A queue that has ended, perhaps because its lease was lost, reports that to its owner.
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

  /** A configuration that went back in time is that of a damaged store, or of a faulty program. */
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

  /** A pause after a write, in which changes are gathered. */
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

/** The state at the moment of each look. */
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
