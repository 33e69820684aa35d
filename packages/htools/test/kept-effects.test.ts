// Effects that are kept for instances of one shape give the answer of a search on a newly loaded cluster, whatever was
// searched and changed in between. Seen to fail without marking changed nodes as stale, with effects shared by
// instances of different shapes, with columns of the oldest shape taken over as they are, with nodes that a restricted
// search left out still feasible, and with primaries passed over that stay infeasible.
import { aCluster, aGroup, aNode, anInstance, isThorough } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { allocationOf } from "../src/allocate/allocation-of.js";
import { KeptCluster } from "../src/kept/kept-cluster.js";
import { loadCluster } from "../src/model/load.js";
import { answerRequest } from "../src/requests.js";
import { randomChange } from "./random-change.js";

const groupCount = 3;
const seedCount = isThorough ? 60 : 8;

/** Groups of similar nodes, mostly with mirrored instances that share nodes. */
function randomCluster(dice: Dice) {
  const nodeCount = groupCount * dice.between(3, 9);
  const inGroup = nodeCount / groupCount;
  const instances = Array.from({ length: dice.between(nodeCount, 4 * nodeCount) }, (_, at) => {
    const primary = dice.between(0, nodeCount - 1);
    const step = groupCount * dice.between(1, inGroup - 1);
    const isMirrored = dice.chance(0.8);
    return anInstance({
      name: `instance${at}`,
      memoryMib: 256 * dice.between(1, 4),
      disks: [{ sizeMib: 1024 * dice.between(1, 4), spindles: undefined }],
      diskTemplate: isMirrored ? "drbd" : "plain",
      primary,
      secondary: isMirrored ? (primary + step) % nodeCount : -1,
    });
  });
  const nodes = Array.from({ length: nodeCount }, (_, at) =>
    aNode({
      name: `node${at}`,
      groupIndex: at % groupCount,
      offline: dice.chance(0.05),
      memoryTotalMib: 16_384,
      memoryFreeMib: 512 * dice.between(4, 20),
      diskTotalMib: 200_000,
      diskFreeMib: 20_000 * dice.between(1, 8),
    }),
  );
  const groups = Array.from({ length: groupCount }, (_, at) => aGroup({ name: `group${at}` }));
  return aCluster({ groups, nodes, instances });
}

test("effects kept by shape give the answers of a newly loaded cluster", () => {
  const seen = {
    single: 0,
    repeated: 0,
    placed: 0,
    refused: 0,
    restricted: 0,
    unsafe: 0,
    offline: 0,
  };
  for (let seed = 1; seed <= seedCount; seed++) {
    const dice = new Dice(seed);
    const pool = randomCluster(dice);
    // More shapes than are kept, on boards that last: nodes that go offline and groups that change need new ones.
    const hasMany = dice.chance(0.3);
    const shapes = Array.from({ length: hasMany ? 40 : 3 }, (_, at) => ({
      name: "new",
      memoryMib: 256 * dice.between(1, 12),
      disksMib: [1024 * ((at % 3) + 1) * dice.between(1, 40)],
      vcpus: dice.between(1, 2),
      diskTemplate: dice.pick(["drbd", "drbd", "plain", "ext"] as const),
    }));
    let kept = KeptCluster.of(randomCluster(dice));
    const used = new Set<string>();
    for (let step = 0; step < 40; step++) {
      if (dice.chance(0.6)) {
        const change = randomChange(dice, kept.data, pool);
        const isAny = !hasMany && dice.chance(0.1);
        kept = kept.withChange(
          isAny ? change : { ...change, groups: [], ...(hasMany && { nodes: [] }) },
        );
      }
      const fresh = loadCluster(kept.data);
      const [shape, group] = [dice.pick(shapes), dice.between(0, groupCount - 1)];
      const some = kept.data.nodes.filter(() => dice.chance(0.7)).map(({ name }) => name);
      const options = {
        ignoreSoftErrors: dice.chance(0.1),
        capacityChecks: dice.chance(0.7),
        restrictTo: dice.chance(0.2) ? some : undefined,
      };
      const groupName = dice.chance(0.3) ? `group${group}` : undefined;
      const request = allocationOf({ ...shape, ...(groupName && { groupName }) });
      const { answer } = answerRequest(kept.cluster, request, options);
      expect(answer).toEqual(answerRequest(fresh, request, options).answer);
      const use = JSON.stringify([shape, options.ignoreSoftErrors, groupName]);
      if (options.restrictTo === undefined && used.has(use)) seen.repeated++;
      used.add(use);
      if (request.requiredNodes === 1) seen.single++;
      if (answer.success) seen.placed++;
      else seen.refused++;
      if (options.restrictTo) seen.restricted++;
      if (answer.info.includes("FailN1")) seen.unsafe++;
      if (kept.data.nodes.some(({ offline }) => offline)) seen.offline++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(1.5 * seedCount);
});
