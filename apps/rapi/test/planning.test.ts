// Questions to the placement core, figures about placement, and the state of mirrors, all without a job.
import { Explanation, type Json, type JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done, withInstances } from "./instances.js";
import { aServer, type TestServer } from "./served.js";

let server: TestServer;
beforeAll(async () => {
  server = await aServer();
});
afterAll(() => server?.end());

const ask = async (method: string, path: string, body?: Json) => {
  const answer = await server.ask(method, `/ganeti-ts/1/${path}`, { user: "rita:look", body });
  return [answer.status, answer.body] as const;
};

describe("on a cluster without instances", () => {
  const wanted = {
    ...{ beparams: { memory: "1g", vcpus: 1 }, disks: [{ size: "10g" }], disk_template: "drbd" },
  };

  test("the answer where an instance would go has every candidate", async () => {
    const [status, answer] = await ask("POST", "explain", wanted);
    expect(status).toBe(200);
    const { success, instances } = Explanation.parse(answer);
    expect([success, instances[0]?.to.length, instances[0]?.needs]).toEqual([
      ...[true, 2, "drbd, 1024 MiB memory, 10368 MiB disk, 1 vcpu"],
    ]);
  });

  test("networks are found by their names, as a creation finds them", async () => {
    const named = { network_name: "frontend" };
    await done(server, { OP_ID: "OP_NETWORK_ADD", ...named, network: "198.51.100.0/24" });
    const link = { group_name: "group2", network_mode: "routed", network_link: "100" };
    await done(server, { OP_ID: "OP_NETWORK_CONNECT", ...named, ...link });
    const inNetwork = { ...wanted, nics: [{ network: "frontend", ip: "pool" }] };
    const [, answer] = await ask("POST", "explain", inNetwork);
    expect(Explanation.parse(answer).success).toBe(true);
    const capacity = { ...inNetwork, max_count: 2 };
    expect((await ask("POST", "capacity", capacity))[1]).toMatchObject({ count: 2 });
    const counted = await done(server, { OP_ID: "OP_CLUSTER_CAPACITY", ...capacity });
    expect((counted as unknown[])[0]).toBe(2);
    const unknown = { ...wanted, nics: [{ network: "nosuch" }] };
    expect(await ask("POST", "explain", unknown)).toMatchObject([
      ...[400, { message: expect.stringContaining("nosuch") }],
    ]);
  });

  test("capacity is a number of instances, with the reason why no more fit", async () => {
    const body = { ...wanted, group_name: "group2", max_count: 3 };
    const figures = { stop: "limit" };
    expect(await ask("POST", "capacity", body)).toMatchObject([200, { count: 3, figures }]);
  });

  test("no moves are needed", async () => {
    const answer = await ask("GET", "balance?group=default");
    expect(answer).toMatchObject([200, { moved: [], jobs: [] }]);
  });

  test("questions that make no sense are refused", async () => {
    expect((await ask("POST", "explain", { disk_template: "floppy" }))[0]).toBe(400);
    expect((await ask("GET", "balance?group=nosuch"))[0]).toBe(400);
  });
});

describe("on a cluster with an instance", () => {
  beforeAll(() =>
    withInstances(server, [
      { instance_name: "web1.example.com", beparams: { memory: 1024 }, group_name: "default" },
    ]),
  );

  /** Values of a gauge by group. */
  async function gauge(name: string): Promise<Record<string, number>> {
    const { text } = await server.ask("GET", "/metrics");
    const lines = text.matchAll(new RegExp(`^${name}\\{group="([^"]*)"\\} (.*)$`, "gm"));
    return Object.fromEntries(Array.from(lines, ([, group, value]) => [group, Number(value)]));
  }

  test("the score of a group is the one that balancing begins with, and its terms add up to it", async () => {
    const scores = await gauge("ganeti_group_score");
    expect(Object.keys(scores).toSorted()).toEqual(["default", "group2"]);
    const [, placement] = await ask("GET", "placement");
    for (const [group, score] of Object.entries(scores)) {
      const [, balance] = await ask("GET", `balance?group=${group}&max-moves=0`);
      expect((balance as JsonObject).info).toContain(`score ${score.toFixed(8)} ->`);
    }
    for (const { score, terms } of Object.values(placement as never) as Figures[]) {
      const sum = Object.values(terms).reduce((total, term) => total + term, 0);
      expect(sum).toBeCloseTo(score, 9);
    }
    expect(scores.default).toBeGreaterThan(0);
    expect(Object.keys(placement as JsonObject)).toHaveLength(2);
  });
  interface Figures {
    readonly score: number;
    readonly terms: Record<string, number>;
  }

  test("the slack of N+1 is the memory left on the tightest node after the failure of its worst peer", async () => {
    // A node keeps one of its 32 GiB for itself; the secondary reserves another one for the instance.
    expect(await gauge("ganeti_group_n1_slack_mebibytes")).toEqual({
      default: 32768 - 1024 - 1024,
      group2: 32768 - 1024,
    });
    expect(await gauge("ganeti_group_n1_failing_nodes")).toEqual({ default: 0, group2: 0 });
  });
});

test("mirrored disks of running instances have a state, and other instances none; no job is made for it", async () => {
  await withInstances(server, [
    { instance_name: "drbd.example.com" },
    { instance_name: "plain.example.com", disk_template: "plain", disks: [{ size: 1024 }] },
    { instance_name: "later.example.com", forthcoming: true },
  ]);
  const mirrorsOf = (name: string) => ask("GET", `instances/${name}.example.com/mirrors`);
  const jobs = (await server.world.queue.live()).counts;
  const inSync = { sync_percent: null, estimated_seconds: null, degraded: false };
  expect(await mirrorsOf("drbd")).toEqual([200, [inSync]]);
  expect(await mirrorsOf("plain")).toEqual([200, [null]]);
  expect(await mirrorsOf("later")).toMatchObject([404, {}]);
  expect(await mirrorsOf("none")).toMatchObject([404, {}]);
  expect((await server.world.queue.live()).counts).toEqual(jobs);
  await done(server, { OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: "drbd.example.com" });
  expect(await mirrorsOf("drbd")).toEqual([200, [null]]);
});
