// Several workers on one store.
import type { JsonObject } from "@ganeti-ts/protocol";
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

export function describeSharing({ makeWorld }: Implementation): void {
  const world = worldOfEachTest(makeWorld);

  describe("several workers", () => {
    test("each job is run by one of them, and all together keep to the limit", async () => {
      const begun: number[] = [];
      let running = 0;
      let most = 0;
      const run = async (_: unknown, { jobId: id }: { jobId: number }) => {
        begun.push(id);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        return null;
      };
      const queues = await Promise.all(
        [1, 2, 3].map(async () =>
          openQueue(await world.connect(), { executor: { run }, capacity: 4 }),
        ),
      );
      await queues[0]?.change({ runningMax: 6 });
      await queues[1]?.submitMany(Array.from({ length: 60 }, () => [op("A")]));
      await eventually(() => begun.length === 60 && running === 0, "the end of all jobs");
      expect(begun.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 60 }, (_, at) => at + 1),
      );
      expect(most).toBeLessThanOrEqual(6);
      expect(most).toBeGreaterThan(1);
      for (const queue of queues) await queue.stop();
    });

    test("a process that only submits jobs is notified of changes by others", async () => {
      const client = await openQueue(await world.connect());
      const hands = new Hands();
      const worker = await openQueue(await world.connect(), { executor: hands });
      const id = await client.submit([op("A")]);
      await eventually(() => hands.begun.length === 1);
      await comesTo(client, 1, "running");
      const later = client.waitForChange(id, {
        fields: ["status"],
        previousValues: ["running"],
        previousSerial: null,
        timeoutMs: 4000,
      });
      await hands.end(1, 0);
      expect(await later).toEqual({ values: ["success"], log: [] });
      await client.stop();
      await worker.stop();
    });

    test("counts and ids of jobs contain at once what others have done", async () => {
      const one = await openQueue(await world.connect());
      const other = await openQueue(await world.connect());
      const shown = async () => {
        const { counts, blocks } = await other.live();
        return [Object.fromEntries(counts), blocks.flatMap(({ ids }) => ids)];
      };
      await one.submitMany([[op("A")], [op("B")], [op("C")]]);
      expect(await shown()).toEqual([{ queued: 3 }, [1, 2, 3]]);
      await one.cancel(jobId(2));
      expect(await shown()).toEqual([{ queued: 2, canceled: 1 }, [1, 2, 3]]);
      await one.archive(jobId(2));
      expect(await shown()).toEqual([{ queued: 2 }, [1, 3]]);
      await one.stop();
      await other.stop();
    });

    test("a server knows hundreds of jobs that another has queued: rules, priorities, dependencies, opcodes", async () => {
      const client = await openQueue(await world.connect());
      await client.change({ runningMax: 0 });
      const begun: number[] = [];
      const run = async ({ result }: JsonObject, { jobId: id }: { jobId: number }) => {
        begun.push(id);
        return result ?? null;
      };
      const worker = await openQueue(await world.connect(), { executor: { run } });
      // More than a bundle of jobs that PostgreSQL returns as one row.
      const priorityOf = (id: number) => (id % 100 === 0 ? -10 : 0);
      const jobs = Array.from({ length: 300 }, (_, at) => [
        op("A", {
          ...{ result: 1000 + at, priority: priorityOf(at + 1) },
          ...(at + 1 === 200 ? { depends: [[-100, ["success"]]] } : {}),
        }),
      ]);
      await client.submitMany(jobs);
      await worker.live();
      const body = { predicates: [["jobid", [">", "id", 250]]], action: "PAUSE", reason: [] };
      const uuid = await client.addRule(body);
      await client.change({ runningMax: 20 });
      await comesTo(client, 249, "success");
      await eventually(() => worker.heldCount === 0);
      expect(begun.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 250 }, (_, at) => at + 1),
      );
      // Jobs of the better priority are among the first, the second of them after the first one's end.
      expect(begun.indexOf(100)).toBeLessThan(20);
      expect(begun.indexOf(200)).toBeLessThan(100);
      expect(begun.indexOf(200)).toBeGreaterThan(begun.indexOf(100));
      expect(await worker.whyNotRunning(jobId(300))).toMatchObject([{ rule: { uuid } }]);
      expect(await worker.query([jobId(300)], ["id", "status", "priority"])).toEqual([
        [300, "queued", -10],
      ]);
      await client.deleteRule(uuid);
      await eventually(async () => (await client.live()).counts.get("success") === 300);
      const results = (await client.query([], ["opresult"])).map((row) => row?.[0]);
      expect(results).toEqual(jobs.map((_, at) => [1000 + at]));
      await client.stop();
      await worker.stop();
    });

    test("a job in other hands can be canceled and killed", async () => {
      const client = await openQueue(await world.connect());
      const hands = new Hands();
      const worker = await openQueue(await world.connect(), { executor: hands });
      await client.submitMany([[op("A"), op("B")], [op("A")]]);
      await eventually(() => hands.begun.length === 2);
      expect(await client.cancel(jobId(1))).toEqual([
        false,
        "Job no longer waiting, can't cancel (informed it anyway)",
      ]);
      await hands.end(1, 0);
      await comesTo(client, 1, "canceled");
      await client.cancel(jobId(2), { kill: true });
      await hands.end(2, 0, "too late");
      await comesTo(client, 2, "error");
      expect(await field(client, 2, "opresult")).toEqual(["detected death of job 2"]);
      await client.stop();
      await worker.stop();
    });

    test("when one dies another takes over, once, and what the dead still says is refused", async () => {
      const hands = new Hands();
      const first = await world.connect();
      const before = await openQueue(first, { executor: hands, capacity: 1 });
      await before.submitMany([[op("A")], [op("A")]]);
      await eventually(() => hands.begun.length === 1);
      const others = await Promise.all(
        [1, 2].map(async () => openQueue(await world.connect(), { executor: obedient })),
      );
      await comesTo(before, 2, "success");
      await first.kill();
      const [after] = others as [(typeof others)[0], (typeof others)[0]];
      await comesTo(after, 1, "error");
      expect(await field(after, 1, "opresult")).toEqual(["detected death of job 1"]);
      const inputs = (await field(after, 1, "ops")) as { reason: unknown[] }[];
      expect(inputs[0]?.reason).toHaveLength(2);
      await expect(before.submit([op("LATE")])).rejects.toMatchObject({ code: "stopped" });
      expect(await after.query([], ["id"])).toEqual([[1], [2]]);
      for (const queue of others) await queue.stop();
    });
  });
}
