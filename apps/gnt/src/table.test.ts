import fc from "fast-check";
import { expect, test } from "vitest";
import type { QueryTable } from "./cluster.js";
import { queryLines, tableLines } from "./table.js";
import { timeText } from "./time-text.js";

const field = (name: string, kind: string) => ({ name, title: name.toUpperCase(), kind, doc: "" });

const table: QueryTable = {
  fields: [
    ...[field("name", "text"), field("mem", "unit"), field("up", "bool"), field("n", "number")],
    ...[field("list", "other"), field("at", "timestamp")],
  ],
  data: [
    [
      [0, "web1"],
      [0, 512],
      [0, true],
      [0, 7],
      [0, ["a", null, 1]],
      [0, 1_800_000_000],
    ],
    [
      [0, "database1"],
      [4, null],
      [2, null],
      [3, null],
      [1, null],
      [0, "x"],
    ],
  ],
};

const at = timeText(1_800_000_000);

test("numbers and sizes are right-aligned, texts left-aligned, the last column is not padded", () => {
  expect(queryLines(table, { headers: true })).toEqual([
    "NAME       MEM UP N LIST           AT",
    `web1      512M Y  7 ['a', None, 1] ${at}`,
    "database1    * ?  - ??             N/A",
  ]);
});

test("without titles columns are as wide as their values", () => {
  const names: QueryTable = {
    fields: table.fields.slice(0, 2),
    data: [
      [
        [0, "a"],
        [0, 1],
      ],
    ],
  };
  expect(queryLines(names, { headers: false })).toEqual(["a 1M"]);
});

test("a separator replaces alignment, and sizes are in MiB", () => {
  expect(queryLines(table, { headers: true, separator: ":" })).toEqual([
    "NAME:MEM:UP:N:LIST:AT",
    `web1:512:Y:7:['a', None, 1]:${at}`,
    "database1:*:?:-:??:N/A",
  ]);
  // An empty separator separates, but does not count as one for sizes.
  expect(queryLines(table, { headers: false, separator: "" })[0]).toMatch(/^web1512MY7/);
});

test("verbose shows missing values in words", () => {
  const [, second] = queryLines(table, { headers: false, separator: "|", verbose: true });
  expect(second).toBe("database1|(offline)|(nodata)|(unavail)|(unknown)|N/A");
});

test("formats of a command override those of kinds", () => {
  const formats = { list: { text: () => "own", right: true } };
  const [line] = queryLines(table, { headers: false, separator: " ", formats });
  expect(line).toContain(" own ");
});

test("all lines of an aligned table have the same width if the last column is right-aligned", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", " "), maxLength: 6 });
  const rows = fc.array(fc.tuple(text, text), { maxLength: 5 });
  fc.assert(
    fc.property(rows, (cells) => {
      const columns = ["A", { title: "B", right: true }];
      const widths = tableLines(columns, cells, { headers: true }).map((line) => [...line].length);
      expect(new Set(widths).size).toBe(1);
    }),
  );
});
