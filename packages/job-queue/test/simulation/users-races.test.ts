// Races that users of Ganeti have met, each as a scenario on a virtual clock.
import { createLockManager, type LockName } from "@ganeti-ts/locking";
import type { JobId, JsonObject } from "@ganeti-ts/protocol";
import { systemClock } from "@ganeti-ts/protocol";
import { Dice, Process, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { type Executor, JobQueue, MemoryDatabase, TryAgainError } from "../../src/index.js";
import { LockDatabase } from "./faulty-locks.js";
import { type Faults, FaultyStore } from "./faulty-store.js";

const quiet: Faults = { crash: 0, refuse: 0, repeat: 0, loseNews: 0, doubleNews: 0, latencyMs: 5 };

/** Workers that run `duration` ms per opcode, under the locks that it names. */
class Stage {
  readonly clock = new VirtualClock();
  readonly dice = new Dice(1);
  readonly database = new MemoryDatabase(this.clock, { leaseMs: 30_000 });
  readonly begun: string[] = [];
  readonly #locks = new LockDatabase(this.database, {});
  readonly #faults: Faults;

  constructor(faults: Partial<Faults> = {}) {
    this.#faults = { ...quiet, ...faults };
  }

  async worker(name: string, runs = true): Promise<{ process: Process; queue: JobQueue }> {
    const process = new Process(name, this.clock, this.dice, this.#faults);
    const inner = this.database.connect(process);
    const auditor = { before: () => {}, after: () => {} };
    const store = new FaultyStore(
      inner,
      process,
      { dice: this.dice, faults: this.#faults },
      auditor,
      {},
    );
    const locks = createLockManager({
      store: this.#locks.connect(process, inner.claim),
      clock: process,
    });
    const executor = {
      locks: (opcode: JsonObject) =>
        ((opcode.locks ?? []) as LockName[]).map((lock) => ({ lock, mode: "exclusive" as const })),
      run: async (opcode: JsonObject, { jobId }: { jobId: number }) => {
        this.begun.push(`${name} ${jobId}`);
        await new Promise<void>((resolve) => process.after(Number(opcode.duration ?? 0), resolve));
        return name;
      },
    };
    const opening = JobQueue.open({
      store,
      locks,
      clock: process,
      random: this.dice,
      pollMs: 1000,
      ...(runs ? { executor } : {}),
    });
    await this.pass(100);
    return { process, queue: await opening };
  }

  /** Lets virtual time go by. */
  pass(ms: number): Promise<void> {
    return this.clock.pass(ms);
  }

  job(id: number) {
    return this.database.rows.get(id as JobId);
  }
}

const op = (more: JsonObject = {}): JsonObject => ({ OP_ID: "OP_TEST", ...more });

test("a worker that was only slow: its job is declared dead once, and its late result changes nothing", async () => {
  const stage = new Stage();
  const slow = await stage.worker("slow");
  void slow.queue.submit([op({ duration: 1000 })]);
  await stage.pass(200);
  const other = await stage.worker("other");
  slow.process.freeze(120_000);
  await stage.pass(60_000);
  const dead = stage.job(1);
  expect(dead?.job.opcodes.map(({ result }) => result)).toEqual(["detected death of job 1"]);
  await stage.pass(120_000);
  expect(stage.job(1)).toBe(dead);
  expect(stage.begun).toEqual(["slow 1"]);
  expect([slow.queue.isOpen, other.queue.isOpen]).toEqual([false, true]);
});

test("notifications that all get lost delay a job by one poll, not by half a minute", async () => {
  const stage = new Stage({ loseNews: 1 });
  await stage.worker("worker");
  const client = await stage.worker("client", false);
  void client.queue.submit([op()]);
  await stage.pass(1200);
  expect(stage.job(1)?.status).toBe("success");
});

test("a job that waits for a lock of a dead worker can be canceled immediately", async () => {
  const stage = new Stage();
  const first = await stage.worker("first");
  void first.queue.submit([op({ locks: ["node/1"], duration: 1e9 })]);
  await stage.pass(200);
  const second = await stage.worker("second");
  first.process.die();
  void second.queue.submit([op({ locks: ["node/1"] })]);
  await stage.pass(500);
  expect(stage.job(2)?.status).toBe("waiting");
  const canceled = second.queue.cancel(2 as JobId);
  await stage.pass(500);
  expect(await canceled).toEqual([true, "Job successfully cancelled"]);
});

test("a cancel that its worker never hears of is answered when the worker is declared dead", async () => {
  const stage = new Stage();
  const first = await stage.worker("first");
  void first.queue.submit([op({ locks: ["node/1"], duration: 1e9 })]);
  await stage.pass(200);
  void first.queue.submit([op({ locks: ["node/1"] })]);
  await stage.pass(200);
  const second = await stage.worker("second");
  first.process.die();
  const canceled = second.queue.cancel(2 as JobId);
  await stage.pass(43_000);
  expect(await canceled).toEqual([true, "Job successfully cancelled"]);
});

test("a worker releases ended jobs, however many there were", async () => {
  const stage = new Stage();
  const { queue } = await stage.worker("worker");
  for (let round = 0; round < 20; round++) {
    void queue.submitMany(Array.from({ length: 50 }, () => [op()]));
    await stage.pass(5000);
  }
  expect(
    [...stage.database.rows.values()].filter(({ status }) => status === "success"),
  ).toHaveLength(1000);
  expect(queue.heldCount).toBe(0);
  const archived = queue.autoArchive(-1, 60);
  await stage.pass(1000);
  expect(await archived).toEqual([1000, 0]);
});

test("an opcode that needs more locks than it asked for frees what it has and asks again", async () => {
  const database = new MemoryDatabase(systemClock, { leaseMs: Infinity });
  const locks = createLockManager();
  const asked: string[][] = [];
  const held: (readonly string[])[] = [];
  let where: readonly LockName[] = ["node/1"];
  const executor: Executor = {
    locks: () => {
      asked.push([...where]);
      return where.map((lock) => ({ lock, mode: "exclusive" as const }));
    },
    run: async (_, context) => {
      const { jobId, lease } = context;
      held.push([...(await locks.holdsOf({ id: jobId, token: lease, lease })).keys()]);
      expect(context.locks.map(({ lock }) => lock)).toEqual(held.at(-1));
      if (held.length > 1) return "done";
      where = ["node/2", "node/3"];
      throw new TryAgainError("it has moved");
    },
  };
  const store = database.connect(systemClock);
  const random = new Dice(1);
  const queue = await JobQueue.open({ store, locks, clock: systemClock, random, executor });
  await queue.submit([op()]);
  await queue.idle();
  expect(database.rows.get(1 as JobId)?.status).toBe("success");
  expect(held).toEqual([["node/1"], ["node/2", "node/3"]]);
  // Asked when it is taken, and once for each of the two attempts.
  expect(asked).toEqual([["node/1"], ["node/1"], ["node/2", "node/3"]]);
  expect(await locks.monitor()).toEqual([]);
  await queue.stop();
});
