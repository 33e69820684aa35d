import { expect, test } from "vitest";
import { manualExample, manualHead, manualItem, manualText } from "./manual.js";

test("text in a manual page keeps its dashes, backslashes, dots and quotes", () => {
  expect(manualText("a-b \\ c\n.TH\n'quoted'")).toBe("a\\-b \\e c\n\\&.TH\n\\&'quoted'");
});

test("parts of a manual page are requests with their text", () => {
  const page = { name: "hail", section: 1, summary: "places instances", version: "1.2" } as const;
  expect(manualHead(page)).toEqual([
    '.TH HAIL 1 "" "ganeti-ts 1.2" "Ganeti"',
    ".SH NAME",
    "hail \\- places instances",
  ]);
  expect(manualItem("\\fB\\-x\\fR", "is -x")).toEqual([".TP", "\\fB\\-x\\fR", "is \\-x"]);
  expect(manualExample("hail -", ".")).toEqual([
    ...[".RS", ".nf", "\\fBhail \\-\\fR", ".fi", "\\&.", ".RE"],
  ]);
});
