// Kept proofs say of a cluster that is being filled what counting from scratch says. Seen to fail with room for others
// that is always there, and with proofs that survive a placement on a secondary.
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { addPrimary, addSecondary } from "../fit/placing.js";
import type { Cluster } from "../model/cluster.js";
import { makeInstance } from "../model/instance.js";
import { loadCluster } from "../model/load.js";
import { TagRules } from "../model/tag-rules.js";
import { stuckNodes } from "./capacity-check.js";
import { EmptyingCount } from "./emptying-count.js";
import { EmptyingProofs } from "./emptying-proofs.js";

const noTags = new TagRules([]);
const nobody = {
  index: -1,
  instance: makeInstance(anInstance({ memoryMib: 0, diskTemplate: "diskless" }), -1, noTags),
};

function randomCluster(dice: Dice) {
  const count = dice.between(3, 8);
  const instances = Array.from({ length: dice.between(1, 3 * count) }, (_, at) => {
    const primary = dice.between(0, count - 1);
    const diskTemplate = dice.pick(["drbd", "drbd", "ext", "plain"] as const);
    const secondary = (primary + dice.between(1, count - 1)) % count;
    return anInstance({
      name: `instance${at}`,
      memoryMib: 1024 * dice.between(1, 6),
      diskTemplate,
      primary,
      secondary: diskTemplate === "drbd" ? secondary : -1,
    });
  });
  const nodes = Array.from({ length: count }, (_, at) =>
    aNode({
      ...{ name: `node${at}`, memoryTotalMib: 65536, memoryFreeMib: 1024 * dice.between(4, 24) },
      ...{ diskTotalMib: 102_400, diskFreeMib: 1024 * dice.between(1, 24) },
    }),
  );
  return loadCluster(aCluster({ groups: [aGroup()], nodes, instances }));
}

/** Places a new instance, mirrored or not, on nodes that may lack room; returns its primary. */
function placeAny(dice: Dice, cluster: Cluster, nodes: readonly number[]): number {
  const [primary = 0, other = 0] = dice.shuffled(nodes);
  const diskTemplate = dice.pick(["drbd", "plain"] as const);
  const secondary = diskTemplate === "drbd" ? other : -1;
  const index = cluster.instanceCount;
  const memoryMib = 1024 * dice.between(1, 4);
  const diskMib = 1024 * dice.between(1, 8);
  const instance = makeInstance(anInstance({ memoryMib, diskMib, diskTemplate }), index, noTags);
  addPrimary(cluster, instance, index, primary, true, 0);
  if (secondary >= 0) addSecondary(cluster, instance, index, secondary, primary, true);
  cluster.enlist(instance, primary, secondary, 0);
  return primary;
}

test("kept proofs agree with a trial of every node after each placement and each removal", () => {
  const seen = { proved: 0, stuck: 0 };
  for (let seed = 1; seed <= 150; seed++) {
    const dice = new Dice(seed);
    const cluster = randomCluster(dice);
    const proofs = new EmptyingProofs(cluster);
    const nodes = [...cluster.data.nodes.keys()];
    const marks: number[] = [];
    for (let step = 0; step < 12; step++) {
      const stuck = new Set(stuckNodes(cluster, nodes));
      const counting = new EmptyingCount(cluster, nobody, proofs.primaries);
      for (const node of nodes) {
        const verdict = proofs.verdict(node, counting);
        if (verdict === "empties")
          expect(stuck.has(node), `seed ${seed}, node ${node}`).toBe(false);
        if (verdict === "stuck") expect(stuck.has(node), `seed ${seed}, node ${node}`).toBe(true);
        seen.proved += Number(verdict === "empties");
        seen.stuck += Number(verdict === "stuck");
      }
      const mark = dice.chance(0.2) ? marks.pop() : undefined;
      if (mark !== undefined) {
        cluster.rollback(mark);
        cluster.delist(1);
        continue;
      }
      marks.push(cluster.mark());
      proofs.place(placeAny(dice, cluster, nodes));
    }
  }
  expect(seen.proved).toBeGreaterThan(1000);
  expect(seen.stuck).toBeGreaterThan(100);
});
