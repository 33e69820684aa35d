// Plans for maintenance and balance, and jobs that do what the plans announce.
import type { Json } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { done, endOf, withInstances } from "./instances.js";
import { aSpecialServer, type TestServer } from "./served.js";

let server: TestServer;
const on = (instance_name: string, pnode: string, more: object) => ({
  ...{ instance_name, pnode, iallocator: undefined },
  ...more,
});
const mirrored = (name: string, pnode: string, snode: string) =>
  on(`${name}.example.com`, `${pnode}.example.com`, { snode: `${snode}.example.com` });

beforeAll(async () => {
  server = await aSpecialServer({}, "--nodes=4", "--groups=1");
  await withInstances(server, [
    mirrored("a1", "node2", "node3"),
    mirrored("a2", "node2", "node3"),
    mirrored("a3", "node2", "node4"),
    mirrored("b1", "node3", "node2"),
    on("p1.example.com", "node2.example.com", { disk_template: "plain" }),
  ] as never);
});
afterAll(() => server?.end());

interface Plan {
  readonly moves: { instance: string; from: string[]; to: string[] }[];
  readonly stuck: { instance: string; reason: string }[];
  readonly jobs: { OP_ID: string }[][];
  readonly rounds: string[][];
  readonly before: { name: string; pinst_cnt: number; sinst_cnt: number }[];
  readonly after: { name: string; pinst_cnt: number; sinst_cnt: number }[];
  readonly steps: { instance: string; to: string[]; score: number; set: number }[];
  readonly initial_score: number;
  readonly final_score: number;
  readonly message?: string;
}

async function ask(method: string, path: string, body?: Json, user = "rita:look") {
  const answer = await server.ask(method, `/ganeti-ts/1/${path}`, { user, body });
  return { status: answer.status, body: answer.body as unknown as Plan };
}
const evacuation = async (scope: string, ...shorts: string[]) =>
  ask("POST", "evacuation", { nodes: shorts.map((short) => `${short}.example.com`), scope });

const primaryOf = (name: string) => {
  const now = server.cluster.snapshot();
  return now.node(now.expectInstance(name).primary_node as never)?.name;
};

/** Submits jobs as a user who may write, and waits for all. */
async function carriedOut(jobs: Json, more: object = {}) {
  const { body } = await ask("POST", "moves?reason=test", { jobs, ...more }, "jack:abc123");
  const ids = (body as unknown as { id: number }[]).map(({ id }) => id);
  for (const id of ids) {
    const [status, result] = await endOf(server, id as never);
    expect([status, JSON.stringify(result)]).toEqual(["success", expect.anything()]);
  }
  return ids;
}

describe("a plan that empties nodes", () => {
  test("moves primaries to their secondaries, and names what cannot move with the reason", async () => {
    const { status, body } = await evacuation("primaries", "node2");
    expect(status).toBe(200);
    expect(body.moves).toEqual(
      ["a1", "a2", "a3"].map((short) => ({
        instance: `${short}.example.com`,
        from: ["node2.example.com", short === "a3" ? "node4.example.com" : "node3.example.com"],
        to: [short === "a3" ? "node4.example.com" : "node3.example.com", "node2.example.com"],
      })),
    );
    expect(body.stuck).toEqual([
      {
        instance: "p1.example.com",
        reason: "Instances of type plain cannot be relocated",
      },
    ]);
    expect(body.jobs.map((job) => job.map(({ OP_ID }) => OP_ID))).toEqual(
      Array(3).fill(["OP_INSTANCE_MIGRATE"]),
    );
    expect(body.rounds).toEqual([["node2.example.com"]]);
    const countOf = (loads: Plan["before"]) =>
      loads.find(({ name }) => name === "node2.example.com")?.pinst_cnt;
    expect([countOf(body.before), countOf(body.after)]).toEqual([4, 1]);
  });

  test("with everything, leaves neither primaries nor mirrors, also where both nodes are chosen", async () => {
    const { body } = await evacuation("all", "node2", "node3");
    expect(body.stuck.map(({ instance }) => instance)).toEqual(["p1.example.com"]);
    const left = ["node2.example.com", "node3.example.com"];
    expect(body.moves.map(({ instance }) => instance)).toHaveLength(4);
    for (const { to } of body.moves) expect(to.filter((node) => left.includes(node))).toEqual([]);
    for (const { name, sinst_cnt } of body.after) {
      if (left.includes(name)) expect(sinst_cnt, name).toBe(0);
    }
  });

  test("an instance with both nodes chosen is not moved if only primaries move", async () => {
    const { body } = await evacuation("primaries", "node2", "node3");
    const stuck = body.stuck.map(({ instance }) => instance).toSorted();
    expect(stuck).toEqual(["a1", "a2", "b1", "p1"].map((short) => `${short}.example.com`));
    expect(body.stuck.find(({ instance }) => instance === "a1.example.com")?.reason).toContain(
      "Both of its nodes are chosen",
    );
    // The nodes of a mirror are never in the same round.
    expect(body.rounds).toHaveLength(2);
  });

  test("a drained node is planned like any other, and is still rebooted in a round", async () => {
    const drain = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com", drained: true };
    await done(server, { ...drain, auto_promote: true });
    const { status, body } = await evacuation("all", "node2");
    expect([status, body.moves.length, body.rounds]).toEqual([200, 4, [["node2.example.com"]]]);
    await done(server, { ...drain, drained: false });
  });

  test("nodes and instances may have short names", async () => {
    const { body } = await ask("POST", "evacuation", { nodes: ["node2"], scope: "primaries" });
    expect(body.moves).toHaveLength(3);
    const { status } = await ask("POST", "balance", { exclude_instances: ["a1"] });
    expect(status).toBe(200);
  });

  test("an unknown node, and a body of another shape, are refused in words", async () => {
    const unknown = await evacuation("all", "nosuch");
    expect([unknown.status, unknown.body.message]).toEqual([
      ...[400, "There is no node nosuch.example.com"],
    ]);
    expect((await ask("POST", "evacuation", { nodes: [], scope: "all" })).status).toBe(400);
    expect((await ask("POST", "evacuation", { nodes: ["x"], scope: "half" })).status).toBe(400);
  });
});

