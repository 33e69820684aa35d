import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearest } from "./nearest.js";

const names = ["list", "list-fields", "list-tags", "info", "add", "add-tags", "remove", "rename"];

test.each([
  ["lst", "list"],
  ["lsit", "list"],
  ["lists", "list"],
  ["ad", "add"],
  ["list-feilds", "list-fields"],
  ["add-tag", "add-tags"],
  ["renmae", "rename"],
  ["nosuch", undefined],
  ["x", undefined],
])("who writes %s meant %s", (given, meant) => {
  expect(nearest(given, names)).toBe(meant);
});

test("a name equally near to two others suggests neither", () => {
  expect(nearest("startdown", ["startdowm", "startdowx"])).toBeUndefined();
});

describe("one slip in a name of some length", () => {
  const slips: ((name: string, at: number) => string)[] = [
    (name, at) => name.slice(0, at) + name.slice(at + 1),
    (name, at) => `${name.slice(0, at)}#${name.slice(at)}`,
    (name, at) => `${name.slice(0, at)}#${name.slice(at + 1)}`,
    (name, at) => name.slice(0, at) + (name[at + 1] ?? "") + name[at] + name.slice(at + 2),
  ];

  test("a name with one slip is always found", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("grow-disk", "modify", "activate-disks"),
        fc.constantFrom(...slips),
        fc.nat(),
        (name, slip, place) => {
          const all = ["grow-disk", "modify", "activate-disks", "console"];
          expect(nearest(slip(name, place % name.length), all)).toBe(name);
        },
      ),
    );
  });
});
