// Verdicts by kept margins equal those counted from the primaries of each node. Seen to fail with nodes without primaries
// left undecided, and with the space of such a node counted against it.
import { aCluster, aGroup, aNode, anInstance, Dice } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { KeptCluster } from "../kept/kept-cluster.js";
import { makeInstance } from "../model/instance.js";
import { TagRules } from "../model/tag-rules.js";
import { EmptyingCount } from "./emptying-count.js";
import { margins } from "./margins.js";

function randomCluster(dice: Dice, nodeCount: number) {
  const instances = Array.from({ length: dice.between(0, nodeCount) }, (_, at) => {
    const primary = dice.between(0, nodeCount - 1);
    return anInstance({
      name: `instance${at}`,
      memoryMib: 1024 * dice.between(1, 4),
      disks: [{ sizeMib: 1024, spindles: undefined }],
      diskTemplate: "drbd",
      primary,
      secondary: (primary + dice.between(1, nodeCount - 1)) % nodeCount,
    });
  });
  const nodes = Array.from({ length: nodeCount }, (_, at) =>
    aNode({
      name: `node${at}`,
      offline: dice.chance(0.1),
      memoryTotalMib: 16_384,
      memoryFreeMib: 1024 * dice.between(4, 12),
      diskTotalMib: 100_000,
      diskFreeMib: dice.chance(0.3) ? 1000 : 50_000,
    }),
  );
  return aCluster({ groups: [aGroup({ name: "group" })], nodes, instances });
}

test("margins decide every node whose primaries are mirrored, also one without primaries, as counting does", () => {
  const seen = { empty: 0, full: 0, stuck: 0 };
  for (let seed = 1; seed <= 60; seed++) {
    const dice = new Dice(seed);
    const nodeCount = dice.between(3, 12);
    const { cluster } = KeptCluster.of(randomCluster(dice, nodeCount));
    const instance = makeInstance(anInstance({ name: "new" }), nodeCount, new TagRules([]));
    const counting = new EmptyingCount(cluster, { instance, index: -1 });
    const needs = margins(1024 * dice.between(0, 3), 1024 * dice.between(0, 2), 2);
    const byMargins = counting.verdictsAtRest(needs.memoryMib, needs.diskMib);
    for (let node = 0; node < nodeCount; node++) {
      const verdict = byMargins?.(node);
      expect(verdict).toBe(counting.verdict(node, needs));
      if (verdict === "stuck") seen.stuck++;
      if (cluster.primaries[node] !== undefined) continue;
      seen.empty++;
      if (counting.isFull(node, needs.diskMib)) seen.full++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
});
