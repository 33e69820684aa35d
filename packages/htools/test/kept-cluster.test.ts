// A kept cluster equals the cluster that a fresh load of the changed data gives, and so do its answers. Seen to
// fail without counting the old nodes of moved instances again, with locations of changed nodes ignored, with
// indices of instances left as they were, with forthcoming instances left out of the counts, with
// margins of nodes computed again only for nodes with changes of their own, or not for the nodes of placements and moves,
// and with data, facts or state that a version shares with an earlier one, a branch or a copy.
import type { AllocatorRequest, ClusterData } from "@ganeti-ts/protocol";
import { messageOfShape, randomRuns, requestTypes, shapes } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KeptCluster } from "../src/kept/kept-cluster.js";
import type { Cluster } from "../src/model/cluster.js";
import { loadCluster } from "../src/model/load.js";
import { emptyingMargins } from "../src/n1/emptying-margins.js";
import { roomByRank, roomiestFirst } from "../src/n1/room-by-rank.js";
import { answerRequest } from "../src/requests.js";
import { expectEqual } from "./expect-equal.js";
import { opposite, randomChange, requestFor } from "./random-change.js";
import { snapshot } from "./snapshot.js";

const whole = (cluster: Cluster) => ({
  ...snapshot(cluster),
  facts: cluster.facts,
  rows: cluster.rows,
  peers: cluster.peers,
  movable: [...cluster.movable],
  indices: cluster.instances.map(({ index }) => index),
  listed: cluster.instances.map(({ data: { name } }) => name),
  nodesByGroup: cluster.nodesByGroup,
  shown: [cluster.shownNodes, cluster.shownInstances],
});

const balance: AllocatorRequest = {
  ...{ type: "balance", groupName: undefined, movesMax: 4, evacuationMode: false },
  ...{ diskMoves: true, instanceMoves: true, restrictedMigration: false },
  ...{ ignoreSoftErrors: false, minGain: 0.01, minGainLimit: 0.1, minScore: 1e-9 },
  ...{ selectedIndices: [], excludedIndices: [] },
};

/** Messages of all kinds for the same cluster, and one with the same traits to take changes from. */
function scenario(shape: Parameters<typeof messageOfShape>[0]) {
  const first = messageOfShape(shape, "allocate");
  const all = requestTypes.map((type) => messageOfShape(shape, type));
  const pool = messageOfShape({ ...shape, seed: shape.seed + 1 }, "allocate", first.traits);
  return { ...first, requests: all.map(({ message }) => message.request), pool: pool.message };
}

/** Margins that placements have kept are those of a cluster in the same state. */
function expectMargins(cluster: Cluster): void {
  const { emptyingMargins: margins } = cluster;
  if (margins === undefined) return;
  expectEqual({ ...margins, rooms: new Map() }, emptyingMargins(cluster));
  for (const [group, room] of margins.rooms) {
    expect(room).toEqual(roomByRank(cluster, roomiestFirst(cluster, group)));
  }
}

function compareAnswers(
  kept: Cluster,
  data: ClusterData,
  requests: readonly AllocatorRequest[],
  options: Parameters<typeof answerRequest>[2],
): void {
  const loaded = whole(loadCluster(data));
  for (const request of requests) {
    const asked = requestFor(data, request);
    if (asked === undefined) continue;
    const answered = answerRequest(kept, asked, options);
    const expected = answerRequest(loadCluster(data), asked, options);
    expectEqual(answered.answer, expected.answer);
    expectEqual(whole(answered.after), whole(expected.after));
    expectMargins(answered.after);
    expectEqual(whole(kept), loaded, "all that was tried is undone");
  }
}

test("after any changes, a kept cluster and its answers equal those of a fresh load", () => {
  const seen = { planned: 0, back: 0 };
  fc.assert(
    fc.property(shapes(7), (shape) => {
      const { message, switches, requests, pool } = scenario(shape);
      const dice = new Dice(shape.seed + 2);
      let kept = KeptCluster.of(message.cluster);
      for (let step = 0; step < 6; step++) {
        const before = kept;
        const change = randomChange(dice, kept.data, pool.cluster);
        kept = before.withChange(change);
        const fresh = loadCluster(kept.data);
        expectEqual(whole(kept.cluster), whole(fresh));
        expectEqual(kept.cluster.emptyingMargins, emptyingMargins(fresh));
        if (dice.chance(0.5)) {
          kept = kept.withChange(opposite(before.data, change));
          expectEqual(kept.data, before.data);
          expectEqual(whole(kept.cluster), whole(before.cluster));
          seen.back++;
        }
        if (kept.data.instances.some(({ forthcoming }) => forthcoming)) seen.planned++;
      }
      const options = { ...switches, restrictTo: undefined };
      compareAnswers(kept.cluster, kept.data, [...requests, balance], options);
    }),
    { numRuns: randomRuns(250) },
  );
  expect(seen.back).toBeGreaterThan(randomRuns(100));
  expect(seen.planned).toBeGreaterThan(randomRuns(20));
});

test("a change leaves the cluster before it, and clusters of its answers, as they were", () => {
  fc.assert(
    fc.property(shapes(6), (shape) => {
      const { message, switches, requests, pool } = scenario(shape);
      const dice = new Dice(shape.seed + 3);
      const loaded = KeptCluster.of(message.cluster);
      // (a version that others have only as data, and one whose state the next version takes over)
      const later = loaded.withChange(randomChange(dice, loaded.data, pool.cluster));
      const [request] = requests as [AllocatorRequest];
      for (const kept of [loaded, later]) {
        const { after } = answerRequest(kept.cluster, request, {
          ...switches,
          restrictTo: undefined,
        });
        // (after a refusal it is the cluster itself)
        const answered = after === kept.cluster ? undefined : after;
        const clusters = () => [whole(kept.cluster), answered && whole(answered), kept.data];
        const before = structuredClone(clusters());
        kept.branch().withChange(randomChange(dice, kept.data, pool.cluster));
        expectEqual(clusters(), before);
        const changed = kept.withChange(randomChange(dice, kept.data, pool.cluster));
        changed.withChange(randomChange(dice, changed.data, pool.cluster));
        expectEqual(clusters(), before);
      }
    }),
    // (tags of nodes change, and nothing else)
    {
      numRuns: randomRuns(100),
      examples: [[{ seed: 364615921, groupCount: 1, nodeCount: 2, instanceCount: 10 }]],
    },
  );
});

test("a cluster that was read before a change takes no more requests", () => {
  const { message } = scenario({ seed: 1, groupCount: 1, nodeCount: 3, instanceCount: 5 });
  const kept = KeptCluster.of(message.cluster).withChange({ removed: [0] });
  const { cluster } = kept;
  kept.withChange({ removed: [0] });
  expect(() => answerRequest(cluster, balance)).toThrow("This cluster has changed");
  expect(answerRequest(kept.cluster, balance).answer).toBeDefined();
});
