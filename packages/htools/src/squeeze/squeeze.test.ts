import type { NodeData } from "@ganeti-ts/protocol";
import { aCluster, aGroup, aNode, anInstance, aPolicy, aSpec } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { loadCluster } from "../model/load.js";
import { offlineCandidates, onlineCandidates } from "./candidates.js";
import { everyNodeFits, reserveInstance } from "./reserve.js";
import { type SqueezeProgress, squeeze } from "./squeeze.js";

const policy = aPolicy({ std: aSpec({ memoryMib: 1024, cpuCount: 1, spindleUse: 1 }) });

/** Nodes of 15 GiB, and for each number a running instance of 4 GiB on that node. */
const loaded = (nodes: readonly Partial<NodeData>[], primaries: readonly number[]) =>
  loadCluster(
    aCluster({
      policy,
      groups: [aGroup({ policy })],
      nodes: nodes.map((change, at) =>
        aNode({ name: `node${at}`, memoryTotalMib: 16384, ...change }),
      ),
      instances: primaries.map((primary, at) =>
        anInstance({ name: `inst${at}`, diskTemplate: "ext", memoryMib: 4096, primary }),
      ),
    }),
  );

test("only online nodes but the master, with no local disk and no secondary, may go offline", () => {
  const cluster = loadCluster(
    aCluster({
      nodes: [
        { master: true },
        { offline: true },
        { name: "plain" },
        { name: "mirror" },
        { name: "empty" },
        { name: "two" },
        { name: "one" },
      ].map(aNode),
      instances: [
        anInstance({ diskTemplate: "plain", primary: 2 }),
        anInstance({ name: "i1", primary: 0, secondary: 3 }),
        ...[5, 6, 5].map((primary, at) =>
          anInstance({ name: `e${at}`, diskTemplate: "file", primary }),
        ),
      ],
    }),
  );
  expect(offlineCandidates(cluster)).toEqual([5, 6, 4]);
});

test("only offline nodes on standby may come back", () => {
  const standby = { offline: true, tags: ["x", "htools:standby:manual"] };
  const cluster = loaded([standby, { offline: true, tags: ["htools:standby"] }, standby, {}], []);
  expect(onlineCandidates(cluster)).toEqual([0, 2]);
});

test("the reserve is rounded down, and what cannot be counted fits nowhere", () => {
  const cluster = loaded([{}], []);
  expect(reserveInstance(cluster, 2.9995)).toMatchObject({ memoryMib: 3071, vcpus: 2 });
  for (const factor of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300]) {
    expect(everyNodeFits(cluster, reserveInstance(cluster, factor))).toBe(false);
  }
  // 15 GiB are free, and something must be left.
  expect(everyNodeFits(cluster, reserveInstance(cluster, 14.99))).toBe(true);
  expect(everyNodeFits(cluster, reserveInstance(cluster, 15))).toBe(false);
});

test("nodes with the fewest primaries go first, as long as the others keep room", () => {
  const cluster = loaded([{ master: true }, {}, {}, {}], [1, 1, 2]);
  const roomy = squeeze(cluster, { minimalResources: 2, targetResources: 2 });
  expect(roomy).toMatchObject({ action: "shrink", nodes: [1, 2, 3], enough: true });
  expect(roomy.steps.map(({ index, to }) => [index, to.primary])).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
  expect(roomy.after.primaryOf).toEqual([0, 0, 0]);
  expect(cluster.primaryOf).toEqual([1, 1, 2]);
  expect(cluster.facts.offline).toEqual(new Uint8Array(4));

  // With 3 GiB left at most, node 1 has to stay: its instances are too many for node 0 alone.
  expect(squeeze(cluster, { minimalResources: 2, targetResources: 3 }).nodes).toEqual([2, 3]);
});

test("nothing is done if no node can go", () => {
  const cluster = loaded([{ master: true }, {}], [0, 1, 1]);
  const plan = squeeze(cluster, { minimalResources: 2, targetResources: 14 });
  expect(plan).toMatchObject({ action: "none", nodes: [], steps: [], after: cluster });
});

const standby = { offline: true, tags: ["htools:standby:auto"] };

test("as few nodes as suffice come back, the first ones first", () => {
  const cluster = loaded([{ master: true }, standby, standby], [0, 0, 0]);
  const plan = squeeze(cluster, { minimalResources: 4, targetResources: 4 });
  expect(plan).toMatchObject({ action: "expand", nodes: [1], enough: true });
  expect(plan.steps.map(({ to }) => to.primary)).toEqual([1]);
  const all = squeeze(cluster, { minimalResources: 9, targetResources: 9 });
  expect(all).toMatchObject({ action: "expand", nodes: [1, 2], enough: true });
});

test("balancing alone may be enough, with no node coming back", () => {
  const cluster = loaded([{ master: true }, {}, standby], [0, 0, 0]);
  const plan = squeeze(cluster, { minimalResources: 4, targetResources: 4 });
  expect(plan).toMatchObject({ action: "expand", nodes: [], enough: true });
  expect(plan.steps).toHaveLength(1);
});

test("all nodes come back where not even they are enough", () => {
  const cluster = loaded([{ master: true }, standby, standby], [0, 0, 0]);
  const plan = squeeze(cluster, { minimalResources: 14, targetResources: 4 });
  expect(plan).toMatchObject({ action: "expand", nodes: [1, 2], enough: false });
  expect(plan.steps).toHaveLength(2);
});

test("an offline node without room makes every reserve too large", () => {
  const cluster = loaded([{ master: true }, { offline: true, memoryTotalMib: 0 }], []);
  const plan = squeeze(cluster, { minimalResources: 0, targetResources: 0 });
  expect(plan).toMatchObject({ action: "expand", nodes: [], enough: false });
});

test("progress tells the trial, and an abort ends the search", () => {
  const cluster = loaded([{ master: true }, {}, {}], [1, 2]);
  const seen: SqueezeProgress[] = [];
  squeeze(
    cluster,
    { minimalResources: 1, targetResources: 1 },
    { onProgress: (reported) => seen.push(reported) },
  );
  expect([...new Set(seen.map(({ trial, trialsMax }) => `${trial}/${trialsMax}`))]).toEqual([
    "1/2",
    "2/2",
  ]);
  const signal = AbortSignal.abort(new Error("enough"));
  const stopped = () => squeeze(cluster, { minimalResources: 1, targetResources: 1 }, { signal });
  expect(stopped).toThrow("enough");
});
