import { aCluster } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failDisk, failMem, failN1, MisfitCounts } from "../fit/misfit.js";
import { loadCluster } from "../model/load.js";
import { bestFirst, scoreText, solutionText } from "./allocation.js";

const cluster = loadCluster(aCluster());

function failures(...counted: (readonly [misfit: number, times: number])[]) {
  const counts = new MisfitCounts();
  for (const [misfit, times] of counted) counts.add(misfit, times);
  return counts;
}

describe("as Ganeti describes it", () => {
  const place = { primary: 2, secondary: 0, locationScore: 0, score: 1.25 };
  const mixed = failures([failN1, 1], [failDisk, 2], [failMem, 4]);

  test("a place, with reasons in the order of the list of reasons", () => {
    expect(solutionText(cluster, { failures: mixed, successes: 3, place }, scoreText)).toBe(
      "score: 1.25000000, successes 3, failures 7 (FailMem: 4, FailDisk: 2, FailN1: 1) for node(s) node3/node1",
    );
  });

  test("a single node without any failure", () => {
    const found = { failures: failures(), successes: 1, place: { ...place, secondary: -1 } };
    expect(solutionText(cluster, found, scoreText)).toBe(
      "score: 1.25000000, successes 1, failures 0 () for node(s) node3",
    );
  });

  test("no place, for known and unknown reasons", () => {
    const none = (counts: MisfitCounts) =>
      solutionText(cluster, { failures: counts, successes: 0, place: undefined }, scoreText);
    const text = "No valid allocation solutions, failure reasons:";
    expect(none(mixed)).toBe(`${text} FailMem: 4, FailDisk: 2, FailN1: 1`);
    expect(none(failures())).toBe(`${text} unknown reasons`);
  });
});

describe("best first", () => {
  const ranked = (...scores: number[]) =>
    bestFirst(scores.map((score, at) => ({ score, at }))).map(({ at }) => at);

  test("lowest score first, the last among equals", () => {
    expect(ranked(2, 1, 3, 1, 2)).toEqual([3, 1, 4, 0, 2]);
    expect(ranked(0, -0)).toEqual([1, 0]);
    expect(ranked()).toEqual([]);
  });

  test("where no score is a number the first comes first", () => {
    expect(ranked(Number.NaN, Number.NaN, Number.NaN)).toEqual([0, 1, 2]);
  });

  test("whatever the scores, nothing is lost", () => {
    const scores = fc.array(fc.oneof(fc.double(), fc.constant(Number.NaN), fc.nat({ max: 3 })));
    fc.assert(
      fc.property(scores, (given) => {
        const order = ranked(...given);
        expect([...order].sort((a, b) => a - b)).toEqual(given.map((_, at) => at));
        if (given.some(Number.isNaN)) return;
        for (let i = 1; i < order.length; i++) {
          const [before, after] = [order[i - 1] as number, order[i] as number];
          const [a, b] = [given[before] as number, given[after] as number];
          expect(a < b || (a === b && before > after)).toBe(true);
        }
      }),
    );
  });
});
