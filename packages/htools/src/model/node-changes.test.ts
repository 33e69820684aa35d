import { aCluster, aNode, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { primaryMisfit, secondaryMisfit } from "../fit/fitting.js";
import { failCpu, failDisk, fits } from "../fit/misfit.js";
import { nodeFigures } from "../text/node-figures.js";
import { writeClusterText } from "../text/text-writer.js";
import type { Instance } from "./instance.js";
import { loadCluster } from "./load.js";
import { changeNodes } from "./node-changes.js";

const load = () =>
  loadCluster(
    aCluster({
      nodes: [
        aNode({ name: "a.example.com", diskTotalMib: 20000, diskFreeMib: 11368 }),
        aNode({ name: "ab.example.com", diskTotalMib: 20000 }),
        aNode({ name: "c.example.com" }),
        aNode({ name: "c.example.org" }),
      ],
      instances: [anInstance({ primary: 2, secondary: 3 })],
    }),
  );

test.each([
  [["ab"], [0, 1, 0, 0]],
  [["a", "c.example"], [1, 0, 0, 0], "c.example"],
  [
    ["c.example.org", "c.example.org"],
    [0, 0, 0, 1],
  ],
  [["x", "c", "a.example.com"], [0, 0, 0, 0], "x,c"],
  [[], [0, 0, 0, 0]],
] as const)("%j as offline nodes", (offline, expected, unknown?: string) => {
  const cluster = load();
  if (unknown === undefined) {
    changeNodes(cluster, { offline });
    expect([...cluster.facts.offline]).toEqual(expected);
  } else {
    expect(() => changeNodes(cluster, { offline })).toThrow(
      `wrong node name(s) set as offline: ${unknown}\n`,
    );
  }
});

test("tables and dumps show that a node counts as offline", () => {
  const cluster = load();
  changeNodes(cluster, { offline: ["ab"] });
  expect(nodeFigures(cluster, 1).offline).toBe(true);
  expect(writeClusterText(cluster)).toMatch(/^ab\.example\.com\|.*\|Y\|/m);
});

test.each([
  { left: 1000, ratio: 0.05, why: "exactly the low mark is enough", misfit: fits },
  { left: 999, ratio: 0.05, why: "one MiB less is not", misfit: failDisk },
  { left: 999, ratio: 0.04999, why: "the mark is cut to whole MiB", misfit: fits },
  { left: 1, ratio: 0, why: "without a mark one MiB is enough", misfit: fits },
  { left: 1, ratio: Number.NaN, why: "what is no number is no mark", misfit: fits },
  { left: 1, ratio: Number.POSITIVE_INFINITY, why: "nor is infinity, as in Ganeti", misfit: fits },
])("$left MiB left of 20000 with a ratio of $ratio: $why", ({ left, ratio, misfit }) => {
  const cluster = load();
  changeNodes(cluster, { reservedDiskRatio: ratio });
  const real = { ...(cluster.instances[0] as Instance), diskMib: 11368 - left };
  const planned = { ...real, forthcoming: true };
  for (const instance of [real, planned]) {
    expect(primaryMisfit(cluster, instance, 0, false)).toBe(misfit);
    expect(secondaryMisfit(cluster, instance, 0, 2, false)).toBe(misfit);
    expect(primaryMisfit(cluster, instance, 0, true)).toBe(fits);
    expect(secondaryMisfit(cluster, instance, 0, 2, true)).toBe(fits);
  }
});

test("a ratio of virtual CPUs replaces that of every group", () => {
  const cluster = load();
  const instance = { ...(cluster.instances[0] as Instance), vcpus: 2, diskMib: 1 };
  changeNodes(cluster, { vcpuRatio: 3 / 16 });
  expect(primaryMisfit(cluster, instance, 0, false)).toBe(fits);
  expect(primaryMisfit(cluster, { ...instance, vcpus: 3 }, 0, false)).toBe(failCpu);
});
