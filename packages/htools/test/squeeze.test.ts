// Laws of squeezing on random clusters. Seen to fail when primaries may stay on offline nodes, when
// nodes are tried online in place of offline, and when `hopeless` counts what is on nodes wrongly.
import type { ClusterData } from "@ganeti-ts/protocol";
import { messageOfShape, randomRuns } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { balance } from "../src/balance/balance.js";
import { makeMove } from "../src/balance/balance-move.js";
import { placementOf } from "../src/fit/move.js";
import type { Cluster } from "../src/model/cluster.js";
import type { Instance } from "../src/model/instance.js";
import { loadCluster } from "../src/model/load.js";
import { offlineCandidates, onlineCandidates } from "../src/squeeze/candidates.js";
import { hopeless } from "../src/squeeze/hopeless.js";
import { everyNodeFits, reserveInstance } from "../src/squeeze/reserve.js";
import { type SqueezePlan, squeeze } from "../src/squeeze/squeeze.js";
import { snapshot } from "./snapshot.js";

/** Shared storage mostly, so that nodes can go; some are on standby. */
function clusterOf(seed: number): ClusterData {
  const dice = new Dice(seed);
  const nodeCount = dice.between(2, 6);
  const shape = { seed, groupCount: 1, nodeCount, instanceCount: dice.between(0, 2) * nodeCount };
  const { cluster } = messageOfShape(shape, "relocate", {
    templates: dice.pick([["ext"], ["ext", "rbd"], ["ext", "ext", "ext", "drbd"]] as const),
    room: dice.pick(["roomy", "usual", "tight"]),
    exclusiveStorage: "none",
    away: false,
    zeroSizes: false,
  }).message;
  const nodes = cluster.nodes.map((node, at) => {
    const offline = dice.chance(0.2);
    return { ...node, offline, tags: offline ? ["htools:standby:x"] : [], master: at === 0 };
  });
  return { ...cluster, nodes };
}

const questions = fc.record({
  seed: fc.nat(1e6),
  minimalResources: fc.constantFrom(0, 0.5, 2, 8, 16),
  targetResources: fc.constantFrom(0, 0.5, 1, 2, 4),
});

interface Trial {
  readonly cluster: Cluster;
  readonly plan: SqueezePlan;
  readonly minimalResources: number;
  readonly targetResources: number;
}

function everyPlan(law: (trial: Trial) => void): void {
  const seen = { expand: 0, shrink: 0, none: 0 };
  fc.assert(
    fc.property(questions, ({ seed, ...options }) => {
      const cluster = loadCluster(clusterOf(seed));
      const before = snapshot(cluster);
      const plan = squeeze(cluster, options);
      expect(snapshot(cluster)).toEqual(before);
      law({ cluster, plan, ...options });
      seen[plan.action]++;
    }),
    { numRuns: randomRuns(120) },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
}

const isOnline = ({ primaryOf, facts }: Cluster) =>
  primaryOf.every((node) => facts.offline[node] === 0);

test("afterwards all primaries are on online nodes, and every node has the room asked for", () => {
  everyPlan(({ cluster, plan, minimalResources, targetResources }) => {
    if (plan.action === "none" || !plan.enough) return;
    expect(isOnline(plan.after)).toBe(true);
    const factor = plan.action === "expand" ? minimalResources : targetResources;
    expect(everyNodeFits(plan.after, reserveInstance(cluster, factor))).toBe(true);
  });
});

test("nodes come from the candidates in their order, and nothing else changes state", () => {
  everyPlan(({ cluster, plan }) => {
    const shrinks = plan.action === "shrink";
    const candidates = shrinks ? offlineCandidates(cluster) : onlineCandidates(cluster);
    expect(candidates.filter((node) => plan.nodes.includes(node))).toEqual(plan.nodes);
    const expected = cluster.facts.offline.slice();
    for (const node of plan.nodes) expected[node] = Number(shrinks);
    expect(plan.after.facts.offline).toEqual(expected);
  });
});

test("the steps, made one after the other, are all allowed and lead to the state given", () => {
  let steps = 0;
  everyPlan(({ cluster, plan }) => {
    const replayed = cluster.copy({ ...cluster.facts, offline: plan.after.facts.offline });
    for (const { index, move, from, to } of plan.steps) {
      const instance = replayed.instances[index] as Instance;
      const moved = makeMove(replayed, instance, placementOf(replayed, index), move, false);
      expect(moved).toEqual({ ok: true, placement: to });
      for (const node of [to.primary, to.secondary]) {
        const isNew = node >= 0 && node !== from.primary && node !== from.secondary;
        if (isNew) expect(replayed.facts.offline[node]).toBe(0);
      }
      replayed.relocateEntry(index, to.primary, to.secondary, to.locationScore);
      steps++;
    }
    expect(snapshot(replayed)).toEqual(snapshot(plan.after));
  });
  expect(steps).toBeGreaterThan(50);
});

const leaving = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });

test("what is hopeless fails when it is tried", () => {
  const seen = { hopeless: 0, failed: 0, fine: 0 };
  fc.assert(
    fc.property(questions, leaving, ({ seed, minimalResources }, gone) => {
      const cluster = loadCluster(clusterOf(seed));
      for (const node of cluster.data.nodes.keys()) {
        if (gone[node]) cluster.facts.offline[node] = 1;
      }
      const reserve = reserveInstance(cluster, minimalResources);
      const isHopeless = hopeless(cluster, reserve);
      const all = {
        nodes: [...cluster.data.nodes.keys()],
        instances: [...cluster.instances.keys()],
      };
      const options = { minGain: 0, minGainLimit: 0, minScore: Number.NEGATIVE_INFINITY };
      for (const _ of balance(cluster, all, options));
      const works = isOnline(cluster) && everyNodeFits(cluster, reserve);
      if (isHopeless) expect(works).toBe(false);
      seen[isHopeless ? "hopeless" : works ? "fine" : "failed"]++;
    }),
    { numRuns: randomRuns(200) },
  );
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(1);
});
