// Instances on few nodes with little disk get a mirror where the original gives them one, or for its reasons none.
import { aCluster, aGroup, aNode, anInstance, type Switches } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { ourAnswer } from "../our-answer.js";
import { hailAnswer, missing } from "./hail.js";

const seeds = 60;

/** The first instance has no mirror; disks of nodes have room for few of these. */
function crampedCluster(dice: Dice) {
  const nodeCount = dice.between(2, 4);
  const instances = Array.from({ length: dice.between(1, 5) }, (_, at) => {
    const isMirrored = at > 0 && dice.chance(0.6);
    const primary = dice.between(0, nodeCount - 1);
    return anInstance({
      name: `instance${at}`,
      memoryMib: 1024 * dice.between(1, 8),
      disks: [{ sizeMib: 10_240 * dice.between(1, 8), spindles: undefined }],
      diskTemplate: isMirrored ? "drbd" : dice.pick(["plain", "plain", "ext"]),
      forthcoming: dice.chance(0.1),
      primary,
      secondary: isMirrored ? (primary + dice.between(1, nodeCount - 1)) % nodeCount : -1,
    });
  });
  const nodes = Array.from({ length: nodeCount }, (_, at) =>
    aNode({
      name: `node${at}`,
      memoryTotalMib: 32_768,
      memoryFreeMib: 1024 * dice.between(2, 20),
      diskTotalMib: 400_000,
      diskFreeMib: 10_240 * dice.between(1, 20),
      cpuTotal: 16,
      spindleTotal: 12,
    }),
  );
  return aCluster({ groups: [aGroup({})], nodes, instances });
}

test.skipIf(missing)("mirrors as hail chooses them", { timeout: 5000 * seeds }, () => {
  const seen = { placed: 0, unsafe: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const dice = new Dice(seed);
    const message = {
      cluster: crampedCluster(dice),
      request: { type: "allocate-secondary", instanceIndex: 0 } as const,
    };
    const switches: Switches = { ignoreSoftErrors: dice.chance(0.2), capacityChecks: true };
    const expected = hailAnswer(message, switches);
    if (expected === undefined) continue;
    expect(ourAnswer(message, switches), `seed ${seed}`).toBe(expected);
    if (expected.startsWith('{"success":true')) seen.placed++;
    if (expected.includes("FailN1")) seen.unsafe++;
  }
  expect(Math.min(seen.placed, seen.unsafe)).toBeGreaterThan(5);
});
