// Laws of the score. Seen to fail with a component's weight changed, with `exact` or `estimate` not
// looking at what changed, and with two terms of the pair table added in the other order (the score
// then differs in its last bit).
import { messages, randomRuns } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fits } from "../src/fit/misfit.js";
import { addPrimary, addSecondary } from "../src/fit/placing.js";
import type { Cluster } from "../src/model/cluster.js";
import { makeInstance } from "../src/model/instance.js";
import { loadCluster } from "../src/model/load.js";
import { measureNode } from "../src/score/metrics.js";
import { PairTable, type PrimaryOption, type SecondaryOption } from "../src/score/pair-table.js";
import { scoreAfter } from "../src/score/running-score.js";
import { nearness, ScoreBoard, scoreOf } from "../src/score/score-board.js";
import { plainState } from "./oracle/model.js";
import { plainScore } from "./oracle/score.js";

// Hundreds of clusters take seconds where the machine is busy.
const random = messages("allocate", { hypervisor: "xen-pvm", zeroSizes: false }, 9);
const odd = messages("allocate", { hypervisor: "xen-pvm", zeroSizes: true });

test("a score equals the plain computation to the last bit, including NaN", () => {
  const seen = { numbers: 0, others: 0, zero: 0 };
  const property = fc.property(fc.oneof(random, odd), ({ message }) => {
    const cluster = loadCluster(message.cluster);
    const score = scoreOf(cluster, [...cluster.data.nodes.keys()]);
    expect(score).toBe(plainScore(plainState(message.cluster).nodes));
    seen[score === 0 ? "zero" : Number.isFinite(score) ? "numbers" : "others"]++;
  });
  fc.assert(property, { numRuns: randomRuns(600) });
  expect(Math.min(seen.numbers, seen.others, seen.zero)).toBeGreaterThan(5);
});

test("an estimate is within its margin of the exact score, and the exact one is that of a fresh look", () => {
  const seen = { fits: 0, refused: 0 };
  const property = fc.property(random, fc.boolean(), ({ message }, force) => {
    if (message.request.type !== "allocate") return;
    const cluster = loadCluster(message.cluster);
    const all = [...cluster.data.nodes.keys()];
    const board = new ScoreBoard(cluster, all);
    const instance = makeInstance(message.request.instance, -1, cluster.tagRules);
    for (const node of all) {
      const mark = cluster.mark();
      const misfit = addPrimary(cluster, instance, -1, node, force, 1);
      seen[misfit === fits ? "fits" : "refused"]++;
      const exact = board.exact([node]);
      expect(exact).toBe(scoreOf(cluster, all));
      const difference = Math.abs(board.estimate([node]) - exact);
      expect(difference).toBeLessThan(nearness(exact) / 10);
      cluster.rollback(mark);
      expect(board.score).toBe(scoreOf(cluster, all));
    }
  });
  fc.assert(property, { numRuns: randomRuns(300) });
  expect(seen.fits).toBeGreaterThan(randomRuns(100));
  expect(seen.refused).toBeGreaterThan(randomRuns(100));
});

test("the pair table gives every pair the score that updating node by node gives it", () => {
  const seen = { pairs: 0, located: 0, reservations: 0 };
  const property = fc.property(random, ({ message }) => {
    if (message.request.type !== "allocate") return;
    const cluster = loadCluster(message.cluster);
    const wanted = { ...message.request.instance, diskTemplate: "drbd" as const };
    const instance = makeInstance(wanted, -1, cluster.tagRules);
    const online = [...cluster.data.nodes.keys()].filter((at) => !cluster.data.nodes[at]?.offline);
    const board = new ScoreBoard(cluster, [...cluster.data.nodes.keys()]);
    const { scoreStatistics } = board;
    const primaries = online.flatMap((node): PrimaryOption[] => {
      const tried = measured(cluster, node, () => addPrimary(cluster, instance, -1, node, true, 0));
      const pairs = (tried && board.pairsAfter([node])) ?? 0;
      cluster.rollback(0);
      return tried ? [{ node, pairs, ...tried }] : [];
    });
    const secondaries = online.flatMap((node): SecondaryOption[] => {
      const tried = measured(cluster, node, () =>
        addSecondary(cluster, instance, -1, node, -1, true),
      );
      cluster.rollback(0);
      return tried ? [{ node, ...tried }] : [];
    });
    const table = new PairTable(scoreStatistics, primaries, secondaries, undefined);
    const visited = new Map<string, number>();
    const every = new Set(online);
    table.visit(
      every,
      () => Number.POSITIVE_INFINITY,
      () => [],
      (primary, secondary, score) => {
        visited.set(`${primary}/${secondary}`, score);
      },
    );
    for (const primary of primaries) {
      for (const secondary of secondaries) {
        if (primary.node === secondary.node) continue;
        const changes = [primary, secondary].map((option) => ({ ...option, offline: false }));
        const expected = scoreAfter(scoreStatistics, changes, primary.pairs);
        expect(visited.get(`${primary.node}/${secondary.node}`)).toBe(expected);
        seen.pairs++;
        if (primary.pairs > 0) seen.located++;
        if (instance.forthcoming) seen.reservations++;
      }
    }
  });
  fc.assert(property, { numRuns: randomRuns(300) });
  expect(seen.pairs).toBeGreaterThan(1000);
  expect(Math.min(seen.located, seen.reservations)).toBeGreaterThan(0);
});

function measured(cluster: Cluster, node: number, add: () => number) {
  const look = () => {
    const values = measureNode(cluster, node);
    return values;
  };
  const before = look();
  return add() === fits ? { before, after: look() } : undefined;
}
