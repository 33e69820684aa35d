import fc from "fast-check";
import { expect, test } from "vitest";
import { sortedMap, sortedTexts, suffixesOf } from "./sorted.js";

test("texts of groups are sorted by code units", () => {
  const unit = fc.constantFrom("a", "b", "\u00e9", "\ud83d\ude00");
  const text = fc.tuple(fc.string({ unit, maxLength: 3 }), fc.string());
  fc.assert(
    fc.property(fc.array(text), (pairs) => {
      const groups = new Map<string, string[]>();
      for (const [key, rest] of pairs) {
        groups.set(key, [...(groups.get(key) ?? []), `${key}\0${rest}`]);
      }
      expect(sortedTexts(groups)).toEqual([...groups.values()].flat().sort());
    }),
  );
});

test("a map has the last value of each key, and can be changed afterwards", () => {
  const step = fc.tuple(fc.constantFrom("set", "delete"), fc.nat(200));
  let doubles = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat(120), { maxLength: 300, size: "max" }),
      fc.array(step),
      (numbers, steps) => {
        const keys = numbers.map((number) => `key${number}`).sort();
        const map = sortedMap(
          keys,
          keys.map((_, at) => at),
        );
        const expected = new Map(keys.map((key, at) => [key, at]));
        if (expected.size < keys.length) doubles++;
        const before = map.clone();
        const first = new Map(expected);
        for (const [what, number] of steps) {
          const key = `key${number}`;
          if (what === "set") map.set(key, -1);
          else map.delete(key);
          if (what === "set") expected.set(key, -1);
          else expected.delete(key);
        }
        expect(map.toArray()).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
        expect(before.toArray()).toEqual([...first].sort(([a], [b]) => (a < b ? -1 : 1)));
        map.checkValid();
        expect(suffixesOf(before, "key1").length).toBe(
          [...first.keys()].filter((key) => key.startsWith("key1")).length,
        );
      },
    ),
  );
  expect(doubles).toBeGreaterThan(20);
});
