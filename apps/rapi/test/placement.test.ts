import type { Configuration } from "@ganeti-ts/config";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Patience, Placement } from "../src/placement.js";
import { createServer } from "../src/server.js";
import { withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
beforeAll(async () => {
  server = await aServer();
  await withInstances(server, [
    { instance_name: "web1.example.com", beparams: { memory: 1024 }, group_name: "default" },
  ]);
});
afterAll(() => server.end());

const get = async (path: string): Promise<string> => {
  const headers = { authorization: `Basic ${btoa("rita:look")}` };
  return (await createServer(server.world).request(path, { headers })).text();
};

/** Of a gauge, by group. */
async function gauge(name: string): Promise<Record<string, number>> {
  const lines = (await get("/metrics")).matchAll(
    new RegExp(`^${name}\\{group="([^"]*)"\\} (.*)$`, "gm"),
  );
  return Object.fromEntries(Array.from(lines, ([, group, value]) => [group, Number(value)]));
}

test("the score of a group is the one that balancing begins with", async () => {
  const scores = await gauge("ganeti_group_score");
  expect(Object.keys(scores).toSorted()).toEqual(["default", "group2"]);
  for (const [group, score] of Object.entries(scores)) {
    const { info } = JSON.parse(await get(`/ganeti-ts/1/balance?group=${group}&max-moves=0`));
    expect(info).toContain(`score ${score.toFixed(8)} ->`);
  }
  expect(scores.default).toBeGreaterThan(0);
});

test("the slack of N+1 is what the tightest node has left when its worst peer dies", async () => {
  // Of 32 GiB a node keeps one for itself; the secondary keeps another one for the instance.
  expect(await gauge("ganeti_group_n1_slack_mebibytes")).toEqual({
    ...{ default: 32768 - 1024 - 1024, group2: 32768 - 1024 },
  });
  expect(await gauge("ganeti_group_n1_failing_nodes")).toEqual({ default: 0, group2: 0 });
});

/** Counts how often the cluster is looked at. */
function counted(patience?: Patience) {
  const cluster = server.config;
  const config = { snapshot: cluster.snapshot };
  const looked: (() => void)[] = [];
  let count = 0;
  const data = {
    ...{ groups: [], nodes: [], instances: [], tags: [], policy: undefined },
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
    patience,
  );
  return { config, placement, looked, count: () => count };
}

test("one configuration is looked at once, however often somebody asks", async () => {
  const { config, placement, looked, count } = counted();
  const all = [placement.figures(), placement.figures()];
  await new Promise((resolve) => setImmediate(resolve));
  looked[0]?.();
  await Promise.all(all);
  await placement.figures();
  expect(count()).toBe(1);
  config.snapshot = { ...config.snapshot } as Configuration["snapshot"];
  const next = placement.figures();
  await new Promise((resolve) => setImmediate(resolve));
  looked[1]?.();
  await next;
  expect(count()).toBe(2);
});

test("what takes too long is not waited for: what was known before is told", async () => {
  const { config, placement, looked, count } = counted({ waitMs: 10 });
  expect(await placement.figures()).toEqual({ score: {}, n1SlackMib: {}, n1FailingNodes: {} });
  config.snapshot = { ...config.snapshot } as Configuration["snapshot"];
  await placement.figures();
  // One look at a time, and none at what is old by then.
  expect(count()).toBe(1);
  looked[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(count()).toBe(2);
});

test("what nodes have said is asked again when it is old, though the configuration is the same", async () => {
  const { placement, looked, count } = counted({ ageMs: 40 });
  const figures = async () => {
    const asked = placement.figures();
    await new Promise((resolve) => setImmediate(resolve));
    for (const look of looked.splice(0)) look();
    await asked;
  };
  await figures();
  await figures();
  expect(count()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await figures();
  expect(count()).toBe(2);
});

test("where looking takes long, it is done more rarely", async () => {
  const { placement, looked, count } = counted({ ageMs: 0, waitMs: 0 });
  await placement.figures();
  await new Promise((resolve) => setTimeout(resolve, 60));
  looked[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await placement.figures();
  expect(count()).toBe(1);
});
