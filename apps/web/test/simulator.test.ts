// Operations of the simulator on small clusters, and data that load to the same figures.
import {
  answerRequest,
  loadCluster,
  nodeFigures,
  readClusterText,
  scoreOf,
  writeClusterText,
} from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";
import { messages } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { clusterState } from "../src/simulator/figures.js";
import type { Operation } from "../src/simulator/operations.js";
import { OperationFault } from "../src/simulator/placing.js";
import { readSource, runOperation } from "../src/simulator/run-operation.js";
import { settledData } from "../src/simulator/settled.js";

const goesOn = async () => true;
const empty = (nodes: number) =>
  readSource({ kind: "empty", specifications: [`preferred,${nodes},1000g,64g,16`] });
const run = (data: ClusterData, operation: Operation, pace = goesOn) =>
  runOperation(data, operation, pace);
const ten: Operation = {
  ...{ kind: "add-instances", prefix: "web", count: 10, memoryMib: 4096, diskMib: 10_240 },
  ...{ vcpus: 1, diskTemplate: "drbd", group: undefined },
};

test("data after a placement load to the figures of nodes that the placement left", () => {
  fc.assert(
    fc.property(messages("allocate"), ({ message: { cluster, request } }) => {
      const before = loadCluster(cluster);
      const { answer, after } = answerRequest(before, request);
      fc.pre(answer.success);
      const again = loadCluster(settledData(before, after));
      for (const index of cluster.nodes.keys()) {
        const wanted = nodeFigures(after, index);
        const found = nodeFigures(again, index);
        expect(found.memoryUnallocatedMib).toBeCloseTo(wanted.memoryUnallocatedMib, 6);
        expect(found.diskFreeMib).toBe(wanted.diskFreeMib);
        expect(found.vcpusUsed).toBe(wanted.vcpusUsed);
        expect(found.memoryMissingMib).toBeCloseTo(wanted.memoryMissingMib, 6);
        expect(new Set(found.primaries)).toEqual(new Set(wanted.primaries));
        expect(new Set(found.secondaries)).toEqual(new Set(wanted.secondaries));
      }
    }),
    { numRuns: 100 },
  );
});

// As in Ganeti, the terms of locations and of spindles in use follow a placement only with the next load.
const plain = { locationTags: false, desiredLocations: false, exclusiveStorage: "none" } as const;

test("data after a placement load to the score that the placement left", () => {
  fc.assert(
    fc.property(messages("allocate", plain), ({ message: { cluster, request } }) => {
      const before = loadCluster(cluster);
      const { answer, after } = answerRequest(before, request);
      const nodes = [...cluster.nodes.keys()];
      const score = scoreOf(after, nodes);
      fc.pre(answer.success && Number.isFinite(score));
      expect(scoreOf(loadCluster(settledData(before, after)), nodes)).toBeCloseTo(score, 6);
    }),
    { numRuns: 100 },
  );
});

test("instances are placed until one finds no place, and the report has the reason", async () => {
  const { data, report } = await run(empty(2), { ...ten, count: 40 } as Operation);
  expect(report.title).toBe(`${data.instances.length} of 40 instances placed`);
  expect(data.instances.length).toBeGreaterThan(5);
  expect(data.instances.length).toBeLessThan(40);
  expect(report.lines[0]).toMatch(/^the next one: Fail/);
});

test("instances for one group use no node of another, whose nodes stay unchanged", async () => {
  const two = readSource({ kind: "empty", specifications: ["p,3,1t,64g,16", "p,3,1t,64g,16"] });
  const { data } = await run(two, { ...ten, group: "group-02" } as Operation);
  const groups = data.instances.map(({ primary }) => data.nodes[primary]?.groupIndex);
  expect(new Set(groups)).toEqual(new Set([1]));
  expect(data.nodes.some(({ offline }) => offline)).toBe(false);
});

test("numbers of new names continue after existing ones", async () => {
  const first = await run(empty(4), ten);
  const second = await run(first.data, { ...ten, count: 1 } as Operation);
  expect(second.data.instances.at(-1)?.name).toBe("web-11");
});

