import type { NodeUuid } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { adding, aMirroredDisk, anInstance } from "../../test/support/instances.js";
import { refused } from "../../test/support/results.js";
import { simulatedCluster } from "../../test/support/simulated-cluster.js";

/** A cluster of four nodes with all instances on the first two. */
async function stage() {
  const cluster = await simulatedCluster({ nodeCount: 4, cluster: { default_iallocator: "hail" } });
  const [a, b] = cluster.nodes as [NodeUuid, NodeUuid];
  for (const number of [1, 2, 3, 4]) {
    const beparams = { maxmem: 1024, minmem: 1024 };
    const disk = aMirroredDisk(number * 10, [a, b]);
    await cluster.put(...adding(anInstance(number, { primary_node: a, beparams }), [disk]));
  }
  return cluster;
}

test("balancing a group reports the moves it found", async () => {
  const { run, config } = await stage();
  const { result, status } = await run({ OP_ID: "OP_CLUSTER_BALANCE" });
  expect(status).toBe("success");
  const { groups } = result as { groups: Record<string, unknown[]>[] };
  expect(groups).toHaveLength(1);
  expect(groups[0]).toMatchObject({ group: "default", info: expect.stringContaining("moves") });
  expect(groups[0]?.moved?.length).toBeGreaterThan(0);
  expect(groups[0]?.jobs?.length).toBe(groups[0]?.moved?.length);
  expect(config.snapshot.instanceCount).toBe(4);
});

test("balancing with execute submits jobs that depend on each other", async () => {
  const { run, queue } = await stage();
  const { result } = await run({ OP_ID: "OP_CLUSTER_BALANCE", execute: true, max_moves: 2 });
  const { jobs } = result as { jobs: [boolean, number][] };
  expect(jobs.map(([isSubmitted]) => isSubmitted)).toEqual([true, true]);
  const rows = await queue.query(jobs.map(([, id]) => id) as never, ["summary"]);
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).toContain("INSTANCE_");
});

test("balancing an unknown group is refused", async () => {
  const { run } = await stage();
  expect((await run({ OP_ID: "OP_CLUSTER_BALANCE", groups: ["none"] })).result).toMatchObject(
    refused(expect.stringContaining("none"), "unknown_entity"),
  );
});

test("the capacity opcode counts how many more instances fit", async () => {
  const { run } = await stage();
  const op = {
    OP_ID: "OP_CLUSTER_CAPACITY",
    disk_template: "drbd",
    max_count: 3,
    beparams: { memory: 256, vcpus: 1 },
    disks: [{ size: 1024 }],
    nics: [{}],
  };
  expect((await run(op)).result).toMatchObject([
    3,
    [
      ["spec-0", [expect.any(String), expect.any(String)]],
      ["spec-1", expect.anything()],
      ["spec-2", expect.anything()],
    ],
    { stop: "limit" },
  ]);
  const unlimited = await run({ ...op, beparams: { maxmem: 2500 }, max_count: -1 });
  const [count, places, { stop }] = unlimited.result as [number, unknown[], { stop: string }];
  expect(count).toBeGreaterThan(0);
  expect(places).toHaveLength(count);
  expect(stop).toMatch(/Fail\w+: \d+/);
});
