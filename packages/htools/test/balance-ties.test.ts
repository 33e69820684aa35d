// Ties in balancing: the move chosen among equally good ones, on clusters where the last bit of many scores is the
// same: the instance that comes first, its failover, the first target, the first kind.
// Seen to fail with the failover tried last, and with ties left to the order of estimates.
import { aCluster, aGroup, aNode, anInstance } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { balance, balanceDefaults, defaultPolicy, groupView, loadCluster } from "../src/index.js";
import { plainMove, stepPlainly } from "./oracle/balance.js";
import { type PlainInstance, plainState, type State } from "./oracle/model.js";
import { isDone, nodeAt } from "./oracle/moves.js";
import { plainScore } from "./oracle/score.js";

/** A node's place, and how many more than one further on (in a circle) the mirror is. */
interface Place {
  readonly primary: number;
  readonly away: number;
}

const placements = fc.array(fc.record<Place>({ primary: fc.nat(), away: fc.nat() }), {
  minLength: 2,
  maxLength: 9,
});

/** On four nodes: a failover is one of several best moves. */
const failoverTies: readonly Place[][] = [
  [
    { primary: 2, away: 2 },
    { primary: 2, away: 1 },
    { primary: 3, away: 0 },
  ],
  [
    { primary: 2, away: 2 },
    { primary: 0, away: 2 },
    { primary: 1, away: 1 },
    { primary: 3, away: 0 },
    { primary: 2, away: 2 },
  ],
];

/** Equal instances on equal nodes. All sizes are powers of two, so that sums are exact. */
function uniformCluster(nodeCount: number, places: readonly Place[]) {
  const instances = places.map(({ primary, away }, at) =>
    anInstance({
      name: `instance${at}`,
      memoryMib: 1024,
      diskMib: 16384,
      primary: primary % nodeCount,
      secondary: (primary + 1 + (away % (nodeCount - 1))) % nodeCount,
    }),
  );
  const count = (node: number, ofWhich: "primary" | "secondary") =>
    instances.filter((one) => one[ofWhich] === node).length;
  const nodes = Array.from({ length: nodeCount }, (_, at) =>
    aNode({
      name: `node${at}`,
      memoryNodeMib: 0,
      memoryFreeMib: 65536 - 1024 * count(at, "primary"),
      diskFreeMib: 1048576 - 16384 * (count(at, "primary") + count(at, "secondary")),
      cpuNode: 0,
    }),
  );
  return aCluster({
    groups: [aGroup({ policy: defaultPolicy })],
    nodes,
    instances,
    hypervisor: "xen-pvm",
  });
}

test("of equal moves the first is made", () => {
  const seen = { steps: 0, failovers: 0, targets: 0, instances: 0 };
  const property = fc.property(fc.constantFrom(2, 4), placements, (nodeCount, places) => {
    const data = uniformCluster(nodeCount, places);
    const cluster = loadCluster(data);
    const view = groupView(cluster, 0);
    const options = { ...balanceDefaults, minGain: 0, stepsMax: 3 };
    let state = plainState(data);
    for (const { index, move, score } of balance(cluster, view, options)) {
      const expected = stepPlainly(state, view.nodes, view.instances, options);
      if (expected === undefined) throw new Error("a step that is none");
      const { after, ...first } = expected;
      expect({ index, move, score }).toEqual(first);
      seen.steps++;
      if (move.kind === "failover") {
        if (hasEqualTo(state, view.nodes, index, score)) seen.failovers++;
      } else seen.targets++;
      const others = view.instances.filter((other) => other > index);
      if (others.some((other) => hasEqualTo(state, view.nodes, other, score))) seen.instances++;
      state = after;
    }
  });
  const examples = failoverTies.map((places): [number, Place[]] => [4, places]);
  fc.assert(property, { numRuns: 80, examples });
  expect(Math.min(seen.steps, seen.targets, seen.instances)).toBeGreaterThan(15);
  expect(seen.failovers).toBeGreaterThanOrEqual(failoverTies.length);
});

/** Whether a move of the instance to another node scores the same, to the last bit. */
function hasEqualTo(state: State, nodes: readonly number[], index: number, score: number): boolean {
  const instance = state.instances[index] as PlainInstance;
  const targets = nodes.filter((at) => at !== instance.primary && at !== instance.secondary);
  const kinds = ["replace-secondary", "replace-and-failover", "failover-and-replace"] as const;
  return targets.some((target) =>
    kinds.some((kind) => {
      const moved = plainMove(state, instance, { kind, target }, false);
      return isDone(moved) && plainScore(nodes.map((at) => nodeAt(moved.state, at))) === score;
    }),
  );
}
