// Laws of adding and removing. Seen to fail when `changePrimary` forgets the planned memory on
// removal, when `removeSecondary` keeps the peer, and when `rollback` leaves the peers out.
import { messages, randomRuns } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fits, misfitNames } from "../src/fit/misfit.js";
import { failover, moveTo, placementOf, replaceSecondary } from "../src/fit/move.js";
import { addPrimary, addSecondary, removePrimary, removeSecondary } from "../src/fit/placing.js";
import type { Cluster } from "../src/model/cluster.js";
import type { Instance } from "../src/model/instance.js";
import { makeInstance } from "../src/model/instance.js";
import { loadCluster } from "../src/model/load.js";
import { type PlainNode, plainInstance, plainState } from "./oracle/model.js";
import { addPri, addSec, isNode } from "./oracle/place.js";
import { nodeSnapshot, snapshot } from "./snapshot.js";

// Hundreds of clusters take seconds where the machine is busy.
const newcomers = messages("allocate", { hypervisor: "xen-pvm" });

interface Trial {
  readonly cluster: Cluster;
  readonly instance: Instance;
  readonly force: boolean;
}

/** Calls `trial` for every node of random clusters; it tells what happened. */
function everyNode(trial: (trial: Trial, node: number) => "fits" | "refused" | "skipped"): void {
  const seen = { fits: 0, refused: 0, skipped: 0 };
  const property = fc.property(newcomers, fc.boolean(), ({ message }, force) => {
    if (message.request.type !== "allocate") return;
    const cluster = loadCluster(message.cluster);
    const instance = makeInstance(message.request.instance, -1, cluster.tagRules);
    for (const node of message.cluster.nodes.keys()) {
      seen[trial({ cluster, instance, force }, node)]++;
    }
  });
  fc.assert(property, { numRuns: randomRuns(300) });
  expect(seen.fits).toBeGreaterThan(randomRuns(100));
  expect(seen.refused).toBeGreaterThan(randomRuns(100));
}

/** The number of spindles taken is unknown, so none are returned. */
const isGivenBack = ({ cluster, instance }: Trial, node: number) =>
  cluster.facts.exclusiveStorage[node] === 0 || instance.spindles !== undefined;

test("adding a primary and removing it gives the node back as it was", () => {
  everyNode((trial, node) => {
    const { cluster, instance, force } = trial;
    const turn = () => {
      const misfit = addPrimary(cluster, instance, 99, node, force, 1);
      if (misfit === fits) removePrimary(cluster, { ...instance, index: 99 }, 99, node, 1);
      return misfit;
    };
    const before = { ...nodeSnapshot(cluster, node), failsN1: 0 };
    if (turn() !== fits) return "refused";
    if (!isGivenBack(trial, node)) return "skipped";
    // Loading judges N+1 by the reported free memory, every change by what is unallocated.
    expect({ ...nodeSnapshot(cluster, node), failsN1: 0 }).toEqual(before);
    return "fits";
  });
});

test("adding a secondary and removing it gives the node back as it was", () => {
  everyNode((trial, node) => {
    const { cluster, instance, force } = trial;
    const primary = (node + 1) % cluster.nodeCount;
    const before = { ...nodeSnapshot(cluster, node), failsN1: 0 };
    const misfit = addSecondary(cluster, instance, 99, node, primary, force);
    if (misfit !== fits) return "refused";
    removeSecondary(cluster, instance, 99, node, primary);
    if (!isGivenBack(trial, node)) return "skipped";
    expect({ ...nodeSnapshot(cluster, node), failsN1: 0 }).toEqual(before);
    return "fits";
  });
});

test("what is refused changes nothing, and is refused for the reason the rules give", () => {
  everyNode(({ cluster, instance, force }, node) => {
    const plain = plainInstance(instance.data, -1, cluster.data.tags);
    const primary = (node + 1) % cluster.nodeCount;
    const oracle = plainState(cluster.data).nodes[node] as PlainNode;
    const before = snapshot(cluster);
    const nameOf = (misfit: number) => (misfit === fits ? "fits" : misfitNames[misfit]);
    const expected = (outcome: ReturnType<typeof addPri>) => (isNode(outcome) ? "fits" : outcome);

    const asPrimary = addPrimary(cluster, instance, -1, node, force, 0);
    expect(nameOf(asPrimary)).toBe(expected(addPri(oracle, plain, force)));
    cluster.rollback(0);
    const asSecondary = addSecondary(cluster, instance, -1, node, primary, force);
    expect(nameOf(asSecondary)).toBe(expected(addSec(oracle, plain, primary, force)));
    if (asSecondary === fits) cluster.rollback(0);
    expect(snapshot(cluster)).toEqual(before);
    return asPrimary === fits ? "fits" : "refused";
  });
});

test("rolling back restores everything, whatever was moved", () => {
  const seen = { moved: 0, refused: 0 };
  const picks = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 2 })), { maxLength: 12 });
  const property = fc.property(messages("node-evacuate"), picks, ({ message }, moves) => {
    const cluster = loadCluster(message.cluster);
    if (cluster.instanceCount === 0) return;
    const marks: { mark: number; state: unknown }[] = [];
    for (const [which, where, kind] of moves) {
      marks.push({ mark: cluster.mark(), state: snapshot(cluster) });
      const index = which % cluster.instanceCount;
      const instance = cluster.instances[index] as Instance;
      const target = where % cluster.nodeCount;
      const placement = placementOf(cluster, index);
      if (target === placement.primary || target === placement.secondary) continue;
      // Instances without a secondary only move; where an instance is stays as loaded.
      const moved =
        placement.secondary < 0
          ? moveTo(cluster, instance, placement, target, kind === 1)
          : kind === 0
            ? failover(cluster, instance, placement, false)
            : replaceSecondary(cluster, instance, placement, target, kind === 1);
      seen[moved.ok ? "moved" : "refused"]++;
    }
    for (const { mark, state } of marks.reverse()) {
      cluster.rollback(mark);
      expect(snapshot(cluster)).toEqual(state);
    }
  });
  fc.assert(property, { numRuns: randomRuns(200) });
  expect(seen.moved).toBeGreaterThan(randomRuns(100));
  expect(seen.refused).toBeGreaterThan(20);
});
