import { expect, test } from "vitest";
import { commonSuffix, indicesNamed } from "./names.js";

test.each([
  { names: ["a.example.com", "b.example.com"], suffix: ".example.com" },
  { names: ["a.example.com", "b.other.com"], suffix: ".com" },
  { names: ["a.example.com", "example.com"], suffix: ".com" },
  { names: ["a.example.com", "b.org"], suffix: "" },
  { names: ["a", "b"], suffix: "" },
  { names: ["xa.example", "ya.example"], suffix: ".example" },
  { names: ["a.b.c"], suffix: ".b.c" },
  { names: [], suffix: "" },
])("$names end in '$suffix'", ({ names, suffix }) => {
  expect(commonSuffix(names)).toBe(suffix);
});

test("a name must mean exactly one thing", () => {
  const things = [
    ["a.x", "a"],
    ["b.x", "b"],
    ["a", "a"],
    ["c", "c"],
  ] as const;
  const indices = indicesNamed(
    ["b", "b.x", "c", "a", "d"],
    things.length,
    (i) => things[i] ?? ["", ""],
  );
  expect(indices).toEqual([1, 1, 3, -1, -1]);
});
