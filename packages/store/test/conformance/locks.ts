// Jobs and their locks.
import { TryAgainError } from "@ganeti-ts/job-queue";
import type { LockName } from "@ganeti-ts/locking";
import type { Opcode } from "@ganeti-ts/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  comesTo,
  eventually,
  field,
  Hands,
  type Implementation,
  jobId,
  op,
  openQueue,
  Takers,
  type World,
} from "./world.js";

const locksOf = ({ locks }: Opcode) =>
  ((locks ?? []) as [LockName, "shared" | "exclusive"][]).map(([lock, mode]) => ({ lock, mode }));

export function describeLocks({ makeWorld, shared }: Implementation): void {
  let world: World;
  beforeEach(async () => {
    world = await makeWorld();
  });
  afterEach(() => world.close());

  describe("locks", () => {
    test("jobs that want the same lock run one after the other, and others meanwhile", async () => {
      const hands = new Hands(locksOf);
      const worker = await world.connect();
      const queue = await openQueue(worker, { executor: hands });
      const wants = (...locks: string[][]) => [op("A", { locks })];
      await queue.submitMany([
        wants(["instance/a", "exclusive"], ["node/1", "shared"]),
        wants(["instance/a", "shared"]),
        wants(["node/1", "shared"]),
      ]);
      await eventually(() => hands.begun.length === 2);
      expect(hands.begun.toSorted()).toEqual(["1.0 OP_A", "3.0 OP_A"]);
      expect(await field(queue, 2, "status")).toBe("waiting");
      await hands.end(1, 0);
      await hands.end(2, 0);
      await hands.end(3, 0);
      await comesTo(queue, 2, "success");
      await eventually(async () => (await worker.locks.monitor()).length === 0);
      await queue.stop();
    });

    test("M10: a job that waits and is canceled wants nothing, and the next in line is served", async () => {
      const hands = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
      const worker = await world.connect();
      const queue = await openQueue(worker, { executor: hands });
      await queue.submitMany([[op("A")], [op("B"), op("C")], [op("D")]]);
      await comesTo(queue, 3, "waiting");
      await eventually(async () => (await worker.locks.monitor())[0]?.pending.length === 2);
      expect(await queue.cancel(jobId(2))).toEqual([true, "Job successfully cancelled"]);
      const message = "Job canceled by request";
      expect(await field(queue, 2, "opresult")).toEqual([message, message]);
      await hands.end(1, 0);
      await hands.end(3, 0);
      await comesTo(queue, 3, "success");
      expect(hands.begun).toEqual(["1.0 OP_A", "3.0 OP_D"]);
      await queue.stop();
    });

    test("M12: when its attempts are exhausted an opcode's priority improves, and the attempts start again", async () => {
      const hands = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
      // Attempts of 20 ms instead of seconds.
      const timeouts = (attempt: number) => [20, 40][attempt];
      const queue = await openQueue(await world.connect(), { executor: hands, timeouts });
      await queue.submitMany([[op("A")], [op("B")]]);
      await eventually(async () => {
        const [priority] = (await field(queue, 2, "oppriority")) as [number];
        return priority <= -2;
      });
      const [input] = (await field(queue, 2, "ops")) as [{ priority: number }];
      expect(input.priority).toBe(0);
      await hands.end(1, 0);
      await hands.end(2, 0);
      await comesTo(queue, 2, "success");
      await queue.stop();
    });

    test("a changed priority counts at once among those who wait", async () => {
      const hands = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
      const worker = await world.connect();
      const queue = await openQueue(worker, { executor: hands });
      await queue.submitMany([[op("A")], [op("B")], [op("C")]]);
      await eventually(async () => (await worker.locks.monitor())[0]?.pending.length === 2);
      await queue.changePriority(jobId(3), -10);
      await eventually(
        async () => (await worker.locks.monitor())[0]?.pending[0]?.[1].join() === "3",
        "job 3 as the first to wait",
      );
      await hands.end(1, 0);
      await hands.end(3, 0);
      await hands.end(2, 0);
      await comesTo(queue, 2, "success");
      expect(hands.begun).toEqual(["1.0 OP_A", "3.0 OP_C", "2.0 OP_B"]);
      await queue.stop();
    });

    test("an operation that is short of resources waits and is tried again", async () => {
      const hands = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submit([op("A")]);
      await hands.end(1, 0, new TryAgainError("no node has room"));
      await hands.end(1, 0, "second time");
      await comesTo(queue, 1, "success");
      expect(await field(queue, 1, "opresult")).toEqual(["second time"]);
      await queue.stop();
    });

    test("invalid lock requests fail the opcode, with the reason", async () => {
      const hands = new Hands(() => {
        throw new Error("no such node: n9");
      });
      const queue = await openQueue(await world.connect(), { executor: hands });
      await queue.submit([op("A")]);
      await comesTo(queue, 1, "error");
      expect(await field(queue, 1, "opresult")).toEqual([["OpExecError", ["no such node: n9"]]]);
      await queue.stop();
    });

    test.runIf(shared)(
      "locks of a dead worker are released once its lease is refused and all workers are notified",
      async () => {
        const hands = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
        const first = await world.connect();
        const before = await openQueue(first, { executor: hands, capacity: 1 });
        await before.submit([op("A")]);
        await eventually(() => hands.begun.length === 1);
        const others = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
        const executor = others;
        const all = [new Takers(), new Takers()];
        const after = await Promise.all(
          all.map(async (effectTakers) =>
            openQueue(await world.connect(), { executor, effectTakers }),
          ),
        );
        const [one, two] = after as [(typeof after)[0], (typeof after)[0]];
        await one.submit([op("B")]);
        await comesTo(one, 2, "waiting");
        await first.kill();
        await eventually(() => all.some((takers) => takers.asked.length > 1));
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(others.begun).toEqual([]);
        expect(await field(one, 1, "status")).toBe("running");
        expect(all.filter((takers) => takers.asked.length > 0)).toHaveLength(1);
        const { worker, fence } = first.store.claim;
        for (const { learnt } of all) expect(learnt).toEqual([`${worker}:${fence}`]);
        for (const takers of all) takers.letRefuse();
        await others.end(2, 0);
        await comesTo(two, 2, "success");
        expect(await field(two, 1, "opresult")).toEqual(["detected death of job 1"]);
        const late = await world.connect();
        const takers = new Takers();
        const third = await openQueue(late, { effectTakers: takers });
        expect(takers.learnt).toEqual([`${worker}:${fence}`]);
        expect(takers.asked).toEqual([]);
        for (const queue of [one, two, third]) await queue.stop();
      },
    );

    test.runIf(shared)(
      "M11: locks of a dead worker are freed once its jobs are marked",
      async () => {
        const hands = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
        const first = await world.connect();
        const before = await openQueue(first, { executor: hands, capacity: 1 });
        await before.submit([op("A")]);
        await eventually(() => hands.begun.length === 1);
        const others = new Hands(() => [{ lock: "node/a", mode: "exclusive" }]);
        const after = await openQueue(await world.connect(), { executor: others });
        await after.submit([op("B")]);
        await comesTo(after, 2, "waiting");
        expect(await field(after, 1, "status")).toBe("running");
        await first.kill();
        await others.end(2, 0);
        await comesTo(after, 2, "success");
        expect(await field(after, 1, "opresult")).toEqual(["detected death of job 1"]);
        await after.stop();
      },
    );
  });
}
