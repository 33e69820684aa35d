import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { changedDeviations } from "./tied-statistics.js";

/** By itself, in two passes. */
function deviation(column: readonly number[]): number {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  const squares = column.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return Math.sqrt(squares / column.length);
}

// Seen to fail with sums joined that differ in the last bit, and with changes counted twice.
test("deviations of many changes are those of each by itself, to the last bit", () => {
  const seen = { joined: 0, apart: 0 };
  for (let seed = 1; seed <= 200; seed++) {
    const dice = new Dice(seed);
    const kinds = dice.pick([1, 2, 30]);
    const value = () => dice.between(1, kinds) / 7;
    const column = Float64Array.from({ length: dice.between(2, 40) }, value);
    const shift = dice.pick([0.1, 1 / 3, 1]);
    const after = column.map((one) => (dice.chance(0.8) ? one - shift : value()));
    const places = [...column.keys()].filter(() => dice.chance(0.6));
    const expected = places.map((place) =>
      deviation([...column.with(place, after[place] as number)]),
    );
    const found = changedDeviations(column, places, after);
    expect([...found], `seed ${seed}`).toEqual(expected);
    seen[new Set(expected).size < places.length ? "joined" : "apart"]++;
  }
  expect(Math.min(seen.joined, seen.apart)).toBeGreaterThan(30);
});
