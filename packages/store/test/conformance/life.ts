// A job's life on a store: submission, order, dependencies, results.

import { type Executor, OperationError } from "@ganeti-ts/job-queue";
import type { FinalStatus } from "@ganeti-ts/protocol";
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
  worldOfEachTest,
} from "./world.js";

export function describeLife({ makeWorld }: Implementation): void {
  const world = worldOfEachTest(makeWorld);

  describe("a job's life", () => {
    test("opcodes run one after another, and their results are kept", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      const id = await queue.submit([op("A", { result: { a: [1, "x"] } }), op("B", { result: 2 })]);
      expect(id).toBe(1);
      await comesTo(queue, 1, "success");
      const fields = ["id", "opresult", "opstatus", "summary", "archived", "priority"];
      expect(await queue.query([id], fields)).toEqual([
        [1, [{ a: [1, "x"] }, 2], ["success", "success"], ["A", "B"], false, 0],
      ]);
      await queue.stop();
    });

    test("jobs that are submitted at the same time have ids of their own, and so have later ones", async () => {
      const queue = await openQueue(await world.connect());
      const together = [1, 2, 3].map(() => queue.submit([op("A")]));
      expect(await Promise.all(together)).toEqual([1, 2, 3]);
      expect(await queue.submit([op("A")])).toBe(4);
      await queue.stop();
    });

    test("times are stamped in order, and a job has its end exactly when it has ended", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submit([op("A")]);
      await eventually(() => hands.begun.length === 1);
      expect(await field(queue, 1, "end_ts")).toBe(null);
      await hands.end(1, 0);
      await comesTo(queue, 1, "success");
      const [row] = await queue.query(
        [jobId(1)],
        ["received_ts", "start_ts", "opstart", "opexec", "opend", "end_ts"],
      );
      const micros = ([...(row ?? [])] as unknown[])
        .flat(2)
        .reduce<number[]>((all, value, at, flat) => {
          if (at % 2 === 0) all.push((value as number) * 1e6 + (flat[at + 1] as number));
          return all;
        }, []);
      expect(micros).toHaveLength(6);
      expect(micros).toEqual(micros.toSorted((a, b) => a - b));
      await queue.stop();
    });

    test("after an opcode that fails the others fail, and results that are there stay", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.submit([op("A", { result: 1 }), op("B", { fail: "broken" }), op("C")]);
      await comesTo(queue, 1, "error");
      expect(await field(queue, 1, "opresult")).toEqual([
        1,
        ["OpExecError", ["broken"]],
        ["OpExecError", ["Preceding opcode failed"]],
      ]);
      await queue.stop();
    });

    test("an operation can fail with a class and arguments of its own", async () => {
      const run = () => {
        throw new OperationError("OpPrereqError", ["no such instance", "unknown_entity"]);
      };
      const queue = await openQueue(await world.connect(), { executor: { run } });
      await queue.submit([op("A")]);
      await comesTo(queue, 1, "error");
      const result = [["OpPrereqError", ["no such instance", "unknown_entity"]]];
      expect(await field(queue, 1, "opresult")).toEqual(result);
      await queue.stop();
    });

    test("ids of refused entries stay unused, and relative dependencies become absolute", async () => {
      const queue = await openQueue(await world.connect());
      await queue.submitMany(Array.from({ length: 20 }, () => [op("A")]));
      const answers = await queue.submitMany([
        [op("A")],
        [op("A", { depends: [[-1, ["success"]]] })],
        [op("A", { depends: [[-3, []]] })],
        [
          op("A", {
            depends: [
              [-2, []],
              [7, ["error"]],
            ],
          }),
        ],
      ]);
      expect(answers).toEqual([
        [true, 21],
        [true, 22],
        [false, "Unable to resolve relative job ID -3"],
        [true, 24],
      ]);
      const dependsOf = async (id: number) =>
        ((await field(queue, id, "ops")) as { depends: unknown }[])[0]?.depends;
      expect(await dependsOf(22)).toEqual([[21, ["success"]]]);
      expect(await dependsOf(24)).toEqual([
        [22, []],
        [7, ["error"]],
      ]);
      expect(await queue.query([jobId(23)], ["id"])).toEqual([undefined]);
      expect(await queue.submit([op("A")])).toBe(25);
      await queue.stop();
    });

    test("what cannot be a job is refused and leaves no trace", async () => {
      const queue = await openQueue(await world.connect());
      const refusals: [Parameters<typeof queue.submit>[0], string][] = [
        [[], "A job needs at least one opcode"],
        [[op("A", { priority: 5 })], "Invalid priority 5, allowed are -10, 0, 10"],
        [[op("A", { depends: [[-1, []]] })], "Unable to resolve relative job ID -1"],
        [[{ OP_ID: 5 }], "Opcode parameter 'OP_ID' is invalid"],
        [[op("A", { depends: [["x", []]] })], "Opcode parameter 'depends.0.0' is invalid"],
      ];
      for (const [opcodes, message] of refusals) {
        await expect(queue.submit(opcodes)).rejects.toThrow(message);
      }
      expect(await queue.query([], ["id"])).toEqual([]);
      await queue.stop();
    });

    test("nanoseconds, odd keys and odd strings come back as they were given", async () => {
      const odd = JSON.parse('{"__proto__": 1, "a\\u0000b": "\\ud800", "": [], "\\u2028": -0.5}');
      const reason = [["who", "why, 1234567890123456789]", 1700000000000000001n]] as const;
      const worker = await world.connect();
      const queue = await openQueue(worker, { executor: obedient });
      await queue.submit([op("A", { result: odd, big: 2n ** 70n, reason })]);
      await comesTo(queue, 1, "success");
      await queue.stop();
      const again = await openQueue(await world.connect());
      const [input] = (await field(again, 1, "ops")) as [Record<string, unknown>];
      expect((input.reason as unknown[])[0]).toEqual(reason[0]);
      expect((input.reason as unknown[])[1]).toEqual([
        "gnt:opcode:a",
        "job=1;index=0",
        expect.any(BigInt),
      ]);
      expect(input.big).toBe(2n ** 70n);
      const [result] = (await field(again, 1, "opresult")) as [object];
      expect(Object.entries(result)).toEqual(Object.entries(odd));
      await again.stop();
    });

    test("the best priority starts first, then the lowest id", async () => {
      const begun: number[] = [];
      const executor: Executor = {
        run: (_, context) => {
          begun.push(context.jobId);
          return null;
        },
      };
      const queue = await openQueue(await world.connect(), { executor });
      await queue.change({ runningMax: 1 });
      await queue.submitMany([
        [op("A", { priority: 10 })],
        [op("A")],
        [op("A", { priority: -10 })],
        [op("A", { priority: 10 }), op("A", { priority: -10 })],
      ]);
      await eventually(() => begun.length === 5);
      expect(begun).toEqual([3, 4, 4, 2, 1]);
      await queue.stop();
    });

    test("no more jobs are claimed than the limit allows, whatever they do", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.change({ runningMax: 2 });
      await queue.submitMany([[op("A")], [op("A")], [op("A")]]);
      await eventually(() => hands.begun.length === 2);
      expect(await field(queue, 3, "status")).toBe("queued");
      await hands.end(1, 0);
      await hands.end(3, 0);
      await hands.end(2, 0);
      await comesTo(queue, 2, "success");
      await queue.stop();
    });

    test("log entries are numbered over the whole job", async () => {
      const executor = {
        run: async (
          _: unknown,
          context: { log(message: string, type?: "delay-test"): Promise<void> },
        ) => {
          await context.log("one");
          await context.log("two", "delay-test");
          return null;
        },
      };
      const queue = await openQueue(await world.connect(), { executor });
      await queue.submit([op("A"), op("B")]);
      await comesTo(queue, 1, "success");
      const time = [expect.any(Number), expect.any(Number)];
      expect(await field(queue, 1, "oplog")).toEqual([
        [
          [1, time, "message", "one"],
          [2, time, "delay-test", "two"],
        ],
        [
          [3, time, "message", "one"],
          [4, time, "delay-test", "two"],
        ],
      ]);
      await queue.stop();
    });

    test("jobs that an operation submits inherit priority, comment and reasons", async () => {
      const executor = {
        run: async (
          { OP_ID }: { OP_ID: string },
          context: { submit(jobs: object[][]): Promise<unknown> },
        ) =>
          OP_ID === "OP_PARENT" ? { jobs: (await context.submit([[op("CHILD")]])) as never } : null,
      };
      const queue = await openQueue(await world.connect(), { executor: executor as never });
      await queue.submit([
        op("PARENT", { priority: -10, reason: [["me", "rate-limit:3:x", 1700000000000000005n]] }),
      ]);
      await comesTo(queue, 2, "success");
      expect(await field(queue, 1, "opresult")).toEqual([{ jobs: [[true, 2]] }]);
      const [input] = (await field(queue, 2, "ops")) as [Record<string, unknown>];
      expect(input).toMatchObject({ priority: -10, comment: "Submitted by OP_PARENT" });
      expect(input.reason).toEqual([
        ["me", "rate-limit:3:x", 1700000000000000005n],
        ["gnt:opcode:parent", "job=1;index=0", expect.any(BigInt)],
        ["gnt:opcode:child", "job=2;index=0", expect.any(BigInt)],
      ]);
      await queue.stop();
    });
  });

  describe("dependencies", () => {
    test.each<[FinalStatus, FinalStatus[], string, unknown]>([
      ["success", [], "success", null],
      ["error", [], "success", null],
      ["canceled", [], "canceled", null],
      [
        "error",
        ["success"],
        "error",
        "finished with status 'error', not one of 'success' as required",
      ],
      [
        "success",
        ["error"],
        "error",
        "finished with status 'success', not one of 'error' as required",
      ],
      ["canceled", ["canceled"], "success", null],
      ["canceled", ["success", "error"], "canceled", null],
    ])("on a job that ended in %s, %j wanted: %s", async (ending, wanted, status, message) => {
      const worker = await world.connect();
      const queue = await openQueue(worker, { executor: obedient });
      await queue.change({ runningMax: 0 });
      await queue.submit([op("A", ending === "error" ? { fail: "x" } : {})]);
      await queue.submit([op("B", { depends: [[1, wanted]] })]);
      if (ending === "canceled") await queue.cancel(jobId(1));
      await queue.change({ runningMax: 20 });
      await comesTo(queue, 2, status);
      const expected = message === null ? null : ["OpExecError", [`Dependency job 1 ${message}`]];
      expect(await field(queue, 2, "opresult")).toEqual([expected]);
      await queue.stop();
    });

    test.each([
      ["itself", 1, "Job can't depend on itself"],
      ["one that comes later", 5, "Dependency error: Job 5 not found"],
    ])("a job that depends on %s fails", async (_, id, message) => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.submit([op("A", { depends: [[id, []]] })]);
      await comesTo(queue, 1, "error");
      expect(await field(queue, 1, "opresult")).toEqual([["OpExecError", [message]]]);
      await queue.stop();
    });

    test("a job that depends on an unused id fails", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.submitMany([[], [op("A", { depends: [[1, []]] })]]);
      await comesTo(queue, 2, "error");
      const message = "Dependency error: Job 1 not found";
      expect(await field(queue, 2, "opresult")).toEqual([["OpExecError", [message]]]);
      await queue.stop();
    });

    test("an archived job counts by how it ended", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.submit([op("A", { fail: "x" })]);
      await comesTo(queue, 1, "error");
      expect(await queue.archive(jobId(1))).toBe(true);
      await queue.submitMany([
        [op("A", { depends: [[1, ["success"]]] })],
        [op("A", { depends: [[1, []]] })],
      ]);
      await comesTo(queue, 2, "error");
      await comesTo(queue, 3, "success");
      await queue.stop();
    });

    test("a job waits for those named by any of its opcodes, and a cancel spreads along the chain", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submitMany([
        [op("A")],
        [op("B"), op("B", { depends: [[-1, []]] })],
        [op("C", { depends: [[-1, []]] })],
      ]);
      await eventually(() => hands.begun.length === 1);
      expect(await queue.cancel(jobId(2))).toEqual([true, "Dequeued job 2"]);
      await comesTo(queue, 3, "canceled");
      expect(hands.begun).toEqual(["1.0 OP_A"]);
      await hands.end(1, 0);
      await queue.stop();
    });
  });
}
