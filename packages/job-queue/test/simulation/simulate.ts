// One run of the whole queue from one seed: workers, clients, faults, and then peace.
import { createLockManager } from "@ganeti-ts/locking";
import type { Clock, Json } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { Dice, Process, VirtualClock } from "@ganeti-ts/testkit/simulation";
import {
  type Change,
  type Executor,
  JobQueue,
  MemoryDatabase,
  type MemoryStore,
  TryAgainError,
} from "../../src/index.js";
import { Auditor, type Violation } from "./auditor.js";
import { Effects } from "./effects.js";
import { LockDatabase } from "./faulty-locks.js";
import { type Faults, FaultyStore } from "./faulty-store.js";
import { MovingLocks } from "./moving-locks.js";
import { operate } from "./operations.js";
import type { Sabotage } from "./sabotage.js";
import { type Staged, submitStaged } from "./staged.js";
import { randomCall } from "./workload.js";

export interface Outcome {
  readonly violation: Violation | undefined;
  readonly jobCount: number;
  readonly counts: Auditor["counts"];
  readonly virtualMs: number;
}

const leaseMs = 30_000;
const minute = 60_000;

export async function simulate(seed: number, sabotage: Sabotage = {}): Promise<Outcome> {
  return new World(seed, sabotage).run();
}

interface Member {
  readonly process: Process;
  readonly store: MemoryStore;
  queue: JobQueue | undefined;
}

