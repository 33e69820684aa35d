// One run of a whole cluster from one seed: servers, nodes, administrators, faults, and a final
// quiet phase.

import {
  type ConfigStore,
  type Configuration,
  createConfiguration,
  createMemoryStores,
  nodesOfInstance,
} from "@ganeti-ts/config";
import { type JobQueue, leaseText, MemoryDatabase, type MemoryStore } from "@ganeti-ts/job-queue";
import type { NodeBackend, NodeCallName } from "@ganeti-ts/node-calls";
import type { JobId, Json, JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { setEntry, setVolume } from "@ganeti-ts/simulated-nodes";
import {
  commandsOfVerification,
  DumpedSystems,
  faultsAtRest,
  lostData,
  lostSystems,
  opcodeOf,
  straysRunning,
  usersOfHeld,
} from "@ganeti-ts/simulated-nodes/at-rest";
import { Dice, Process, type Rates, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { namesCutInMigration } from "./cut-migrations.js";
import { namesWithoutData } from "./destruction.js";
import { unending, unlessGivenUp } from "./given-up.js";
import { LockDatabase } from "./ports.js";

import { Reservations } from "./reservations.js";
import type { Invariant, Sabotage, StagedEvent, StagedJob } from "./sabotage.js";
import { openServer } from "./server.js";
import { stagedJobs } from "./staged-jobs.js";
import { fewNodes, type Start, scopeOf, startOf } from "./start.js";
import { commit, randomJob, type Scope } from "./workload.js";

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
const minute = 60_000;

interface Member {
  readonly process: Process;
  readonly store: MemoryStore;
  config?: Configuration;
  queue?: JobQueue;
}

class World {
  readonly #dice: Dice;
  readonly #clock = new VirtualClock();
  readonly #sabotage: Sabotage;
  readonly #rates: Rates;
  readonly #jobs: MemoryDatabase;
  readonly #locks: LockDatabase;
  /** Each server has its own store, with the same configuration. */
  readonly #configStores = [...createMemoryStores(60)];
  readonly #members: Member[] = [];
  /** The processes to which the staged event has happened. */
  readonly #stagedIn = new Set<Process>();
  readonly #acknowledged = new Set<JobId>();
  readonly #begun = new Set<string>();
  /** Undo functions for calls that were made to fail. */
  readonly #repairs: (() => void)[] = [];
  readonly #unreachableSince = new Map<string, number>();
  readonly #counts = {
    jobs: 0,
    success: 0,
    failed: 0,
    died: 0,
    effects: 0,
    late: 0,
    committed: 0,
    servers: 0,
    killed: 0,
    completed: 0,
    restarted: 0,
  };
  readonly #reservations = new Reservations((what) =>
    this.#broken("reservations stay what they are", what),
  );
  readonly #dumped = new DumpedSystems();
  readonly #nodeCount: number;
  readonly #keepsFigures: boolean;
  #start!: Start;
  #scope!: Scope;
  #isPeace = false;
  #violation: Violation | undefined;

  constructor(seed: number, sabotage: Sabotage, nodeCount: number) {
    this.#dice = new Dice(seed);
    this.#sabotage = sabotage;
    this.#nodeCount = nodeCount;
    this.#keepsFigures = nodeCount > fewNodes && seed % 2 === 1;
    const crash = this.#dice.pick([0, 0.001, 0.005, 0.02]);
    this.#rates = {
      crash,
      // Else no operation would live to the end of its questions to many nodes.
      crashOnEachNode: (crash * fewNodes) / Math.max(fewNodes, nodeCount),
      loseNews: this.#dice.pick([0, 0.1, 0.5]),
      latencyMs: this.#dice.pick([1, 20, 200]),
    };
    this.#jobs = new MemoryDatabase(this.#clock, { leaseMs });
    this.#locks = new LockDatabase(this.#jobs);
  }

  async run(): Promise<Outcome> {
    const dice = this.#dice;
    await this.#makeCluster();
    for (let count = dice.between(1, 3); count > 0; count--) this.#addMember();
    await this.#pass(1000);
    const warMs = dice.between(2, 6) * minute;
    this.#submitStaged();
    for (let count = dice.between(15, 50); count > 0; count--) {
      this.#clock.after(dice.fraction() * warMs, () => void this.#submit());
    }
    for (let count = dice.between(0, 12); count > 0; count--) {
      this.#clock.after(dice.fraction() * warMs, () => void this.#trouble());
    }
    await this.#pass(warMs);
    await this.#makePeace();
    await this.#settled();
    if (this.#violation === undefined) await this.#finish();
    for (const { process } of this.#members) this.#counts.effects += process.effects;
    return { violation: this.#violation, counts: this.#counts };
  }

  #broken(invariant: Invariant, what: string): void {
    this.#violation ??= { invariant, what };
  }

  #pass(ms: number): Promise<void> {
    return this.#clock.pass(ms, () => this.#violation !== undefined);
  }

  get #nodes() {
    return this.#start.nodes;
  }

  async #makeCluster(): Promise<void> {
    this.#start = await startOf(this.#nodeCount, this.#dice, this.#clock);
    this.#scope = scopeOf(this.#start, this.#dice);
    const store = this.#configStores.pop() as ConfigStore;
    await createConfiguration(store, this.#start.content);
  }

  #addMember(): void {
    const process = new Process(
      `server ${this.#members.length + 1}`,
      this.#clock,
      this.#dice,
      this.#rates,
    );
    const member: Member = { process, store: this.#jobs.connect(process) };
    this.#members.push(member);
    this.#counts.servers++;
    void this.#open(member).catch(() => {
      process.die();
      this.#reviveLater();
    });
  }

  async #open(member: Member): Promise<void> {
    const { process, store } = member;
    const opened = await openServer({
      process,
      store,
      dice: this.#dice,
      sabotage: this.#sabotage,
      keepsFigures: this.#keepsFigures,
      nodes: this.#watched(store),
      fence: this.#nodes,
      masterHost: (master) => this.#nodes.masterHost(master),
      jobs: this.#jobs,
      locks: this.#locks,
      configStore: this.#configStores.pop() as ConfigStore,
      begins: (key, OP_ID) => {
        if (this.#begun.has(key)) this.#broken("nothing runs twice", `${key} ${OP_ID}`);
        this.#begun.add(key);
      },
      mayBeginAgain: (key) => void this.#begun.delete(key),
      reservations: this.#reservations,
      passes: (event) => this.#stage(event, process),
      deadCommits: (dead) => this.#broken("the dead change nothing", `lease ${dead}`),
      finds: (faults) => this.#broken("the configuration is consistent", faults.join("; ")),
    });
    Object.assign(member, opened);
  }

  /** Ends the process, or freezes it for longer than its lease, with another server to declare it dead. */
  #stage(event: StagedEvent, process: Process): void {
    if (this.#sabotage.staged !== event || this.#stagedIn.has(process)) return;
    if (this.#isPeace || this.#stagedIn.size === 5) return;
    this.#stagedIn.add(process);
    if (event === "deaths after disks") process.die();
    else process.freeze(2 * leaseMs);
    this.#addMember();
  }

  /**
   * Nodes that were reachable all the time and not offline must refuse calls of a worker declared
   * dead.
   */
  #watched({ claim }: MemoryStore): NodeBackend {
    const taken = (node: string, name: NodeCallName, isTaken: boolean) => {
      if (!this.#jobs.isBuried(claim)) return;
      this.#counts.late++;
      // An offline node is notified only by the next call of a living server.
      const isOffline = this.#members.some(
        ({ config }) => config?.snapshot.node(node as NodeUuid)?.offline,
      );
      if (isTaken && !isOffline && !this.#unreachableSince.has(node)) {
        this.#broken("the buried do nothing", `${name} of worker ${leaseText(claim)}`);
      }
    };
    return {
      introduce: (node) => this.#nodes.introduce(node),
      // A node completes its operation even if the caller has stopped waiting.
      call: (node, name, args, { lease, signal }) => {
        this.#dumped.sees(name, args);
        const done = this.#nodes.call(node, name, args, { lease, signal: unending });
        // Calls outside of jobs only read: those for kept figures.
        if (lease !== "") void done.then((answer) => taken(node, name, answer.ok));
        return unlessGivenUp(done, signal);
      },
    };
  }

  async #submit(): Promise<void> {
    const able = this.#members.filter(({ process, queue }) => process.isAlive && queue?.isOpen);
    if (able.length === 0) return;
    const { queue, config } = this.#dice.pick(able);
    const now = config?.snapshot;
    if (queue === undefined || now === undefined) return;
    const opcodes = randomJob(this.#dice, now, this.#scope);
    const id = await queue.submit(opcodes).catch(() => undefined);
    if (id === undefined) return;
    this.#acknowledged.add(id);
  }

  async #trouble(): Promise<void> {
    const dice = this.#dice;
    const member = this.#busyMember();
    const node = this.#uuidOf(this.#scope.node());
    switch (dice.between(1, 11)) {
      case 1:
        member.process.die();
        break;
      case 2:
      case 3:
        member.process.freeze(dice.pick([5000, 25_000, 45_000, 120_000]));
        break;
      case 4: {
        this.#unreachableSince.set(node, this.#clock.now());
        await this.#nodes.powerOff(node);
        this.#clock.after(dice.pick([5000, 60_000]), () => void this.#nodes.powerOn(node));
        break;
      }
      case 5:
      case 6: {
        const kind = dice.pick(["refused", "lost before", "lost after"] as const);
        const times = dice.between(1, 3);
        this.#repairs.push(this.#nodes.fail({ kind, node, call: dice.pick(failing), times }));
        break;
      }
      case 7: {
        const names = Object.keys(this.#nodes.stateOf(node)?.instances ?? {});
        if (names.length === 0) break;
        await this.#nodes.stopInstance(node, dice.pick(names), dice.pick(["user", "crash"]));
        break;
      }
      case 8:
      case 9:
      case 10:
        await this.#killJob();
        break;
      default:
        this.#addMember();
    }
    this.#reviveLater();
  }

  /** Servers with running jobs are preferred targets of faults. */
  #busyMember(): Member {
    const busy = this.#members.filter(({ process, queue }) => process.isAlive && queue?.heldCount);
    return this.#dice.pick(busy.length > 0 ? busy : this.#members);
  }

  #submitStaged(): void {
    const opcodes = stagedJobs[this.#sabotage.staged as StagedJob];
    const queue = this.#members.find((one) => one.queue?.isOpen)?.queue;
    if (opcodes !== undefined) void queue?.submit(opcodes).catch(() => undefined);
  }

  #uuids(): readonly string[] {
    return this.#start.content.nodes.map(({ uuid }) => uuid);
  }

  #uuidOf(name: string): string {
    return this.#start.content.nodes.find((node) => node.name === name)?.uuid ?? "none";
  }

  #reviveLater(): void {
    this.#clock.after(this.#dice.fraction() * 20_000, () => {
      if (!this.#members.some(({ process, queue }) => process.isAlive && queue?.isOpen !== false)) {
        this.#addMember();
      }
    });
  }

  /** Ends all faults and leaves at least one working server. */
  async #makePeace(): Promise<void> {
    this.#isPeace = true;
    Object.assign(this.#rates, { crash: 0, crashOnEachNode: 0, loseNews: 0.1, latencyMs: 20 });
    for (const repair of this.#repairs) repair();
    if (this.#sabotage.forgets) for (const id of this.#acknowledged) this.#jobs.rows.delete(id);
    for (const node of this.#uuids()) {
      if (this.#nodes.stateOf(node)?.powered === false) await this.#nodes.powerOn(node);
    }
    this.#addMember();
  }

  async #settled(): Promise<void> {
    // Leases expire, frozen servers continue, children of jobs are submitted; then two rounds of
    // recovery run.
    await this.#pass(3 * minute);
    for (let waited = 0; waited < 240 && !this.#allEnded(); waited++) await this.#pass(minute);
    if (!this.#allEnded()) {
      const open = [...this.#jobs.rows.values()].filter(({ job }) => job.ended === null);
      this.#broken("all ends", open.map(({ id, status }) => `job ${id} is ${status}`).join());
    }
    await this.#pass(1.5 * minute);
  }

  #allEnded(): boolean {
    return [...this.#jobs.rows.values()].every(({ job }) => job.ended !== null);
  }

  async #finish(): Promise<void> {
    const rows = [...this.#jobs.rows.values()];
    this.#counts.jobs = rows.length;
    for (const id of this.#acknowledged) {
      if (!this.#jobs.rows.has(id)) this.#broken("acknowledged is kept", `job ${id}`);
    }
    for (const { status, job } of rows) {
      const text = JSON.stringify(
        job.opcodes.map(({ result }) => result),
        bigints,
      );
      if (status === "success") this.#counts.success++;
      else if (text.includes("detected death")) this.#counts.died++;
      else this.#counts.failed++;
    }
    const { config, queue } = this.#members.at(-1) as Member;
    if (config === undefined || queue === undefined) return this.#broken("all ends", "no server");
    await this.#completeCopies(config, queue);
    await this.#restartUsers(config, queue);
    const now = await this.#wait(config.refresh());
    this.#reservations.checkAll(now);
    if (this.#sabotage.thief === "before") await this.#takeAllSpace();

    if (this.#sabotage.losesData) this.#loseVolumes();
    if (this.#sabotage.runsStray) this.#runStray();
    const jobs = rows.map(({ job }) => job);
    const except = namesWithoutData(jobs, { orEmpty: true });
    const lost = [
      ...lostData(now, this.#nodes, namesWithoutData(jobs)),
      ...lostSystems(now, this.#nodes, { except, system: this.#dumped.of }),
      ...this.#dumped.lostExports(this.#nodes, this.#uuids(), except),
    ];
    if (lost.length > 0) return this.#broken("data are kept", lost.join("; "));
    const strays = straysRunning(now, this.#nodes, namesCutInMigration(jobs));
    if (strays.length > 0) return this.#broken("instances run in one place", strays.join("; "));
    const faults = faultsAtRest(now, this.#nodes);
    const addresses = faults.filter((fault) => fault.startsWith("network "));
    if (addresses.length > 0) return this.#broken("addresses have owners", addresses.join("; "));
    const isPromise = faults.some((fault) => fault.includes("too much reserved"));
    if (isPromise) return this.#broken("nothing is promised twice", faults.join("; "));
    if (faults.length > 0) return this.#broken("all is in order at rest", faults.join("; "));
    if (this.#sabotage.thief === "after") await this.#takeAllSpace();
    await this.#commitAll(config, queue);
  }

  /**
   * Leftovers of dead jobs on offline nodes are removed after these come back; old copies of disks
   * once the commands given by verification have completed the new ones.
   */
  async #completeCopies(config: Configuration, queue: JobQueue): Promise<void> {
    for (const { name, offline, drained } of [...config.snapshot.nodes()]) {
      const node = { OP_ID: "OP_NODE_SET_PARAMS", node_name: name };
      if (offline) await this.#runJob(queue, { ...node, offline: false });
      if (drained) await this.#runJob(queue, { ...node, drained: false });
    }
    await this.#pass(1.5 * minute);
    for (let round = 0; round < 4 && config.snapshot.count("claim") > 0; round++) {
      const run = async (opcode: JsonObject) => ({ log: await this.#runJob(queue, opcode) });
      for (const command of await commandsOfVerification({ run, config })) {
        this.#counts.completed++;
        await this.#runJob(queue, opcodeOf(command));
      }
      await this.#pass(1.5 * minute);
    }
  }

  /** Devices that were to go while instances used them are removed after these have been stopped. */
  async #restartUsers(config: Configuration, queue: JobQueue): Promise<void> {
    for (const instance_name of usersOfHeld(config.snapshot, this.#nodes)) {
      this.#counts.restarted++;
      const reboot = { OP_ID: "OP_INSTANCE_REBOOT", reboot_type: "full", shutdown_timeout: 0 };
      await this.#runJob(queue, { ...reboot, instance_name });
    }
    await this.#pass(1.5 * minute);
  }

  /** Runs a job and returns the texts of its log. */
  async #runJob(queue: JobQueue, opcode: JsonObject): Promise<readonly Json[]> {
    const id = await this.#wait(queue.submit([opcode]));
    const row = () => this.#jobs.rows.get(id);
    for (let waited = 0; waited < 60 && row()?.job.ended === null; waited++)
      await this.#pass(minute / 4);
    return (row()?.job.opcodes[0]?.log ?? []).map(([, , , text]) => text);
  }

  /** `gnt-job cancel --kill` of a random running job. */
  async #killJob(): Promise<void> {
    const able = this.#members.filter(({ process, queue }) => process.isAlive && queue?.isOpen);
    const running = [...this.#jobs.rows.values()].filter(({ status }) => status === "running");
    if (able.length === 0 || running.length === 0) return;
    const { queue } = this.#dice.pick(able);
    this.#counts.killed++;
    await queue?.cancel(this.#dice.pick(running).id, { kill: true }).catch(() => undefined);
  }

  #loseVolumes(): void {
    for (const node of this.#uuids()) {
      const group = this.#nodes.stateOf(node)?.volumeGroups.xenvg;
      for (const name of Object.keys(group?.volumes ?? {})) {
        if (group !== undefined) setVolume(group, name, undefined);
      }
    }
  }

  #runStray(): void {
    const { instances = {} } = this.#nodes.stateOf(this.#uuids()[0] ?? "") ?? {};
    const size = { hypervisor: "kvm", memoryMib: 128, vcpus: 1 };
    setEntry(instances, "stray.example.com", { ...size, state: "running", startedMicros: 0 });
  }

  async #takeAllSpace(): Promise<void> {
    for (const node of this.#uuids()) await this.#nodes.fillDisk(node, "xenvg", 0);
  }

  /** Each reservation can become real in addition to all others. */
  async #commitAll(config: Configuration, queue: JobQueue): Promise<void> {
    for (const { uuid } of [...config.snapshot.instances()]) {
      const instance = config.snapshot.instance(uuid);
      if (!instance?.forthcoming || instance.disks.length === 0) continue;
      if (instance.primary_node === undefined) continue;
      const nodes = nodesOfInstance(config.snapshot, instance);
      if (nodes.some((node) => isShut(config, node))) continue;
      const id = await this.#wait(queue.submit([commit(uuid)]));
      await this.#pass(2 * minute);
      const row = this.#jobs.rows.get(id);
      if (row?.status === "success") this.#counts.committed++;
      else this.#broken("reservations hold", JSON.stringify(row?.job.opcodes[0]?.result, bigints));
    }
  }

  /** Advances the clock until the promise is settled. */
  async #wait<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const done = promise.finally(() => {
      isOver = true;
    });
    for (let at = 0; at < 600 && !isOver; at++) await this.#clock.pass(1000);
    if (!isOver) throw new Error("a call of the quiet phase does not end");
    return done;
  }
}

/** Calls that may be made to fail: those that change nodes. */
const failing: readonly NodeCallName[] = [
  ...(["blockdev_create", "blockdev_remove", "blockdev_assemble", "blockdev_shutdown"] as const),
  ...(["blockdev_grow", "blockdev_rename", "instance_start", "instance_shutdown"] as const),
  ...(["drbd_attach_net", "drbd_disconnect_net", "instance_os_add"] as const),
  ...(["blockdev_convert", "file_storage_dir_create", "file_storage_dir_rename"] as const),
  ...(["file_storage_dir_remove", "finalize_export", "import_start", "export_start"] as const),
];

const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);

const isShut = ({ snapshot }: Configuration, node: NodeUuid): boolean => {
  const { offline = true, drained = true } = snapshot.node(node) ?? {};
  return offline || drained;
};
