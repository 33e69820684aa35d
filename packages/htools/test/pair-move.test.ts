// The best pair of targets is that of trying all. Seen to fail with `NearBest` keeping only the lowest
// incremental score (ties go wrong), and with the failover from an offline primary left out.
import { messages, randomRuns, type Traits } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { movePair } from "../src/allocate/pair-move.js";
import { placementOf } from "../src/fit/move.js";
import type { Instance } from "../src/model/instance.js";
import { loadCluster } from "../src/model/load.js";
import { movePairPlainly } from "./oracle/evacuate.js";
import { type PlainInstance, plainState } from "./oracle/model.js";

const kinds: readonly Partial<Traits>[] = [
  { hardware: "equal", room: "roomy" },
  { away: true },
  { locationTags: true, exclusionTags: true },
  { forthcoming: true, locationTags: true },
  { room: "tight", migrationTags: true },
  { exclusiveStorage: "some" },
  { zeroSizes: true },
];

test.each(kinds)("both copies move as by trying all pairs, with %j", (change) => {
  const seen = { moved: 0, refused: 0, forced: 0 };
  const traits = {
    hypervisor: "xen-pvm",
    zeroSizes: false,
    templates: ["drbd"],
    ...change,
  } as const;
  const property = fc.property(
    messages("node-evacuate", traits, 8),
    fc.boolean(),
    (random, force) => {
      const data = random.message.cluster;
      const cluster = loadCluster(data);
      const state = plainState(data);
      for (const [index, { primary, secondary }] of data.instances.entries()) {
        const group = data.nodes[primary]?.groupIndex;
        const scored = [...data.nodes.keys()].filter(
          (node) => data.nodes[node]?.groupIndex === group,
        );
        const targets = scored.filter(
          (node) => !data.nodes[node]?.offline && node !== primary && node !== secondary,
        );
        const instance = cluster.instances[index] as Instance;
        const placement = placementOf(cluster, index);
        const moved = movePair(cluster, { instance, placement, targets, force }, scored);
        cluster.rollback(0);
        const plain = state.instances[index] as PlainInstance;
        const expected = movePairPlainly(state, plain, scored, targets, force);
        if (typeof expected === "string") expect(moved).toEqual({ ok: false, reason: expected });
        else expect(moved).toMatchObject({ ok: true, value: expected });
        seen[moved.ok ? "moved" : "refused"]++;
        if (force) seen.forced++;
      }
    },
  );
  fc.assert(property, { numRuns: randomRuns(150) });
  expect(Math.min(seen.moved, seen.refused, seen.forced)).toBeGreaterThan(20);
});
