// Long computations of the planner: other requests are answered meanwhile, and equal requests share one computation. The tests
// were seen to fail with allocators and plans without turns, with one computation per request, with answers cached across changes
// of the configuration, and with computations that continue after all their requests have ended.
import { expect, test } from "vitest";
import type { Cluster, Planned } from "../src/index.js";
import { aCluster, creation } from "./a-cluster.js";

const small: Planned = {
  disk_template: "plain",
  disks: [{ size: 1024 }],
  beparams: { memory: 1024 },
  max_count: 8,
};

/** A port that stops every computation at its turns until the test continues it. */
function stops() {
  const stopped: (() => void)[] = [];
  let isOpen = false;
  return {
    turn: () => (isOpen ? undefined : new Promise<void>((go) => void stopped.push(go))),
    /** Number of computations that wait at a turn. */
    get count() {
      return stopped.length;
    },
    /** Lets all computations run to their next turn. */
    step: () => {
      for (const go of stopped.splice(0)) go();
    },
    open: () => {
      isOpen = true;
      for (const go of stopped.splice(0)) go();
    },
  };
}

const reached = (stop: { readonly count: number }) => expect.poll(() => stop.count).toBe(1);

const plan = { nodes: ["node1.example.com"], scope: "all" } as const;
const longOnes: Readonly<Record<string, (cluster: Cluster) => Promise<unknown>>> = {
  "an explanation": ({ planner }) => planner.explain({ ...small, beparams: { memory: "99g" } }),
  "a count": ({ planner }) => planner.capacity(small),
  "a plan for balance": ({ planner }) => planner.balancePlan({}),
  "a plan of maintenance": ({ planner }) => planner.evacuationPlan(plan),
};

test.each(Object.entries(longOnes))(
  "other requests are answered and jobs run while %s is computed",
  async (_, ask) => {
    const stop = stops();
    const { cluster } = await aCluster({ turn: stop.turn });
    let isDone = false;
    const asked = ask(cluster).then(() => {
      isDone = true;
    });
    await reached(stop);
    const { nodes } = await cluster.planner.place(small);
    expect(nodes).toHaveLength(1);
    const id = await cluster.queue.submit([creation("web.example.com")]);
    expect((await cluster.queue.ended(id)).status).toBe("success");
    expect(isDone).toBe(false);
    stop.open();
    await asked;
  },
);

test("a capacity is computed once for all requests, until the configuration changes", async () => {
  let turns = 0;
  const turn = () => {
    turns++;
    return undefined;
  };
  const { cluster } = await aCluster({ turn });
  const { planner, queue } = cluster;
  const asked = await Promise.all([planner.capacity(small), planner.capacity(small)]);
  const once = turns;
  expect(asked.map(({ count }) => count)).toEqual([8, 8]);
  expect(once).toBe(8);
  expect(await planner.capacity(small)).toBe(asked[0]);
  expect(turns).toBe(once);
  expect((await planner.capacity({ ...small, max_count: 3 })).count).toBe(3);
  expect(turns).toBe(once + 3);

  await queue.ended(await queue.submit([creation("web.example.com")]));
  turns = 0;
  expect((await planner.capacity(small)).count).toBe(8);
  expect(turns).toBe(8);
});

test("capacity computations run one at a time, and one without remaining requests ends", async () => {
  const stop = stops();
  const { cluster } = await aCluster({ turn: stop.turn });
  const { planner } = cluster;
  const readers = [1, 2].map(() => new AbortController());
  const [first, second] = readers.map(({ signal }) =>
    planner.capacity(small, signal).catch((reason: unknown) => reason),
  );
  const other = planner.capacity({ ...small, max_count: 2 });
  await reached(stop);
  const gone = new Error("gone");
  readers[0]?.abort(gone);
  expect(await first).toBe(gone);
  stop.step();
  // The second request still waits, and the other computation waits for the first one.
  await reached(stop);
  readers[1]?.abort(gone);
  expect(await second).toBe(gone);
  // One turn of the computation that ends, and two of the other one.
  for (let step = 0; step < 3; step++) {
    await reached(stop);
    stop.step();
  }
  expect((await other).count).toBe(2);
});

test("a failed computation is not cached", async () => {
  const { cluster, nodes } = await aCluster();
  const { planner } = cluster;
  const node = cluster.snapshot().findNode("node2")?.uuid ?? "";
  await nodes.powerOff(node);
  await expect(planner.capacity(small)).rejects.toThrow("node2");
  await nodes.powerOn(node);
  expect((await planner.capacity(small)).count).toBe(8);
});
