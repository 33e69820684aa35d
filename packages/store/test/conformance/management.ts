// Steering a queue: drain, limits, cancel, priorities, archive, waiting for changes.
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

export function describeManagement({ makeWorld }: Implementation): void {
  const world = worldOfEachTest(makeWorld);

  describe("limits", () => {
    test("a drained queue accepts nothing, but for what insists, and goes on with what it has", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.change({ drained: true });
      await expect(queue.submit([op("A")])).rejects.toMatchObject({
        code: "queue_drained",
        message: "Queue drained",
      });
      await expect(queue.submitMany([[op("A")]])).rejects.toThrow("Queue drained");
      expect(await queue.submitToDrained([op("A")])).toBe(1);
      await comesTo(queue, 1, "success");
      await queue.stop();
      const again = await openQueue(await world.connect());
      expect(again.settings.drained).toBe(true);
      await again.change({ drained: false });
      expect(await again.submit([op("A")])).toBe(2);
      await again.stop();
    });

    test("a full queue accepts nothing until jobs are archived", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.change({ sizeMax: 2 });
      await queue.submitMany([[op("A")], [op("A")]]);
      await expect(queue.submit([op("A")])).rejects.toMatchObject({ code: "queue_full" });
      await comesTo(queue, 1, "success");
      await queue.archive(jobId(1));
      expect(await queue.submit([op("A")])).toBe(3);
      await queue.stop();
    });
  });

  describe("cancel", () => {
    test("in the queue: unfinished opcodes end without a result", async () => {
      const queue = await openQueue(await world.connect());
      await queue.submit([op("A"), op("B")]);
      expect(await queue.cancel(jobId(1))).toEqual([true, "Dequeued job 1"]);
      const fields = ["status", "opstatus", "opresult", "end_ts"];
      const [row] = await queue.query([jobId(1)], fields);
      expect(row).toEqual([
        "canceled",
        ["canceled", "canceled"],
        [null, null],
        [expect.any(Number), expect.any(Number)],
      ]);
      expect(await queue.cancel(jobId(1))).toEqual([false, "Job 1 not found in queue"]);
      expect(await queue.cancel(jobId(9))).toEqual([false, "Job 9 not found in queue"]);
      await queue.stop();
    });

    test("while it runs: it goes on, and ends before its next opcode", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submit([op("A"), op("B")]);
      await eventually(() => hands.begun.length === 1);
      const informed = "Job no longer waiting, can't cancel (informed it anyway)";
      expect(await queue.cancel(jobId(1))).toEqual([false, informed]);
      expect(await field(queue, 1, "status")).toBe("running");
      await hands.end(1, 0, "done");
      await comesTo(queue, 1, "canceled");
      expect(await field(queue, 1, "opresult")).toEqual(["done", "Job canceled by request"]);
      await queue.stop();
    });

    test("killed: what was under way counts as died, and what comes of it later is not heard", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submit([op("A"), op("B")]);
      await eventually(() => hands.begun.length === 1);
      expect(await queue.cancel(jobId(1), { kill: true })).toEqual([
        true,
        "SIGKILL send to the process",
      ]);
      await comesTo(queue, 1, "error");
      await hands.end(1, 0, "too late");
      const death = "detected death of job 1";
      expect(await field(queue, 1, "opresult")).toEqual([death, death]);
      const [input] = (await field(queue, 1, "ops")) as [{ reason: unknown[] }];
      expect(input.reason.at(-1)).toEqual([
        "gnt:daemon:luxid:deathdetection",
        death,
        expect.any(BigInt),
      ]);
      await queue.stop();
    });
  });

  describe("priority", () => {
    test("changes decide the order, and opcodes that run keep theirs", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.change({ runningMax: 1 });
      await queue.submitMany([[op("A"), op("A")], [op("A")], [op("A")]]);
      await eventually(() => hands.begun.length === 1);
      const changed = (id: number, to: number) => [
        true,
        `Priorities of pending opcodes for job ${id} have been changed to ${to}`,
      ];
      expect(await queue.changePriority(jobId(3), -10)).toEqual(changed(3, -10));
      expect(await queue.changePriority(jobId(1), 10)).toEqual(changed(1, 10));
      expect(await field(queue, 1, "oppriority")).toEqual([0, 10]);
      await hands.end(1, 0);
      await hands.end(1, 1);
      await eventually(() => hands.begun.length === 3);
      expect(hands.begun.at(-1)).toBe("3.0 OP_A");
      expect(await queue.changePriority(jobId(3), 0)).toEqual([
        false,
        "Job 3 had no pending opcodes",
      ]);
      await hands.end(3, 0);
      await hands.end(2, 0);
      await comesTo(queue, 2, "success");
      expect(await queue.changePriority(jobId(2), 0)).toEqual([false, "Job 2 is finished"]);
      await expect(queue.changePriority(jobId(2), 3)).rejects.toThrow(
        "Invalid priority 3, allowed are -10, 0, 10",
      );
      await queue.stop();
    });
  });

  describe("archive", () => {
    test("takes jobs that have ended, started or not, and keeps them readable", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.change({ runningMax: 1 });
      await queue.submitMany([[op("A")], [op("A")]]);
      await queue.cancel(jobId(2));
      expect(await queue.archive(jobId(2))).toBe(true);
      expect(await queue.archive(jobId(2))).toBe(false);
      expect(await queue.archive(jobId(1))).toBe(false);
      expect(await queue.archive(jobId(7))).toBe(false);
      expect(await queue.query([jobId(2)], ["archived", "status"])).toEqual([[true, "canceled"]]);
      expect(await queue.query([], ["id"])).toEqual([[1]]);
      await hands.end(1, 0);
      await queue.stop();
    });

    test("by age: strictly older, or all that have ended", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.submitMany([[op("A")], [op("A")], [op("A")]]);
      for (const id of [1, 2, 3]) await comesTo(queue, id, "success");
      await queue.change({ runningMax: 0 });
      await queue.submit([op("A")]);
      expect(await queue.autoArchive(3600, 60)).toEqual([0, 0]);
      expect(await queue.autoArchive(-1, 60)).toEqual([3, 0]);
      expect(await queue.query([], ["id"])).toEqual([[4]]);
      expect(await queue.autoArchive(-1, 0)).toEqual([0, 0]);
      await queue.stop();
    });
  });

  describe("waiting for a change", () => {
    const ask = { fields: ["status"], previousValues: null, previousSerial: null, timeoutMs: 2000 };

    test("the first answer comes at once, later ones with the change, and none is missed", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      const id = await queue.submit([op("A")]);
      await comesTo(queue, 1, "running");
      expect(await queue.waitForChange(id, ask)).toEqual({ values: ["running"], log: [] });
      const later = queue.waitForChange(id, { ...ask, previousValues: ["running"] });
      await hands.end(1, 0);
      expect(await later).toEqual({ values: ["success"], log: [] });
      // It has ended: every question is answered at once.
      const same = await queue.waitForChange(id, { ...ask, previousValues: ["success"] });
      expect(same).toEqual({ values: ["success"], log: [] });
      await queue.stop();
    });

    test("a new log entry is a change; without one the time runs out", async () => {
      let log: (message: string) => Promise<void> = async () => {};
      const run = (_: unknown, context: { log(message: string): Promise<void> }) => {
        log = (message) => context.log(message);
        return new Promise<never>(() => {});
      };
      const queue = await openQueue(await world.connect(), { executor: { run } });
      const id = await queue.submit([op("A")]);
      await comesTo(queue, 1, "running");
      const seen = { ...ask, previousValues: ["running"], timeoutMs: 30 };
      expect(await queue.waitForChange(id, seen)).toBe("nochange");
      await log("first");
      const entry = [1, [expect.any(Number), expect.any(Number)], "message", "first"];
      expect(await queue.waitForChange(id, seen)).toEqual({ values: ["running"], log: [entry] });
      expect(await queue.waitForChange(id, { ...seen, previousSerial: 1 })).toBe("nochange");
      const next = queue.waitForChange(id, { ...seen, previousSerial: 1, timeoutMs: 2000 });
      await log("second");
      expect(await next).toMatchObject({ log: [[2, entry[1], "message", "second"]] });
      await queue.stop({ graceMs: 0 });
    });

    test("jobs that are unknown or archived are lost; unknown fields are named", async () => {
      const queue = await openQueue(await world.connect());
      await queue.submit([op("A")]);
      await queue.cancel(jobId(1));
      await queue.archive(jobId(1));
      for (const id of [1, 5]) {
        await expect(queue.waitForChange(jobId(id), ask)).rejects.toMatchObject({
          code: "unknown_job",
          message: `Job with id ${id} lost`,
        });
      }
      await expect(
        queue.waitForChange(jobId(1), { ...ask, fields: ["a", "id", "b"] }),
      ).rejects.toThrow("Unknown output fields selected: a, b");
      await queue.stop();
    });

    test("a watcher that disconnects is removed", async () => {
      const queue = await openQueue(await world.connect());
      const id = await queue.submit([op("A")]);
      const gone = new AbortController();
      const waiting = queue.waitForChange(id, {
        ...ask,
        previousValues: ["queued"],
        signal: gone.signal,
      });
      gone.abort(new Error("connection closed"));
      await expect(waiting).rejects.toThrow("connection closed");
      await queue.stop();
    });
  });
}
