import { decodeMessage } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { loadCluster } from "../model/load.js";
import { answerRequest } from "../requests.js";
import { simulateCluster } from "../text/simulated-clusters.js";
import { allocationOf, type NewAllocation } from "./allocation-of.js";

const smallest = { name: "web.example.com", memoryMib: 1024 };

test.each<{ why: string; wanted: Partial<NewAllocation>; diskMib: number; nodes: number }>([
  {
    why: "disks are on drbd by default",
    wanted: { disksMib: [512, 1024] },
    diskMib: 1792,
    nodes: 2,
  },
  {
    why: "plain disks have no metadata",
    wanted: { disksMib: [512], diskTemplate: "plain" },
    diskMib: 512,
    nodes: 1,
  },
  {
    why: "rbd needs one node",
    wanted: { disksMib: [512], diskTemplate: "rbd" },
    diskMib: 512,
    nodes: 1,
  },
  { why: "no disk is diskless", wanted: {}, diskMib: 0, nodes: 1 },
])("$why: $diskMib MiB on $nodes node(s)", ({ wanted, diskMib, nodes }) => {
  const { instance, requiredNodes } = allocationOf({ ...smallest, ...wanted });
  expect([instance.diskMib, requiredNodes]).toEqual([diskMib, nodes]);
});

test("a request with defaults equals the message that Ganeti writes for such an instance", () => {
  const message = {
    version: 2,
    cluster_name: "cluster",
    cluster_tags: [],
    enabled_hypervisors: ["kvm"],
    ipolicy: {},
    nodegroups: {},
    nodes: {},
    instances: {},
    request: {
      type: "allocate",
      name: "web.example.com",
      memory: 1024,
      disks: [{ size: 20480, mode: "rw" }],
      disk_space_total: 20608,
      disk_template: "drbd",
      vcpus: 1,
      spindle_use: 1,
      tags: ["web"],
      nics: [],
      required_nodes: 2,
      os: "debian",
      hypervisor: "kvm",
    },
  };
  const { request } = decodeMessage(JSON.stringify(message));
  expect(allocationOf({ ...smallest, disksMib: [20480], tags: ["web"] })).toEqual(request);
});

test("the request is answered: its restriction to nodes and its group are obeyed", () => {
  const cluster = loadCluster(simulateCluster(["p,3,100g,8g,4", "p,3,100g,8g,4"]));
  const ask = (more: Partial<NewAllocation>) =>
    answerRequest(cluster, allocationOf({ ...smallest, disksMib: [1024], ...more })).answer.result;
  expect(ask({ restrictToNodes: ["node-02-001", "node-02-003"] })).toEqual(
    expect.arrayContaining(["node-02-001", "node-02-003"]),
  );
  expect(ask({ groupName: "group-02" })).toEqual([
    expect.stringMatching(/^node-02/),
    expect.stringMatching(/^node-02/),
  ]);
});

test("the cluster of an answer takes the next request, until nothing fits", () => {
  let cluster = loadCluster(simulateCluster(["p,3,100g,8g,4"]));
  const results: unknown[] = [];
  for (let at = 0; at < 20; at++) {
    const request = allocationOf({ name: `web${at}`, memoryMib: 1024, disksMib: [1024] });
    const { answer, after } = answerRequest(cluster, request);
    if (answer.success) results.push(answer.result);
    cluster = after;
  }
  // Three nodes of 8 GiB, of which any one may fail.
  expect(results.length).toBeGreaterThan(9);
  expect(results.length).toBeLessThan(20);
  expect(cluster.instanceCount).toBe(results.length);
});

test.each<{ why: string; wanted: Partial<NewAllocation>; said: string }>([
  { why: "half a MiB", wanted: { memoryMib: 0.5 }, said: "0.5 is not a whole number" },
  { why: "a negative disk", wanted: { disksMib: [-1] }, said: "-1 is not a whole number" },
  {
    why: "spindles of other disks",
    wanted: { disksMib: [1], diskSpindles: [] },
    said: "spindles of 0 disks, not 1",
  },
])("$why is refused", ({ wanted, said }) => {
  expect(() => allocationOf({ ...smallest, ...wanted })).toThrow(said);
});
