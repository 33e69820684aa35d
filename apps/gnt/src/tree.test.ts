import { expect, test } from "vitest";
import { Inline, ordered, printTree, treeLines } from "./tree.js";

test("keys of objects are sorted, those of ordered entries stay, empty values leave a blank", () => {
  const tree = [
    ordered(
      ["Job ID", 9],
      ["Received", "now", "times"],
      ["Processing start", "later", "times"],
      ["Input", { b: null, a: [], c: { d: {}, e: [1, [2, 3]] } }],
      ["Log", [ordered(["Time", "t"], ["Content", new Inline([1, "message", "x"])])]],
    ),
    "Job ID 10 not found",
  ];
  expect(treeLines(tree).join("\n")).toBe(
    [
      "- Job ID: 9",
      "  Received:         now",
      "  Processing start: later",
      "  Input: ",
      "    a: ",
      "    b: None",
      "    c: ",
      "      d: ",
      "      e: ",
      "        - 1",
      "        - - 2",
      "          - 3",
      "  Log: ",
      "    - Time: t",
      "      Content: [1, message, x]",
      "- Job ID 10 not found",
    ].join("\n"),
  );
});

test("an empty tree is an empty line", () => {
  expect(treeLines([])).toEqual([""]);
});

test("with --json a tree is a document with the same keys", () => {
  const documents: unknown[] = [];
  const out = { json: true, document: (value: unknown) => documents.push(value) };
  const tree = ordered(["a", [new Inline([1])]], ["b", { c: null }]);
  printTree(out as never, tree);
  expect(documents).toEqual([{ a: [[1]], b: { c: null } }]);
});
