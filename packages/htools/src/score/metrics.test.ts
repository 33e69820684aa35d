import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { addPrimary, addSecondary } from "../fit/placing.js";
import { defaultPolicy } from "../model/default-policy.js";
import { makeInstance } from "../model/instance.js";
import { loadCluster } from "../model/load.js";
import { components } from "./metrics.js";
import { ScoreBoard, scoreOf } from "./score-board.js";

const node = { memoryTotalMib: 32768, diskTotalMib: 1024000, cpuTotal: 8, spindleTotal: 12 };
const four = aCluster({
  groups: [aGroup({ policy: defaultPolicy })],
  nodes: ["n1", "n2", "n3", "n4"].map((name) => aNode({ name, ...node })),
});

test("equal nodes without instances score 0", () => {
  expect(scoreOf(loadCluster(four), [0, 1, 2, 3])).toBe(0);
});

test("one drbd instance of 1 GiB on four equal nodes, term by term", () => {
  const cluster = loadCluster(four);
  const instance = makeInstance(anInstance(), -1, cluster.tagRules);
  addPrimary(cluster, instance, 0, 3, false, 0);
  addSecondary(cluster, instance, 0, 2, 3, false);
  const board = new ScoreBoard(cluster, [0, 1, 2, 3]);
  const terms = components.map(({ name, weight }, at) => [name, weight * (board.values[at] ?? 0)]);
  const expected = {
    free_mem_cv: 0.00676582,
    free_disk_cv: 0.00253125,
    reserved_mem_cv: 0.01353165,
    vcpu_ratio_cv: 0.02706329,
    cpu_load_cv: 0.4330127,
    mem_load_cv: 0.4330127,
    disk_load_cv: 0.5,
    net_load_cv: 0.4330127,
    spindles_cv: 0.00065104,
    free_mem_cv_forth: 0.00676582,
    free_disk_cv_forth: 0.00253125,
    vcpu_ratio_cv_forth: 0.02706329,
    spindles_cv_forth: 0.00065104,
    reserved_mem_rtotal: 0.0078125,
  };
  for (const [name, term] of terms as [keyof typeof expected, number][]) {
    expect(term, name).toBeCloseTo(expected[name] ?? 0, 8);
  }
  expect(board.score).toBe(1.8944050706147828);
});

test("a reservation shows only in what is planned", () => {
  const cluster = loadCluster(four);
  const reserved = anInstance({ memoryMib: 4096, forthcoming: true });
  const instance = makeInstance(reserved, -1, cluster.tagRules);
  addPrimary(cluster, instance, 0, 3, false, 0);
  addSecondary(cluster, instance, 0, 2, 3, false);
  const board = new ScoreBoard(cluster, [0, 1, 2, 3]);
  const changed = components.filter((_, at) => board.values[at] !== 0).map(({ name }) => name);
  expect(changed).toEqual([
    "free_mem_cv_forth",
    "free_disk_cv_forth",
    "vcpu_ratio_cv_forth",
    "spindles_cv_forth",
  ]);
});
