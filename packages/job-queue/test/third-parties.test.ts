import { createLockManager, lockOrder } from "@ganeti-ts/locking";
import { type JobId, type Json, systemClock, systemRandom } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import { type Executor, JobQueue, MemoryDatabase, type QueueOptions } from "../src/index.js";

const open: JobQueue[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((queue) => queue.stop({ graceMs: 0 })));
});

const database = () => new MemoryDatabase(systemClock);

async function queueWith(
  executor: Executor,
  more: Partial<QueueOptions> = {},
  store = database().connect(),
): Promise<JobQueue> {
  const queue = await JobQueue.open({
    store,
    locks: createLockManager({ order: lockOrder(["site", "machine"]) }),
    clock: systemClock,
    random: systemRandom,
    executor,
    ...more,
  });
  open.push(queue);
  return queue;
}

const succeeding: Executor = { run: () => "done" };

describe("opcodes of others", () => {
  test("an opcode may have any name, and locks of levels that the caller named", async () => {
    const held: Json[] = [];
    const queue = await queueWith({
      locks: () => [
        { lock: "site/north", mode: "shared" },
        { lock: "machine/press-7", mode: "exclusive" },
      ],
      run: (_, { locks }) => {
        held.push(locks.map(({ lock }) => lock));
        return "printed";
      },
    });
    const id = await queue.submit([{ OP_ID: "print.report", pages: 3 }]);
    const { opcodes } = await queue.wait(id);
    expect(opcodes.map(({ status, result }) => [status, result])).toEqual([["success", "printed"]]);
    expect(held).toEqual([["site/north", "machine/press-7"]]);
    expect(await queue.query([id], ["summary"])).toEqual([[["print.report"]]]);
  });

  test.each(["", "7up", "a b", `x${"y".repeat(200)}`])(
    "'%s' is no name of an opcode",
    async (name) => {
      const queue = await queueWith(succeeding);
      await expect(queue.submit([{ OP_ID: name }])).rejects.toThrow("OP_ID");
    },
  );
});

describe("an error of an operation", () => {
  class OutOfPaper extends Error {
    override readonly name = "OutOfPaper";
  }

  test.each([
    { why: "keeps the name of its class", error: new OutOfPaper("tray 2"), class: "OutOfPaper" },
    {
      why: "without a name of its own is an OpExecError",
      error: new Error("tray 2"),
      class: "OpExecError",
    },
    {
      why: "of the language is an OpExecError",
      error: new TypeError("tray 2"),
      class: "OpExecError",
    },
  ])("$why", async ({ error, class: errorClass }) => {
    const queue = await queueWith({
      run: () => {
        throw error;
      },
    });
    const { opcodes } = await queue.wait(await queue.submit([{ OP_ID: "print" }]));
    expect(opcodes[0]).toMatchObject({ status: "error", result: [errorClass, ["tray 2"]] });
  });
});

describe("waiting for the end of a job", () => {
  test("a wait for a job that has ended, and is archived, ends at once", async () => {
    const queue = await queueWith(succeeding);
    const id = await queue.submit([{ OP_ID: "print" }]);
    await queue.wait(id);
    expect(await queue.archive(id)).toBe(true);
    expect((await queue.wait(id)).ended).not.toBeNull();
  });

  test("a signal stops the wait with its reason, and leaves the job alone", async () => {
    let finish = (_: string) => {};
    const queue = await queueWith({
      run: () =>
        new Promise<string>((resolve) => {
          finish = resolve;
        }),
    });
    const id = await queue.submit([{ OP_ID: "print" }]);
    const canceled = new AbortController();
    const impatient = queue.wait(id, { signal: canceled.signal });
    const patient = queue.wait(id);
    canceled.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    finish("late");
    expect((await patient).opcodes[0]).toMatchObject({ status: "success", result: "late" });
  });

  test("an unknown job is refused, and a queue that stops ends the wait", async () => {
    const queue = await queueWith({ run: () => new Promise<Json>(() => {}) });
    await expect(queue.wait(7 as JobId)).rejects.toMatchObject({ code: "unknown_job" });
    const id = await queue.submit([{ OP_ID: "print" }]);
    const waiting = queue.wait(id);
    waiting.catch(() => {});
    await queue.stop({ graceMs: 0 });
    await expect(waiting).rejects.toMatchObject({ code: "stopped" });
  });
});

test("rows of a query have the types of the requested fields", async () => {
  const queue = await queueWith(succeeding);
  const id = await queue.submit([{ OP_ID: "print" }]);
  await queue.wait(id);
  const [row] = await queue.query([id], ["id", "status", "opresult", "start_ts"]);
  expectTypeOf(row).toEqualTypeOf<
    | readonly [
        JobId,
        "queued" | "waiting" | "canceling" | "running" | "canceled" | "success" | "error",
        readonly Json[],
        readonly [number, number] | null,
      ]
    | undefined
  >();
  expect(row?.slice(0, 3)).toEqual([id, "success", ["done"]]);
  const fields: string[] = ["status"];
  const [dynamic] = await queue.query([id], fields);
  expectTypeOf(dynamic).toEqualTypeOf<readonly Json[] | undefined>();
  expect(dynamic).toEqual(["success"]);
});

describe("regular expressions of rules", () => {
  const rule: Json = { predicates: [["opcode", ["=~", "OP_ID", "^print"]]], action: "REJECT" };

  test("a queue without a compiler refuses them, and a store that holds one", async () => {
    const shared = database();
    const without = await queueWith(succeeding, {}, shared.connect());
    await expect(without.addRule(rule)).rejects.toThrow("Invalid regular expression");
    const queue = await queueWith(succeeding, { patterns: compilePattern }, shared.connect());
    await queue.addRule(rule);
    await expect(queueWith(succeeding, {}, shared.connect())).rejects.toThrow(
      "Invalid regular expression",
    );
  });

  test("a queue with a compiler obeys them", async () => {
    const queue = await queueWith(succeeding, { patterns: compilePattern });
    await queue.addRule(rule);
    const ended = await queue.wait(await queue.submit([{ OP_ID: "print.report" }]));
    expect(ended.opcodes[0]?.status).toBe("canceled");
  });
});
