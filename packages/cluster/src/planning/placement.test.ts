import { Snapshot } from "@ganeti-ts/config";
import { systemClock } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { type Patience, Placement } from "./placement.js";

/** A new configuration object; its contents do not matter. */
const aSnapshot = () => Object.create(Snapshot.prototype) as Snapshot;

/** Figures with a count of their computations. */
function counted(patience?: Patience) {
  const config = { snapshot: aSnapshot() };
  /**
   * The clock's time is advanced by hand, so that the load of the machine does not matter; its
   * timers are real.
   */
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

test("figures of one configuration are computed once for all callers", async () => {
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

test("a slow computation is not awaited, and the previous figures are returned", async () => {
  const { config, placement, looked, count } = counted({ waitMs: 10 });
  expect(await placement.figures()).toEqual({
    score: {},
    terms: {},
    n1SlackMib: {},
    n1FailingNodes: {},
    nodes: [],
  });
  config.snapshot = aSnapshot();
  await placement.figures();
  // One computation at a time, and none for an outdated configuration.
  expect(count()).toBe(1);
  looked[0]?.();
  await expect.poll(count).toBe(2);
});

test("figures are computed again when the nodes' data are old, even if the configuration has not changed", async () => {
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

test("slow computations are repeated less often", async () => {
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
