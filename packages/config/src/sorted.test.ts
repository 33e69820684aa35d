import fc from "fast-check";
import { expect, test } from "vitest";
import { eachSuffix, sortedMap, sortedTexts, suffixesOf } from "./sorted.js";

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

test("suffixes are those of the keys that start with the prefix, ascending, whatever characters follow", () => {
  const keys = [
    "a",
    "a\0",
    "a\0b",
    "a\0é",
    "a\0\u{ff}x",
    "a\0\uffff\uffff",
    "a\0\u{1f600}",
    "a\u0001",
    "b",
  ];
  const map = sortedMap(
    keys.toSorted(),
    keys.map(() => true),
  );
  const found = ["", "b", "é", "\u{ff}x", "\u{1f600}", "\uffff\uffff"];
  expect(suffixesOf(map, "a\0")).toEqual(found);
  expect(suffixesOf(map, "a\0", 2)).toEqual(found.slice(0, 2));
  const visited: string[] = [];
  eachSuffix(map, "a\0", (key, at) => visited.push(key.slice(at)));
  expect(visited).toEqual(found);
  expect(suffixesOf(map, "c")).toEqual([]);
});
