import { createLockManager } from "@ganeti-ts/locking";
import type { Json, Opcode } from "@ganeti-ts/protocol";
import { systemClock, systemRandom } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { JobQueue, MemoryDatabase, type OperationContext, OperationError } from "../src/index.js";

/** Results and errors of operations that cannot be written as JSON. */
const doings: Readonly<Record<string, (context: OperationContext) => Promise<Json>>> = {
  OP_RESULT: async () => ({ figures: [Number.NaN] }),
  OP_ERROR: async () => {
    throw new OperationError("OpPrereqError", ["too much", Number.POSITIVE_INFINITY]);
  },
  OP_LOG: async ({ log }) => {
    await log(Number.NaN);
    return null;
  },
  OP_SUBMIT: async ({ submit }) => (await submit([[{ OP_ID: "OP_A", size: Number.NaN }]])) as Json,
};

test.each([
  ["OP_RESULT", "error", ["OpExecError", ["OP_RESULT: the result is no JSON"]], []],
  ["OP_ERROR", "error", ["OpExecError", ["too much"]], []],
  ["OP_LOG", "success", null, ["NaN"]],
  ["OP_SUBMIT", "error", ["OpExecError", ["OP_SUBMIT: a job that it submits is no JSON"]], []],
] as const)(
  "what cannot be written is the matter of its job: %s",
  async (id, status, result, log) => {
    const queue = await JobQueue.open({
      store: new MemoryDatabase(systemClock).connect(),
      locks: createLockManager(),
      clock: systemClock,
      random: systemRandom,
      executor: { run: ({ OP_ID }: Opcode, context) => doings[OP_ID]?.(context) ?? fail(OP_ID) },
    });
    const job = await queue.submit([{ OP_ID: id }]);
    await queue.waitForChange(job, {
      fields: ["end_ts"],
      previousValues: [null],
      previousSerial: null,
      timeoutMs: 5000,
    });
    const [row] = await queue.query([job], ["status", "opresult", "oplog"]);
    const [found, results = [], [logged = []] = []] = row ?? [];
    expect([found, results[0], logged.map((entry) => entry[3])]).toEqual([status, result, log]);
    await queue.stop({ graceMs: 0 });
  },
);

const fail = (id: string): never => {
  throw new Error(`nothing is done for ${id}`);
};
