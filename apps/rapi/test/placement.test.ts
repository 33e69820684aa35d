import { afterAll, beforeAll, expect, test } from "vitest";
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

/** Values of a gauge by group. */
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

test("the slack of N+1 is the memory left on the tightest node after the failure of its worst peer", async () => {
  // A node keeps one of its 32 GiB for itself; the secondary reserves another one for the instance.
  expect(await gauge("ganeti_group_n1_slack_mebibytes")).toEqual({
    default: 32768 - 1024 - 1024,
    group2: 32768 - 1024,
  });
  expect(await gauge("ganeti_group_n1_failing_nodes")).toEqual({ default: 0, group2: 0 });
});