class World {
  readonly #dice: Dice;
  readonly #clock = new VirtualClock();
  readonly #machineClock: Clock = {
    now: () => this.#clock.now(),
    after: (delayMs, then) => this.#clock.after(delayMs, then),
    wallMicros: () => this.#clock.wallMicros() + this.#wallOffsetMs * 1000,
  };
  readonly #faults: Faults;
  readonly #sabotage: Sabotage;
  readonly #database: MemoryDatabase;
  readonly #locks: LockDatabase;
  readonly #auditor: Auditor;
  readonly #effects: Effects;
  readonly #members: Member[] = [];
  readonly #lookMax: number;
  #wallOffsetMs = 0;
  #databaseOffsetMs = 0;
  #setBackMs = 0;
  #isPeace = false;
  #hasStaged = false;
  /** Calls of clients that have not been answered; those to processes that have died never are. */
  #openCalls = 0;
  #processCount = 0;

  constructor(seed: number, sabotage: Sabotage) {
    this.#dice = new Dice(seed);
    // Every third queue looks at few jobs at a time, so that passes are made of several steps.
    this.#lookMax = seed % 3 === 0 ? 1 + (seed % 4) : Infinity;
    this.#sabotage = sabotage;
    const rate = this.#dice.pick([0, 0.002, 0.01]);
    this.#faults = {
      crash: this.#dice.chance(0.7) ? 2 * rate : 0,
      refuse: rate,
      repeat: rate * 3,
      loseNews: this.#dice.pick([0, 0.1, 0.5]),
      doubleNews: 0.1,
      latencyMs: this.#dice.pick([1, 20, 400]),
    };
    const clock = {
      ...this.#machineClock,
      now: () => this.#clock.now() + this.#databaseOffsetMs,
    };
    this.#database = new MemoryDatabase(clock, { leaseMs });
    if (sabotage.noFence) this.#database.isFenced = () => false;
    this.#auditor = new Auditor(this.#database);
    const { refusesNothing = false } = sabotage;
    this.#effects = new Effects(this.#auditor, this.#dice, this.#faults, refusesNothing);
    this.#locks = new LockDatabase(this.#database, sabotage.locks ?? {});
    this.#locks.onChange = () => {
      const over = [...this.#locks.leases()].find((lease) => this.#isBuried(lease));
      if (over !== undefined) {
        this.#auditor.broken("the dead hold nothing", `lease ${over} is over and still counts`);
      }
    };
  }

  async run(): Promise<Outcome> {
    const dice = this.#dice;
    const { staged } = this.#sabotage;
    const runsJobs = staged?.workers ?? Array.from({ length: dice.between(1, 3) });
    for (const runs of runsJobs) this.#addMember(runs);
    if (staged !== undefined) this.#clock.after(5000, () => void this.#submitStaged(staged));
    const warMs = dice.between(2, 8) * 0.5 * minute;
    for (let count = dice.between(10, 40); count > 0; count--) {
      this.#clock.after(dice.fraction() * warMs, () => this.#call());
    }
    for (let count = dice.between(0, 6); count > 0; count--) {
      this.#clock.after(dice.fraction() * warMs, () => this.#trouble());
    }
    this.#watch();
    await this.#pass(warMs);
    this.#makePeace();
    await this.#pass(minute);
    await this.#pass(600 * minute, () => this.#allEnded());
    // A call that was under way may have brought new jobs since.
    await this.#pass(1.5 * minute);
    await this.#pass(600 * minute, () => this.#allEnded());
    await this.#pass(11 * minute, () => this.#openCalls === 0);
    await this.#pass(minute / 6);
    if (this.#auditor.violation === undefined) this.#finish();
    return {
      violation: this.#auditor.violation,
      jobCount: this.#auditor.submittedCount,
      counts: this.#auditor.counts,
      virtualMs: this.#clock.now(),
    };
  }

  #pass(ms: number, isOver: () => boolean = () => false): Promise<void> {
    return this.#clock.pass(ms, () => this.#auditor.violation !== undefined || isOver());
  }

  #allEnded(): boolean {
    return [...this.#database.rows.values()].every((row) => row.job.ended !== null);
  }

  #addMember(runsJobs?: boolean): void {
    const dice = this.#dice;
    const name = `process ${++this.#processCount}`;
    const process = new Process(name, this.#machineClock, dice, this.#faults);
    const store = this.#database.connect(process);
    const runs = runsJobs ?? (this.#isPeace || dice.chance(0.8));
    const member: Member = { process, store, queue: undefined };
    this.#members.push(member);
    void this.#open(member, runs);
  }

  async #open(member: Member, runs: boolean): Promise<void> {
    const { process, store } = member;
    const audited = {
      before: (changes: readonly Change[]) => this.#auditor.before(changes),
      after: (changes: readonly Change[]) => {
        const startsAll = member.queue?.isWorking === true && this.#lookMax === Infinity;
        this.#auditor.after(changes, store.claim.worker, startsAll);
        this.#hearOf(changes);
      },
    };
    const around = { dice: this.#dice, faults: this.#faults };
    const faulty = new FaultyStore(store, process, around, audited, this.#sabotage.store ?? {});
    try {
      member.queue = await JobQueue.open({
        store: faulty,
        clock: process,
        random: this.#dice,
        lookMax: this.#lookMax,
        patterns: compilePattern,
        locks: createLockManager({
          store: this.#locks.connect(process, store.claim),
          clock: process,
        }),
        effectTakers: this.#effects.takersFor(process),
        pollMs: this.#sabotage.noPoll ? 1e12 : 3000,
        ...(runs ? { executor: this.#executor(member) } : {}),
      });
    } catch {
      process.die(); // It could not start; another one is started.
      this.#reviveLater();
    }
  }

  /** Jobs taken from a worker and jobs of dead workers exclude no others any more. */
  #hearOf(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === "job" && change.claim === null) this.#auditor.taken(change.job.id);
      if (change.kind !== "bury") continue;
      this.#auditor.counts.died++;
      const dead = this.#members.find(({ store }) => store.claim.worker === change.dead.worker);
      if (dead !== undefined) this.#auditor.abandoned(dead.process);
    }
  }

  #executor({ process, store }: Member): Executor {
    const auditor = this.#auditor;
    const dice = this.#dice;
    const moving = new MovingLocks(dice);
    return {
      locks: (opcode, id) => moving.ask(opcode, id),
      run: async (opcode, context) => {
        const { jobId, opcodeIndex } = context;
        if (moving.lacks(opcode, jobId)) throw new TryAgainError("it has moved");
        const isFenced = this.#database.isFenced(store.claim) || context.signal.aborted;
        this.#auditor.began(jobId, opcodeIndex, process, moving.held(jobId), isFenced);
        let result: Json | undefined;
        let mayBeginAgain = false;
        try {
          if (this.#sabotage.hangs) await process.never;
          result = await operate(opcode, context, { process, auditor, dice });
          await this.#endStaged(process);
          this.#effects.arrives(store.claim, context);
          return this.#sabotage.lies ? "a lie" : result;
        } catch (error) {
          mayBeginAgain = error instanceof TryAgainError;
          throw error;
        } finally {
          this.#auditor.over(jobId, opcodeIndex, result, mayBeginAgain);
        }
      },
    };
  }

  async #submitStaged(staged: Staged): Promise<void> {
    const queue = this.#members[staged.client]?.queue;
    if (queue !== undefined) await submitStaged(queue, staged).catch(() => undefined);
  }

  /** The staged fate of the first process in which an operation ends. */
  async #endStaged(process: Process): Promise<void> {
    const fate = this.#sabotage.staged?.inOperation;
    if (fate === undefined || this.#hasStaged || this.#isPeace) return;
    this.#hasStaged = true;
    if (fate === "dies") process.die();
    else process.freeze(4 * leaseMs);
    await process.pause(0);
  }

  #call(): void {
    const able = this.#members.filter(
      ({ process, queue }) => process.isAlive && queue !== undefined,
    );
    if (able.length === 0) return;
    const { process, queue } = this.#dice.pick(able);
    let isOpen = true;
    this.#openCalls++;
    const call = randomCall(queue as JobQueue, this.#database, this.#auditor, this.#dice);
    void call
      .catch(() => undefined)
      .finally(() => {
        isOpen = false;
        this.#openCalls--;
      });
    // The longest any call may take is 89 s; standing still and refusals come on top.
    this.#clock.after(10 * minute, () => {
      if (isOpen && process.isAlive)
        this.#auditor.broken("calls are answered", `${process.name} waits`);
    });
  }

  #trouble(): void {
    const dice = this.#dice;
    const member = dice.pick(this.#members);
    switch (dice.between(1, 6)) {
      case 1:
        member.process.die();
        break;
      case 2:
      case 3:
        member.process.freeze(dice.pick([5000, 25_000, 45_000, 120_000]));
        break;
      case 4:
        this.#wallOffsetMs += dice.pick([-3_600_000, -5, 5, 3_600_000]);
        break;
      case 5:
        if (dice.chance(0.3)) this.#jump(dice.pick([-20_000, 20_000, 60_000]));
        else this.#addMember();
        break;
      default:
        if (member.process.isAlive)
          void member.queue?.stop({ graceMs: dice.pick([0, 1000, 60_000]) });
    }
    this.#reviveLater();
  }

  /** The database's clock jumps. Set back, it makes all leases last longer. */
  #jump(ms: number): void {
    this.#databaseOffsetMs += ms;
    if (ms < 0) this.#setBackMs -= ms;
  }

  #reviveLater(): void {
    this.#clock.after(this.#dice.fraction() * 20_000, () => {
      if (!this.#members.some(({ process, queue }) => process.isAlive && queue?.isOpen !== false))
        this.#addMember();
    });
  }

  /** No more faults; what holds jobs is taken away; a worker that is well looks after the rest. */
  #makePeace(): void {
    this.#isPeace = true;
    Object.assign(this.#faults, { crash: 0, refuse: 0, repeat: 0, loseNews: 0.2, latencyMs: 20 });
    this.#addMember();
    const calm = this.#members.at(-1) as Member;
    const settle = async () => {
      // Again and again: a call that was made before may still be under way.
      this.#clock.after(10_000, settle);
      if (calm.queue === undefined) return;
      const { rules, settings } = this.#database;
      for (const uuid of rules.keys()) await calm.queue.deleteRule(uuid).catch(() => undefined);
      if (settings.runningMax !== 5) await calm.queue.change({ drained: false, runningMax: 5 });
    };
    this.#clock.after(100, settle);
  }

  /** Every few seconds: what could start does not wait for long, and the dead hold nothing for long. */
  #watch(): void {
    const holding = new Map<string, number>();
    let idleSince: number | undefined;
    const look = () => {
      const now = this.#clock.now();
      const healthy = this.#members.some(
        ({ process, queue, store }) =>
          process.isAlive &&
          queue?.isOpen &&
          queue.isWorking &&
          process.frozenUntil <= now &&
          !this.#database.isFenced(store.claim),
      );
      const startable = healthy && this.#auditor.startable().length > 0;
      if (!startable) idleSince = undefined;
      else idleSince ??= now;
      // A poll, a slow step, a step that is refused: 20 s are more than enough.
      if (idleSince !== undefined && now - idleSince > 20_000) {
        this.#auditor.broken(
          "no delay without cause",
          `job ${this.#auditor.startable()[0]} could have started`,
        );
      }
      this.#lookAtLocks(holding, healthy, now);
      this.#clock.after(4000, look);
    };
    this.#clock.after(4000, look);
  }

  #isBuried(lease: string): boolean {
    const [worker, fence] = lease.split(":").map(Number) as [number, number];
    return this.#database.isBuried({ worker, fence });
  }

  #lookAtLocks(since: Map<string, number>, healthy: boolean, now: number): void {
    for (const lease of [...since.keys(), ...this.#locks.leases()]) {
      const worker = Number(lease.split(":")[0]);
      const member = this.#members.find(({ store }) => store.claim.worker === worker);
      const isDead =
        member !== undefined &&
        !member.process.isAlive &&
        !this.#isBuried(lease) &&
        this.#locks.leases().has(lease);
      if (!isDead || !healthy) since.delete(lease);
      else if (!since.has(lease)) since.set(lease, now);
      if (now - (since.get(lease) ?? now) > leaseMs + this.#setBackMs + 40_000) {
        this.#auditor.broken("the dead hold nothing", `lease ${lease}`);
      }
    }
  }

  #finish(): void {
    this.#auditor.finish();
    // Locks of buried workers are released with the next change of any lock.
    const left = [...this.#locks.leases()].filter((lease) => !this.#isBuried(lease));
    if (left.length > 0)
      this.#auditor.broken("the dead hold nothing", `${left} have or want locks`);
    for (const { process, queue } of this.#members) {
      if (!process.isAlive || queue === undefined || !queue.isOpen) continue;
      if (queue.heldCount > 0)
        this.#auditor.broken("all ends", `${process.name} holds ${queue.heldCount} jobs`);
    }
  }
}