test("a failed node is emptied by balancing in evacuation mode, and other nodes hold its instances", async () => {
  const placed = await run(empty(4), ten);
  const node = "node-01-001";
  const failed = await run(placed.data, { kind: "set-offline", node, offline: true });
  expect(clusterState(failed.data).groups[0]?.nodes[0]).toMatchObject({ offline: true });
  const { data, report } = await run(failed.data, {
    kind: "balance",
    group: "group-01",
    evacuationMode: true,
  });
  expect(report.scores.length).toBe(report.lines.length + 1);
  expect(report.scores.at(-1)).toBeLessThan(report.scores[0] as number);
  const left = data.instances.filter(({ primary, secondary }) => primary === 0 || secondary === 0);
  expect(left).toEqual([]);
  expect(data.instances.length).toBe(10);
});

test("an evacuated node has neither primaries nor secondaries", async () => {
  const placed = await run(empty(4), ten);
  const node = "node-01-002";
  const { data, report } = await run(placed.data, { kind: "evacuate", node });
  const counts = clusterState(data).groups[0]?.nodes.find(({ name }) => name === node);
  expect(counts).toMatchObject({ primaries: 0, secondaries: 0 });
  expect(report.title).toMatch(/^(\d+) of \1 instances left node-01-002$/);
});

test("a stop keeps the moves that have been made", async () => {
  const placed = await run(empty(4), ten);
  const more = await run(placed.data, { kind: "add-nodes", like: "node-01-001", count: 3 });
  let asked = 0;
  const { data, report } = await run(
    more.data,
    { kind: "balance", group: "group-01", evacuationMode: false },
    async () => ++asked <= 2,
  );
  expect(report).toMatchObject({ stopped: true });
  expect(report.lines.length).toBe(2);
  expect(data).not.toEqual(more.data);
});

test("capacity and reboots are answered without a change", async () => {
  const placed = await run(empty(4), ten);
  const fits = await run(placed.data, { kind: "capacity", diskTemplate: "drbd" });
  expect(fits.data).toBe(placed.data);
  expect(fits.report.title).toMatch(/^\d+ more instances of the standard size fit$/);
  const rounds = await run(placed.data, { kind: "reboots", fullEvacuation: false });
  expect(rounds.data).toBe(placed.data);
  expect(rounds.report.title).toMatch(/^4 nodes in \d rounds of reboots$/);
});

test("more nodes of one size get names of their own each time", async () => {
  const add: Operation = { kind: "add-nodes", like: "node-01-001", count: 2 };
  const once = await run(empty(2), add);
  const twice = await run(once.data, add);
  const names = twice.data.nodes.map(({ name }) => name);
  expect(new Set(names).size).toBe(6);
});

test("limits of a group change what fits", async () => {
  const limits: Operation = {
    ...{ kind: "limits", group: "group-01", allocationPolicy: undefined },
    ...{ vcpuRatio: 0.1, spindleRatio: undefined },
  };
  const limited = await run(empty(4), limits);
  const { report } = await run(limited.data, ten);
  expect(report.title).toBe("0 of 10 instances placed");
  expect(report.lines[0]).toContain("FailCPU");
});

test("a saved text opens as the same cluster", async () => {
  const { data } = await run(empty(4), ten);
  const text = writeClusterText(loadCluster(data));
  const again = readSource({ kind: "text", text });
  expect(writeClusterText(loadCluster(again))).toBe(text);
  expect(readClusterText(text).instances.length).toBe(10);
});

test.each([
  ["a text that is not a cluster", () => readSource({ kind: "text", text: "hello" })],
  [
    "a cluster without nodes",
    () => readSource({ kind: "empty", specifications: ["p,0,1t,64g,16"] }),
  ],
])("%s is refused with a reason", (_, read) => {
  expect(read).toThrow(OperationFault);
});

test.each<Operation>([
  { kind: "evacuate", node: "nowhere" },
  { kind: "balance", group: "nowhere", evacuationMode: false },
  { kind: "add-nodes", like: "nowhere", count: 1 },
  { kind: "add-nodes", like: "node-01-001", count: 0 },
  { kind: "set-offline", node: "nowhere", offline: true },
  { ...ten, count: 0 } as Operation,
])("an operation on something that does not exist is refused: %j", async (operation) => {
  await expect(run(empty(2), operation)).rejects.toThrow(OperationFault);
});
