import { expect, test } from "vitest";
import { plainTable } from "./plain-table.js";

const columns = ["Node", { title: "Size", type: "size" }, "Status"] as const;
const rows = [
  ["node1.example.com", 20480, "(unavail)"],
  ["node2", 512, "ok"],
];

test("the last title is padded to the longest value, the values are not", () => {
  expect(plainTable(columns, rows, { headers: true })).toEqual([
    "Node               Size Status   ",
    "node1.example.com 20.0G (unavail)",
    "node2              512M ok",
  ]);
});

test("with a separator columns are not aligned, and sizes are in MiB", () => {
  expect(plainTable(columns, rows, { headers: false, separator: ":" })).toEqual([
    "node1.example.com:20480:(unavail)",
    "node2:512:ok",
  ]);
});

test("a last column of numbers and its title are right-aligned", () => {
  const numbers = ["Name", { title: "Minor", type: "number" }] as const;
  expect(plainTable(numbers, [["a", 7]], { headers: true })).toEqual(["Name Minor", "a        7"]);
});

test("a table without rows consists of its titles", () => {
  expect(plainTable(columns, [], { headers: true })).toEqual(["Node Size Status"]);
});
