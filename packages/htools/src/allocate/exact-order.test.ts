import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { inExactOrder } from "./exact-order.js";

/** Exact scores, many of them equal, and estimates that differ from them by at most `slack`. */
function randomScores(dice: Dice) {
  const slack = dice.pick([0, 0.1, 0.6, 2]);
  const exact = Array.from({ length: dice.between(0, 30) }, () => dice.between(0, 12));
  const estimates = exact.map((score) => score + slack * (2 * dice.fraction() - 1));
  return { slack, exact, estimates };
}

// Seen to fail with equal scores in the order of nodes, and without nodes beyond those taken first.
test("nodes come by exact score, among equals the last first, whatever the estimates", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { slack, exact, estimates } = randomScores(new Dice(seed));
    const nodes = [...exact.keys()];
    const scores = {
      estimate: (node: number) => estimates[node] as number,
      exact: (node: number) => exact[node] as number,
      limit: (score: number) => score + 2 * slack,
    };
    const expected = nodes.toSorted((a, b) => scores.exact(a) - scores.exact(b) || b - a);
    expect([...inExactOrder(nodes, scores)]).toEqual(expected);
  }
});

test("the first of nodes that are not near each other needs no exact score", () => {
  const scores = {
    estimate: (node: number) => 10 - node,
    exact: () => expect.unreachable(),
    limit: (score: number) => score + 0.5,
  };
  expect(inExactOrder([1, 2, 3], scores).next().value).toBe(3);
});
