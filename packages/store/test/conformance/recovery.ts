// Recovery of jobs and locks after the death of a worker.
import type { Executor, JobQueue } from "@ganeti-ts/job-queue";
import { lockName } from "@ganeti-ts/locking";
import { describe, expect, test } from "vitest";
import {
  comesTo,
  eventually,
  field,
  Hands,
  type Implementation,
  jobId,
  obedient,
  op,
  openQueue,
  Takers,
  worldOfEachTest,
} from "./world.js";

const pauseUuid = "00000000-0000-4000-8000-000000000001";

const textOfBig = (_: string, value: unknown) =>
  typeof value === "bigint" ? String(value) : value;

export function describeRecovery({ makeWorld }: Implementation): void {
  const world = worldOfEachTest(makeWorld);

  describe("after a worker's death", () => {
    test("jobs in the queue are run, those that have ended stay as they are", async () => {
      const first = await world.connect();
      const before = await openQueue(first, { executor: obedient });
      await before.submit([op("A", { result: 7 })]);
      await comesTo(before, 1, "success");
      await before.change({ runningMax: 0 });
      await before.submit([op("B")]);
      await first.kill();
      const hands = new Hands();
      const after = await openQueue(await world.connect(), { executor: hands });
      expect(hands.begun).toEqual([]);
      await after.change({ runningMax: 5 });
      await hands.end(2, 0, 8);
      await comesTo(after, 2, "success");
      expect(await field(after, 1, "opresult")).toEqual([7]);
      expect(hands.begun).toEqual(["2.0 OP_B"]);
      await after.stop();
    });

    test("an opcode under way has failed, is not run again, and finished ones keep their results", async () => {
      const first = await world.connect();
      const hands = new Hands();
      const before = await openQueue(first, { executor: hands });
      await before.submit([op("A"), op("B"), op("C")]);
      await hands.end(1, 0, "kept");
      await eventually(() => hands.begun.length === 2);
      await first.kill();
      const after = await openQueue(await world.connect(), { executor: obedient });
      await comesTo(after, 1, "error");
      const death = "detected death of job 1";
      expect(await field(after, 1, "opresult")).toEqual(["kept", death, death]);
      expect(await field(after, 1, "opstatus")).toEqual(["success", "error", "error"]);
      const inputs = (await field(after, 1, "ops")) as { reason: unknown[] }[];
      expect(inputs.map(({ reason }) => reason.length)).toEqual([1, 2, 2]);
      expect(await field(after, 1, "end_ts")).not.toBe(null);
      await after.stop();
    });

    test("a job that waited for its locks goes back to the queue with its log, and ends", async () => {
      const first = await world.connect();
      const locks = () => [{ lock: lockName("instance", "web1"), mode: "exclusive" as const }];
      const logging: Executor = {
        locks: (opcode) => (opcode.OP_ID === "OP_LOG" ? [] : locks()),
        run: async (opcode, context) => {
          if (opcode.OP_ID !== "OP_LOG") return hands.run(opcode, context);
          await context.log("kept");
          return "logged";
        },
      };
      const hands = new Hands();
      const before = await openQueue(first, { executor: logging });
      await before.submit([op("HOLD")]);
      await eventually(() => hands.begun.length === 1);
      await before.submit([op("LOG"), op("WAIT")]);
      await eventually(async () => (await before.whyNotRunning(jobId(2)))[0]?.kind === "lock");
      expect(await field(before, 2, "opstatus")).toEqual(["success", "waiting"]);
      await first.kill();

      const again = new Hands(locks);
      const after = await openQueue(await world.connect(), { executor: again });
      await again.end(2, 1, "in the end");
      await comesTo(after, 2, "success");
      expect(await field(after, 2, "opresult")).toEqual(["logged", "in the end"]);
      expect(await field(after, 2, "oplog")).toMatchObject([[[1, {}, "message", "kept"]], []]);
      expect(await field(after, 1, "opresult")).toEqual(["detected death of job 1"]);
      expect(again.begun).toEqual(["2.1 OP_WAIT"]);
      await after.stop();
    });

    test("a job that waited for its locks returns to the queue without workers, and can be canceled", async () => {
      const first = await world.connect();
      const locks = () => [{ lock: lockName("instance", "web1"), mode: "exclusive" as const }];
      const hands = new Hands(locks);
      const before = await openQueue(first, { executor: hands });
      await before.submit([op("HOLD")]);
      await eventually(() => hands.begun.length === 1);
      await before.submit([op("WAIT")]);
      await eventually(async () => (await before.whyNotRunning(jobId(2)))[0]?.kind === "lock");
      const started = await field(before, 2, "opstart");
      await first.kill();
      const after = await openQueue(await world.connect());
      await comesTo(after, 1, "error");
      expect(await field(after, 2, "opstatus")).toEqual(["queued"]);
      expect(await field(after, 2, "opstart")).toEqual(started);
      expect(await after.cancel(jobId(2))).toEqual([true, "Dequeued job 2"]);
      await after.stop();
    });

    test("its jobs are recovered once its lease is refused by those who take effects, not before", async () => {
      const first = await world.connect();
      const hands = new Hands();
      const before = await openQueue(first, { executor: hands });
      await before.submit([op("A")]);
      await eventually(() => hands.begun.length === 1);
      await first.kill();
      const takers = new Takers();
      const options = { executor: obedient, effectTakers: takers };
      const opening = openQueue(await world.connect(), options);
      await eventually(() => takers.asked.length === 2);
      const { worker, fence } = first.store.claim;
      expect(takers.learnt).toEqual([`${worker}:${fence}`]);
      expect(takers.jobs).toEqual([[1], [1]]);
      await expect(before.submit([op("LATE")])).rejects.toThrow();
      takers.letRefuse();
      const after = await opening;
      expect(await field(after, 1, "opresult")).toEqual(["detected death of job 1"]);
      await after.stop();
    });

    test("a job of many opcodes goes on where it was, with all that its opcodes have come to", async () => {
      const first = await world.connect();
      const names = Array.from({ length: 40 }, (_, at) => `O${at}`);
      const hands = new Hands();
      const logging: Executor = {
        run: async (opcode, context) => {
          await context.log(`begun ${opcode.OP_ID}`);
          return hands.run(opcode, context);
        },
      };
      const before = await openQueue(first, { executor: logging });
      const secret = { osparams_private: { key: "s3cret" } };
      await before.submit(names.map((name) => op(name, secret)));
      for (let at = 0; at < 10; at++) await hands.end(1, at, { at });
      await before.change({ runningMax: 0 });
      await before.replaceRule(pauseUuid, { action: "PAUSE" });
      await hands.end(1, 10, "paused here");
      await comesTo(before, 1, "queued");
      const fields = ["opstatus", "opresult", "oplog", "opstart", "opexec", "opend", "start_ts"];
      const [shown] = await before.query([jobId(1)], fields);
      await before.changePriority(jobId(1), -10);
      await first.kill();

      const again = new Hands();
      const second = await world.connect();
      const after = await openQueue(second, { executor: again });
      expect((await after.query([jobId(1)], fields))[0]).toEqual(shown);
      expect(((await second.store.read([jobId(1)]))[0]?.job?.opcodes ?? [])[11]?.priority).toBe(
        -10,
      );
      await after.deleteRule(pauseUuid);
      await after.change({ runningMax: 5 });
      for (let at = 11; at < 40; at++) await again.end(1, at, { at });
      await comesTo(after, 1, "success");
      const results = names.map((_, at) => (at === 10 ? "paused here" : { at }));
      expect(await field(after, 1, "opresult")).toEqual(results);
      const [row] = await second.store.read([jobId(1)]);
      expect(row?.job?.opcodes.map(({ result }) => result)).toEqual(results);
      expect(row?.job?.opcodes.map(({ log }) => log.length).slice(0, 11)).toEqual(
        names.slice(0, 11).map(() => 1),
      );
      expect(JSON.stringify(row?.job, textOfBig)).not.toContain("s3cret");
      await after.stop();
    });

    test("numbers go on, settings and logs are kept", async () => {
      const first = await world.connect();
      const run = async (_: unknown, context: { log(message: string): Promise<void> }) => {
        await context.log("one");
        return null;
      };
      const before = await openQueue(first, { executor: { run } });
      await before.submitMany([[], [op("A")], []]);
      await comesTo(before, 2, "success");
      await before.change({ runningMax: 3, sizeMax: 100 });
      await first.kill();
      const after = await openQueue(await world.connect());
      expect(after.settings).toEqual({ drained: false, runningMax: 3, sizeMax: 100 });
      expect(await after.submit([op("A")])).toBe(4);
      expect(await field(after, 2, "oplog")).toMatchObject([
        [[1, expect.any(Array), "message", "one"]],
      ]);
      await after.stop();
    });

    test("the next worker knows counts and ids of jobs that are not archived", async () => {
      const first = await world.connect();
      const before = await openQueue(first, { executor: obedient });
      await before.submitMany([[op("A")], [op("B", { fail: "broken" })], [op("C")]]);
      await comesTo(before, 1, "success");
      await comesTo(before, 2, "error");
      await comesTo(before, 3, "success");
      await before.archive(jobId(1));
      await before.change({ runningMax: 0 });
      await before.submit([op("D")]);
      const shown = async (queue: JobQueue) => {
        const { counts, blocks, size } = await queue.live();
        return { counts: Object.fromEntries(counts), ids: blocks.flatMap(({ ids }) => ids), size };
      };
      const expected = { counts: { error: 1, success: 1, queued: 1 }, ids: [2, 3, 4], size: 3 };
      expect(await shown(before)).toEqual(expected);
      await first.kill();
      const after = await openQueue(await world.connect());
      expect(await shown(after)).toEqual(expected);
      expect(await after.query([], ["id"])).toEqual([[2], [3], [4]]);
      expect(await after.query([], ["id"], { archived: true })).toEqual([[1], [2], [3], [4]]);
      await after.stop();
    });

    test("ids of archived jobs are not given again", async () => {
      const first = await world.connect();
      const before = await openQueue(first);
      await before.submitMany([[op("A")], [op("A")]]);
      for (const id of [1, 2]) {
        await before.cancel(jobId(id));
        await before.archive(jobId(id));
      }
      await first.kill();
      const after = await openQueue(await world.connect());
      expect(await after.submit([op("A")])).toBe(3);
      await after.stop();
    });
  });

  describe("a graceful stop", () => {
    test("lets running opcodes finish, and gives the rest of the job back to the queue", async () => {
      const hands = new Hands();
      const before = await openQueue(await world.connect(), { executor: hands });
      await before.submit([op("A"), op("B")]);
      await eventually(() => hands.begun.length === 1);
      const stopped = before.stop();
      await hands.end(1, 0, "first");
      await stopped;
      await expect(before.submit([op("A")])).rejects.toMatchObject({ code: "stopped" });
      const again = new Hands();
      const after = await openQueue(await world.connect(), { executor: again });
      await again.end(1, 1, "second");
      await comesTo(after, 1, "success");
      expect(await field(after, 1, "opresult")).toEqual(["first", "second"]);
      expect(again.begun).toEqual(["1.1 OP_B"]);
      await after.stop();
    });

    test("after its grace what still runs has failed", async () => {
      const hands = new Hands();
      const before = await openQueue(await world.connect(), { executor: hands });
      await before.submit([op("A")]);
      await eventually(() => hands.begun.length === 1);
      await before.stop({ graceMs: 10 });
      const after = await openQueue(await world.connect(), { executor: obedient });
      await comesTo(after, 1, "error");
      await after.stop();
    });

    test.each([
      ["has ended by itself", false],
      ["was killed during its operation", true],
    ])(
      "a stopped worker's late effects are refused if there may be any: its job %s",
      async (_, kill) => {
        const first = await world.connect();
        const run: Executor["run"] = (_opcode, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve(null));
            if (!kill) resolve(null);
          });
        const before = await openQueue(first, { executor: { run } });
        await before.submit([op("A")]);
        if (kill) {
          await comesTo(before, 1, "running");
          await before.cancel(jobId(1), { kill });
        }
        await before.wait(jobId(1));
        await before.idle();
        await before.stop();
        const refused: string[] = [];
        const effectTakers = {
          learnFenced() {},
          refuse: async (lease: string) => void refused.push(lease),
        };
        const { worker, fence } = first.store.claim;
        for (const expected of [kill ? [`${worker}:${fence}`] : [], []]) {
          const after = await openQueue(await world.connect(), {
            executor: obedient,
            effectTakers,
          });
          expect(refused.splice(0)).toEqual(expected);
          await after.stop();
        }
      },
    );
  });
}
