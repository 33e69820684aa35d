import { Snapshot } from "@ganeti-ts/config";
import { systemClock } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { type Patience, Placement } from "./placement.js";

/** A configuration as good as any other, and not the same as any other. */
const aSnapshot = () => Object.create(Snapshot.prototype) as Snapshot;

/** Counts how often the cluster is looked at. */
function counted(patience?: Patience) {
  const config = { snapshot: aSnapshot() };
  /** The time of the clock moves by hand, however busy the machine is; its timers are real. */
  const time = { ms: 0 };
  const looked: (() => void)[] = [];
  let count = 0;
  const data = {
    groups: [],
    nodes: [],
    instances: [],
    tags: [],
    policy: undefined,
    hypervisor: "fake",
  } as never;
  const placement = new Placement(
    config,
    {
      cluster: () => {
        count += 1;
        return new Promise((resolve) => looked.push(() => resolve(data)));
      },
    },
    { now: () => time.ms, after: (delayMs, then) => systemClock.after(delayMs, then) },
    patience,
  );
  return { config, placement, looked, time, count: () => count };
}

test("one configuration is looked at once, however often somebody asks", async () => {
  const { config, placement, looked, count } = counted();
  const all = [placement.figures(), placement.figures()];
  await new Promise((resolve) => setImmediate(resolve));
  looked[0]?.();
  await Promise.all(all);
  await placement.figures();
  expect(count()).toBe(1);
  config.snapshot = aSnapshot();
  const next = placement.figures();
  await new Promise((resolve) => setImmediate(resolve));
  looked[1]?.();
  await next;
  expect(count()).toBe(2);
});

test("what takes too long is not waited for: what was known before is told", async () => {
  const { config, placement, looked, count } = counted({ waitMs: 10 });
  expect(await placement.figures()).toEqual({ score: {}, n1SlackMib: {}, n1FailingNodes: {} });
  config.snapshot = aSnapshot();
  await placement.figures();
  // One look at a time, and none at what is old by then.
  expect(count()).toBe(1);
  looked[0]?.();
  await expect.poll(count).toBe(2);
});

test("what nodes have said is asked again when it is old, though the configuration is the same", async () => {
  const { placement, looked, time, count } = counted({ ageMs: 40 });
  const figures = async () => {
    const asked = placement.figures();
    await new Promise((resolve) => setImmediate(resolve));
    for (const look of looked.splice(0)) look();
    await asked;
  };
  await figures();
  await figures();
  expect(count()).toBe(1);
  time.ms = 60;
  await figures();
  expect(count()).toBe(2);
});

test("where looking takes long, it is done more rarely", async () => {
  const { placement, looked, time, count } = counted({ ageMs: 0, waitMs: 0 });
  await placement.figures();
  await expect.poll(() => looked.length).toBe(1);
  time.ms = 60;
  looked[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 20));
  time.ms = 80;
  await placement.figures();
  expect(count()).toBe(1);
});