test("jobs of a plan run as planned, with the user's reason, and no more at once than allowed", async () => {
  const { body } = await evacuation("primaries", "node2");
  const ids = await carriedOut(body.jobs as never, { at_once: 1 });
  expect(["a1", "a2", "a3"].map((short) => primaryOf(`${short}.example.com`))).toEqual(
    body.moves.map(({ to }) => to[0]),
  );
  const rows = await server.world.queue.query(ids as never, ["ops"]);
  const ops = rows.map((row) => {
    const [[first]] = row as unknown as [Record<string, unknown>[]];
    return first;
  });
  expect(ops.map((op) => op?.depends)).toEqual([
    ...[null, [[ids[0], ["success", "error", "canceled"]]]],
    [[ids[1], ["success", "error", "canceled"]]],
  ]);
  const trail = ops[0]?.reason as [source: string, text: string, time: bigint][] | undefined;
  const reasons = trail?.map(([source, text]) => [source, text]);
  expect(reasons).toContainEqual(["gnt:user", "test"]);
  expect(reasons).toContainEqual(["gnt:library:rlib2:moves", ""]);
});

test("only writers may submit moves, and only moves are accepted", async () => {
  const move = { OP_ID: "OP_INSTANCE_MIGRATE", instance_name: "a1.example.com" };
  expect((await ask("POST", "moves", { jobs: [[move]] })).status).toBe(403);
  const before = (await server.world.queue.live()).counts;
  const other = { OP_ID: "OP_INSTANCE_REMOVE", instance_name: "a1.example.com" };
  const refused = await ask("POST", "moves", { jobs: [[other]] }, "jack:abc123");
  expect(refused.status).toBe(400);
  expect((await server.world.queue.live()).counts).toEqual(before);
});

describe("a plan that balances a group", () => {
  test("lowers the score at each step, and its jobs give the promised places", async () => {
    const { status, body } = await ask("POST", "balance", { group: "default" });
    expect(status).toBe(200);
    expect(body.steps.length).toBeGreaterThan(0);
    let score = body.initial_score;
    for (const step of body.steps) {
      expect(step.score).toBeLessThan(score);
      score = step.score;
    }
    expect(score).toBe(body.final_score);
    expect(body.jobs).toHaveLength(body.steps.length);
    await carriedOut(body.jobs as never);
    const last = new Map(body.steps.map(({ instance, to }) => [instance, to[0]]));
    for (const [instance, primary] of last) expect(primaryOf(instance), instance).toBe(primary);
  });

  test("keeps to the limit, to the instances that stay, and refuses unknown names", async () => {
    const limited = await ask("POST", "balance", { group: "default", max_moves: 0 });
    expect(limited.body).toMatchObject({ steps: [], ended: "steps" });
    const stay = ["a1", "a2", "a3", "b1"].map((short) => `${short}.example.com`);
    const { body } = await ask("POST", "balance", { exclude_instances: stay });
    expect(body.steps).toEqual([]);
    expect((await ask("POST", "balance", { group: "nosuch" })).status).toBe(400);
    expect((await ask("POST", "balance", { exclude_instances: ["x"] })).status).toBe(400);
    expect((await ask("POST", "balance", { min_gian: 1 })).status).toBe(400);
  });
});

test("each node has its load, with N+1", async () => {
  const { body } = await ask("GET", "node-loads");
  expect(body).toHaveLength(4);
  expect(body).toContainEqual(
    expect.objectContaining({ name: "node1.example.com", fails_n1: false, offline: false }),
  );
});
