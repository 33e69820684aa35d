// One run of a whole cluster from one seed: servers, nodes, administrators, faults, and a final quiet phase.
import {
  type ConfigStore,
  Configuration,
  createConfiguration,
  createMemoryStores,
  type Snapshot,
} from "@ganeti-ts/config";
import { MemoryDatabase, type MemoryStore, OperationError } from "@ganeti-ts/job-queue";
import { memoryLockStore } from "@ganeti-ts/locking";
import {
  type Job,
  type JobId,
  type JobStatus,
  type Json,
  type JsonObject,
  onBrokenInvariant,
} from "@ganeti-ts/protocol";
import { DumpedSystems } from "@ganeti-ts/simulated-nodes/at-rest";
import { Dice, Process, type Rates, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { type Cluster, type ClusterLog, memoryWatcherNotes } from "../../src/index.js";
import { memoryFiles } from "../ganeti-files.js";
import { Begun } from "./begun.js";
import { judge } from "./judgement.js";
import { randomPlan } from "./plans.js";
import type { Watch } from "./ports.js";
import { Reservations } from "./reservations.js";
import type { Invariant, Sabotage, StagedEvent, StagedJob } from "./sabotage.js";
import { openServer } from "./server.js";
import { stagedJobs } from "./staged-jobs.js";
import { fewNodes, type Start, scopeOf, startOf } from "./start.js";
import { makeTrouble } from "./troubles.js";
import { watchedNodes } from "./watched-nodes.js";
import { randomJob, type Scope } from "./workload.js";

export interface Violation {
  readonly invariant: Invariant;
  readonly what: string;
}

export interface Outcome {
  readonly violation: Violation | undefined;
  readonly counts: Record<string, number>;
}

export interface Choices {
  readonly sabotage?: Sabotage;
  /** Default: three. */
  readonly nodeCount?: number;
}

export const simulate = (
  seed: number,
  { sabotage = {}, nodeCount = fewNodes }: Choices = {},
): Promise<Outcome> => new World(seed, sabotage, nodeCount).run();

const leaseMs = 30_000;
export const minute = 60_000;

/** Whether administrators may cause this fault, because they may demote candidates. */
export const isAllowed = (fault: string): boolean =>
  fault.startsWith("Not enough master candidates");

/** A log that can be detached: killed servers keep it, because they report broken invariants as long as this program runs. */
function detachable(log: ClusterLog): ClusterLog & { readonly detach: () => void } {
  let kept: ClusterLog | undefined = log;
  return {
    info: (facts, message) => kept?.info(facts, message),
    warn: (facts, message) => kept?.warn(facts, message),
    error: (facts, message) => kept?.error(facts, message),
    detach: () => {
      kept = undefined;
    },
  };
}

export interface Member {
  readonly process: Process;
  readonly store: MemoryStore;
  cluster?: Cluster;
}

export class World {
  readonly dice: Dice;
  readonly clock = new VirtualClock();
  readonly sabotage: Sabotage;
  readonly rates: Rates;
  readonly jobs: MemoryDatabase;
  readonly members: Member[] = [];
  readonly acknowledged = new Set<JobId>();
  /** Names of instances whose disks were lost on their nodes, and the UUIDs of these disks. */
  readonly damaged = new Set<string>();
  /** Undo functions for calls that were made to fail. */
  readonly repairs: (() => void)[] = [];
  readonly unreachableSince = new Map<string, number>();
  readonly dumped = new DumpedSystems();
  readonly reservations = new Reservations((what) =>
    this.broken("reservations stay what they are", what),
  );
  readonly files = memoryFiles();
  /**
   * Whether the candidates have copies in Ganeti's formats. Such a cluster has one server at a time, on the machine of the
   * master; other clusters have up to three servers on one database.
   */
  readonly hasCopies: boolean;
  readonly counts = {
    ...{ jobs: 0, success: 0, failed: 0, died: 0, effects: 0, late: 0, committed: 0, servers: 0 },
    ...{ killed: 0, completed: 0, restarted: 0, watched: 0, copies: 0, planned: 0 },
  };
  readonly #locks = memoryLockStore();
  /** Each server has its own store, with the same configuration. */
  readonly #configStores = [...createMemoryStores(80)];
  /** Processes in which the staged event has happened. */
  readonly #stagedIn = new Set<Process>();
  readonly notes = memoryWatcherNotes();
  readonly #nodeCount: number;
  readonly #keepsFigures: boolean;
  /** Interval of the watcher. */
  readonly watchMs: number;
  #queueIsComplete = true;
  start!: Start;
  scope!: Scope;
  /** Configuration that observes every stored change and makes none. */
  observer!: Configuration;
  #begun!: Begun;
  #isPeace = false;
  violation: Violation | undefined;
  /** Receives the log of all servers, for debugging a single run. */
  logged: (level: string, facts: object, message: string) => void = () => {};

  constructor(seed: number, sabotage: Sabotage, nodeCount: number) {
    const dice = new Dice(seed);
    this.dice = dice;
    this.sabotage = sabotage;
    this.#nodeCount = nodeCount;
    this.#keepsFigures = nodeCount > fewNodes && seed % 2 === 1;
    const needsOthers = sabotage.staged === "late commits" || sabotage.staged === "late calls";
    this.hasCopies = sabotage.ignores === "upload_file_single" || (!needsOthers && seed % 3 === 0);
    const crash = dice.pick([0, 0.001, 0.005, 0.02]);
    this.rates = {
      crash,
      // Otherwise no operation that calls many nodes would survive to its end.
      crashOnEachNode: crash / Math.max(fewNodes, nodeCount),
      loseNews: dice.pick([0, 0.1, 0.5]),
      latencyMs: dice.pick([1, 20, 200]),
    };
    // Longer for many nodes, because each round calls every node twice.
    this.watchMs = nodeCount > fewNodes ? 3 * minute : dice.pick([30_000, minute]);
    this.jobs = new MemoryDatabase(this.clock, { leaseMs });
  }

  async run(): Promise<Outcome> {
    const stop = onBrokenInvariant(({ message }) =>
      this.broken("the program's own invariants hold", message),
    );
    try {
      await this.#run();
    } finally {
      stop();
      this.#log.detach();
    }
    for (const { process } of this.members) this.counts.effects += process.effects;
    for (const { status, job } of this.jobs.rows.values()) this.#count(status, job);
    return { violation: this.violation, counts: this.counts };
  }

  async #run(): Promise<void> {
    const { dice, clock } = this;
    await this.#makeCluster();
    for (let count = dice.between(1, 3); count > 0; count--) this.addMember();
    await this.pass(1000);
    const warMs = dice.between(2, 6) * minute;
    this.#submitStaged();
    for (let count = dice.between(15, 50); count > 0; count--) {
      // Several administrators may work on the same instances at the same time.
      const together = dice.chance(0.2) ? 3 : 1;
      const at = dice.fraction() * warMs;
      for (let one = 0; one < together; one++) clock.after(at, () => void this.#submit());
    }
    for (let count = dice.between(0, 12); count > 0; count--) {
      clock.after(dice.fraction() * warMs, () => void makeTrouble(this));
    }
    for (let count = dice.between(0, 3); count > 0; count--) {
      clock.after(dice.fraction() * warMs, () => void this.#plan());
    }
    await this.pass(warMs);
    await this.#makePeace();
    await this.#settled();
    const server = this.members.findLast(({ process }) => process.isAlive)?.cluster;
    if (server === undefined) this.broken("all ends", "no server");
    else if (this.violation === undefined) await judge(this, server);
  }

  #count(status: JobStatus, { opcodes }: Job): void {
    const isOfDead = opcodes.some(({ result }) => String(result).startsWith("detected death"));
    const kind = status === "success" ? "success" : isOfDead ? "died" : "failed";
    this.counts.jobs++;
    this.counts[kind]++;
  }

  broken(invariant: Invariant, what: string): void {
    this.violation ??= { invariant, what };
  }

  pass(ms: number): Promise<void> {
    return this.clock.pass(ms, () => this.violation !== undefined);
  }

  get nodes() {
    return this.start.nodes;
  }

  get snapshot(): Snapshot {
    return this.observer.snapshot;
  }

  async #makeCluster(): Promise<void> {
    this.start = await startOf(this.#nodeCount, this.dice, this.clock);
    this.scope = scopeOf(this.start, this.dice);
    await createConfiguration(this.#nextStore(), this.start.content);
    this.observer = await Configuration.open(this.#nextStore(), {
      clock: this.clock,
      random: this.dice,
    });
    this.observer.onChange(({ after, faults }) => {
      this.reservations.sees(after);
      const wrong = faults.filter((fault) => !isAllowed(fault));
      if (wrong.length > 0) this.broken("the configuration is consistent", wrong.join("; "));
    });
    this.#begun = new Begun(this);
  }

  #nextStore(): ConfigStore {
    const store = this.#configStores.pop();
    if (store === undefined) throw new Error("too many servers");
    return store;
  }

  /** Adds a server; if there is one server at a time, the previous one must have ended. */
  addMember(): void {
    if (this.hasCopies && this.members.some(({ process }) => process.isAlive)) return;
    const name = `server ${++this.counts.servers}`;
    const process = new Process(name, this.clock, this.dice, this.rates);
    const member: Member = { process, store: this.jobs.connect(process) };
    this.members.push(member);
    void this.#open(member).catch((error) => {
      this.#noteError(error);
      process.die();
      this.reviveLater();
    });
  }

  async #open(member: Member): Promise<void> {
    const { process, store } = member;
    const queueIsComplete = this.#queueIsComplete;
    this.#queueIsComplete = false;
    const watch: Watch = {
      passes: (event) => this.#stage(event, process),
      steps: (changes, before, by) => this.#begun.sees(changes, before, by),
      deadCommits: (dead) => this.broken("the dead change nothing", `lease ${dead}`),
    };
    member.cluster = await openServer({
      ...{ process, store, watch, log: this.#log, locks: this.#locks, simulated: this.nodes },
      ...{ jobs: this.jobs, dice: this.dice, sabotage: this.sabotage },
      configStore: this.#nextStore(),
      nodes: watchedNodes(this, store.claim),
      watcher: { intervalMs: this.watchMs, notes: this.notes },
      distribution: this.hasCopies ? { files: this.files, queueIsComplete } : undefined,
      keepsFigures: this.#keepsFigures,
    });
  }

  readonly #log = detachable({
    info: (facts, message) => this.logged("info", facts, message),
    warn: (facts, message) => this.logged("warn", facts, message),
    error: (facts, message) => {
      this.logged("error", facts, message);
      this.#noteError((facts as { readonly error?: unknown }).error);
    },
  });

  /** Records errors such as TypeError, which are bugs wherever they occur. */
  #noteError(error: unknown): void {
    const isFault = error instanceof TypeError || error instanceof RangeError;
    if (isFault) this.broken("no error of the program", `${error.stack}`);
  }

  /** Stops a server in an orderly way. */
  async stop({ process, cluster }: Member, graceMs: number): Promise<void> {
    await cluster?.stop({ graceMs });
    await cluster?.close();
    if (process.isAlive) this.#queueIsComplete = cluster?.copies?.isComplete ?? false;
    process.die();
    this.reviveLater();
  }

  /** Ends the process, or freezes it for longer than its lease while another server declares it dead. */
  #stage(event: StagedEvent, process: Process): void {
    if (this.sabotage.staged !== event || this.#stagedIn.has(process)) return;
    if (this.#isPeace || this.#stagedIn.size === 5) return;
    this.#stagedIn.add(process);
    if (event === "deaths after disks") process.die();
    else process.freeze(2 * leaseMs);
    this.addMember();
  }

  /** Servers that accept jobs. */
  get able(): readonly Cluster[] {
    return this.members.flatMap(({ process, cluster }) =>
      process.isAlive && cluster?.queue.isOpen ? [cluster] : [],
    );
  }

  async #submit(): Promise<void> {
    const { able, dice } = this;
    if (able.length === 0) return;
    const opcodes = randomJob(dice, this.snapshot, this.scope);
    const id = await dice
      .pick(able)
      .queue.submit(opcodes)
      .catch(() => undefined);
    if (id !== undefined) this.acknowledged.add(id);
  }

  /** Makes a random request to a planner. */
  async #plan(): Promise<void> {
    const { able, dice } = this;
    if (able.length === 0) return;
    try {
      await randomPlan(dice.pick(able).planner, dice, this.scope);
      this.counts.planned++;
    } catch (error) {
      if (!(error instanceof OperationError)) this.broken("no error of the program", `${error}`);
    }
  }

  #submitStaged(): void {
    const opcodes = stagedJobs[this.sabotage.staged as StagedJob];
    if (opcodes === undefined) return;
    const [server] = this.able;
    if (server === undefined) this.clock.after(1000, () => this.#submitStaged());
    else void server.queue.submit(opcodes).catch(() => undefined);
  }

  /** Names of damaged instances, including those that lost disks were attached to later. */
  get damagedNames(): readonly string[] {
    const hasLost = [...this.snapshot.instances()].filter(({ disks }) =>
      disks.some((disk) => this.damaged.has(disk)),
    );
    return [...this.damaged, ...hasLost.flatMap(({ name }) => name ?? [])];
  }

  uuids(): readonly string[] {
    return this.start.content.nodes.map(({ uuid }) => uuid);
  }

  uuidOf(name: string): string {
    return this.start.content.nodes.find((node) => node.name === name)?.uuid ?? "none";
  }

  reviveLater(): void {
    this.clock.after(this.dice.fraction() * 20_000, () => {
      const isServed = this.members.some(
        ({ process, cluster }) => process.isAlive && cluster?.queue.isOpen !== false,
      );
      if (!isServed) this.addMember();
    });
  }

  /** Ends all faults and leaves at least one working server. */
  async #makePeace(): Promise<void> {
    this.#isPeace = true;
    Object.assign(this.rates, { crash: 0, crashOnEachNode: 0, loseNews: 0.1, latencyMs: 20 });
    for (const repair of this.repairs) repair();
    if (this.sabotage.forgets) for (const id of this.acknowledged) this.jobs.rows.delete(id);
    for (const node of this.uuids()) {
      if (this.nodes.stateOf(node)?.powered === false) await this.nodes.powerOn(node);
    }
    this.addMember();
  }

  /** Jobs that have not ended and were submitted at least this long (ms) ago. */
  open(ageMs = 0) {
    const before = this.clock.wallMicros() / 1e6 - ageMs / 1000;
    return [...this.jobs.rows.values()].filter(
      ({ job }) => job.ended === null && (job.received?.[0] ?? 0) <= before,
    );
  }

  async #settled(): Promise<void> {
    // Time for leases to expire, frozen servers to continue and jobs to submit further jobs, then for two rounds of recovery.
    await this.pass(3 * minute);
    // Only old jobs count, because the watcher keeps submitting new ones.
    const stuck = () => this.open(10 * minute);
    for (let waited = 0; waited < 240 && this.open(2 * minute).length > 0; waited++) {
      await this.pass(minute);
    }
    if (stuck().length > 0) {
      this.broken(
        "all ends",
        stuck()
          .map(({ id, status }) => `job ${id} is ${status}`)
          .join(),
      );
    }
    await this.pass(1.5 * minute);
  }

  /** Runs a job of the quiet phase and returns the texts of its log. */
  async runJob(server: Cluster, opcode: JsonObject): Promise<readonly Json[]> {
    const id = await this.wait(server.queue.submit([opcode]));
    await this.wait(server.queue.ended(id), 240);
    return (this.jobs.rows.get(id)?.job.opcodes[0]?.log ?? []).map(([, , , text]) => text);
  }

  /** Advances the clock until the promise is settled. */
  async wait<T>(promise: Promise<T>, minutesMax = 10): Promise<T> {
    let isOver = false;
    const done = promise.finally(() => {
      isOver = true;
    });
    await this.clock.pass(minutesMax * minute, () => isOver);
    if (!isOver) throw new Error("a call of the quiet phase does not end");
    return done;
  }
}
