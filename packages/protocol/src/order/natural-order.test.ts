import fc from "fast-check";
import { expect, test } from "vitest";
import { compareNaturally, inNaturalOrder, naturalKey } from "./natural-order.js";

const name = fc.oneof(
  fc
    .array(fc.constantFrom("a", "b", "-", "0", "1", "2", "10", ".", "\ue000", "\ud83d\ude00"), {
      maxLength: 6,
    })
    .map((parts) => parts.join("")),
  fc.string({ unit: "grapheme" }).map((text) => text.replace(/\p{Cc}/gu, "")),
);

test("keys of names are in the order of names", () => {
  let unequal = 0;
  fc.assert(
    fc.property(name, name, (a, b) => {
      const [x, y] = [naturalKey(a), naturalKey(b)];
      const order = Math.sign(compareNaturally(a, b));
      if (order !== 0) unequal++;
      expect(Math.sign(x < y ? -1 : Number(x > y))).toBe(order);
    }),
    { numRuns: 2000 },
  );
  expect(unequal).toBeGreaterThan(500);
});

test("items are in the order of their names, also where these have control characters", () => {
  const any = fc.oneof(name, fc.string({ unit: fc.constantFrom("a", "1", "\0", "\u0001") }));
  fc.assert(
    fc.property(fc.array(fc.tuple(any, fc.nat())), (items) => {
      const expected = items.toSorted(([a], [b]) => compareNaturally(a, b));
      expect(inNaturalOrder(items, ([text]) => text)).toEqual(expected);
    }),
  );
});
