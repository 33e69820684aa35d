// Filter rules at work: the sequences of the specification, and what holds a job.
import { hindranceText } from "@ganeti-ts/job-queue";
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

export function describeFilters({ makeWorld }: Implementation): void {
  const world = worldOfEachTest(makeWorld);

  describe("filter rules", () => {
    test("S1, S2: a job pauses between opcodes, frees its slot, and goes on where it was", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.change({ runningMax: 1 });
      await queue.submitMany([[op("A"), op("B"), op("C")], [op("D")]]);
      await eventually(() => hands.begun.length === 1);
      const started = await field(queue, 1, "start_ts");
      const uuid = await queue.addRule({
        predicates: [["jobid", ["==", "id", 1]]],
        action: "PAUSE",
      });
      await hands.end(1, 0, "a");
      await hands.end(2, 0);
      await comesTo(queue, 2, "success");
      expect(await field(queue, 1, "opstatus")).toEqual(["success", "queued", "queued"]);
      expect(await field(queue, 1, "status")).toBe("queued");
      const [why] = await queue.whyNotRunning(jobId(1));
      expect(why).toMatchObject({ kind: "paused", rule: { uuid } });
      expect(hindranceText(why as NonNullable<typeof why>)).toBe(
        `is paused by filter rule ${uuid}`,
      );

      await queue.deleteRule(uuid);
      await hands.end(1, 1, "b");
      await hands.end(1, 2, "c");
      await comesTo(queue, 1, "success");
      expect(await field(queue, 1, "opresult")).toEqual(["a", "b", "c"]);
      expect(await field(queue, 1, "start_ts")).toEqual(started);
      expect(hands.begun).toEqual(["1.0 OP_A", "2.0 OP_D", "1.1 OP_B", "1.2 OP_C"]);
      await queue.stop();
    });

    test("S3: a paused job that is rejected then keeps the results it has", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submit([op("A"), op("B")]);
      await eventually(() => hands.begun.length === 1);
      await queue.addRule({ priority: 1, action: "PAUSE" });
      await hands.end(1, 0, "a");
      await comesTo(queue, 1, "queued");
      await queue.addRule({ predicates: [["jobid", ["==", "id", 1]]], action: "REJECT" });
      await comesTo(queue, 1, "canceled");
      expect(await field(queue, 1, "opstatus")).toEqual(["success", "canceled"]);
      expect(await field(queue, 1, "opresult")).toEqual(["a", null]);
      await queue.stop();
    });

    test("S4: a job that waits for locks and is paused wants nothing any more", async () => {
      const hands = new Hands(() => [{ lock: "node/1", mode: "exclusive" }]);
      const worker = await world.connect();
      const queue = await openQueue(worker, { executor: hands });
      await queue.submitMany([[op("A")], [op("B")]]);
      await comesTo(queue, 2, "waiting");
      await eventually(async () => (await worker.locks.monitor())[0]?.pending.length === 1);
      expect(await queue.whyNotRunning(jobId(2))).toEqual([
        { kind: "lock", lock: "node/1", mode: "exclusive", owners: ["1"] },
      ]);
      await queue.addRule({ predicates: [["jobid", ["==", "id", 2]]], action: "PAUSE" });
      await comesTo(queue, 2, "queued");
      await eventually(async () => (await worker.locks.monitor())[0]?.pending.length === 0);
      await hands.end(1, 0);
      await comesTo(queue, 1, "success");
      await eventually(async () => (await worker.locks.monitor()).length === 0);
      expect(hands.begun).toEqual(["1.0 OP_A"]);
      await queue.stop();
    });

    test("S5: a job with no opcode left just ends", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submit([op("A")]);
      await eventually(() => hands.begun.length === 1);
      await queue.addRule({ action: "PAUSE" });
      await hands.end(1, 0);
      await comesTo(queue, 1, "success");
      await queue.stop();
    });

    test("S6: a limit below what runs lets nothing start until there is room", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submitMany([[op("RD")], [op("RD")], [op("RD")]]);
      await eventually(() => hands.begun.length === 3);
      const isRd = [["opcode", ["==", "OP_ID", "OP_RD"]]];
      const uuid = await queue.addRule({ predicates: isRd, action: ["RATE_LIMIT", 1] });
      await queue.submit([op("RD")]);
      await hands.end(1, 0);
      await hands.end(2, 0);
      await comesTo(queue, 2, "success");
      expect(await field(queue, 4, "status")).toBe("queued");
      const [why] = await queue.whyNotRunning(jobId(4));
      expect(why).toMatchObject({ kind: "rate_limit", limit: 1, members: [3], rule: { uuid } });
      await hands.end(3, 0);
      await hands.end(4, 0);
      await comesTo(queue, 4, "success");
      await queue.stop();
    });

    test("S7: a rule that is put again holds what comes from then on", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      const drain = { predicates: [["jobid", [">", "id", "watermark"]]], action: "PAUSE" };
      const uuid = await queue.addRule(drain);
      await queue.submit([op("A")]);
      expect(await field(queue, 1, "status")).toBe("queued");
      expect(await queue.replaceRule(uuid, drain)).toBe(uuid);
      expect(queue.rules).toMatchObject([{ uuid, watermark: 1 }]);
      await hands.end(1, 0);
      await queue.submit([op("A")]);
      await comesTo(queue, 1, "success");
      expect(await field(queue, 2, "status")).toBe("queued");
      await queue.stop();
    });

    test("S8, S9: a malformed rule is refused and changes nothing", async () => {
      const queue = await openQueue(await world.connect());
      await expect(
        queue.addRule({ predicates: [["reason", ["=~", "reason", "(["]]] }),
      ).rejects.toThrow();
      await expect(queue.addRule({ action: ["RATE_LIMIT", 0] })).rejects.toThrow(
        "RATE_LIMIT argument must be a positive integer",
      );
      for (const uuid of ["ABC", "00000000-0000-4000-8000-00000000000A"]) {
        await expect(queue.replaceRule(uuid, {})).rejects.toThrow("Unable to parse UUID");
      }
      const unknown = "00000000-0000-4000-8000-000000000000";
      await expect(queue.deleteRule(unknown)).rejects.toThrow(
        `Filter rule with UUID ${unknown} does not exist`,
      );
      expect(queue.rules).toEqual([]);
      await queue.stop();
    });

    test("S10: a job that is submitted against a rule that rejects it gets its id, and is canceled", async () => {
      const queue = await openQueue(await world.connect(), { executor: obedient });
      await queue.addRule({ action: "REJECT" });
      expect(await queue.submit([op("A")])).toBe(1);
      await comesTo(queue, 1, "canceled");
      expect(await field(queue, 1, "opresult")).toEqual([null]);
      await queue.stop();
    });

    test("a reason that is a limit holds back those who share it, without any rule", async () => {
      const hands = new Hands();
      const queue = await openQueue(await world.connect(), { executor: hands });
      const opcode = op("A", { reason: [["me", "rate-limit:1:disk", 1]] });
      await queue.submitMany([[opcode], [opcode], [op("B")]]);
      await eventually(() => hands.begun.length === 2);
      expect(await queue.whyNotRunning(jobId(2))).toEqual([
        { kind: "bucket", bucket: "rate-limit:1:disk", limit: 1, members: [1] },
      ]);
      for (const id of [1, 2, 3]) await hands.end(id, 0);
      await comesTo(queue, 2, "success");
      await queue.stop();
    });

    test("rules outlive the worker that made them", async () => {
      const first = await world.connect();
      const before = await openQueue(first);
      const reason = [["gnt:user", "why", 1700000000000000001n]];
      await before.addRule({
        priority: 3,
        predicates: [["jobid", ["<", "id", 9]]],
        action: ["RATE_LIMIT", 2],
        reason,
      });
      const { rules } = before;
      await first.kill();
      const after = await openQueue(await world.connect());
      expect(after.rules).toEqual(rules);
      await after.stop();
    });
  });
}
