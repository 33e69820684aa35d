import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { needs, reasonOf, skipLines } from "../../../vitest.skips.js";
import { trackedFiles } from "../src/repository.js";

const corpus = process.env.GANETI_TS_CORPUS;
beforeEach(() => {
  delete process.env.GANETI_TS_CORPUS;
});
afterEach(() => {
  if (corpus !== undefined) process.env.GANETI_TS_CORPUS = corpus;
});

test("the reason is what the machine lacks and the test's file names", () => {
  expect(reasonOf("recorded calls", "process.env.GANETI_TS_CORPUS")).toBe(
    "GANETI_TS_CORPUS names no folder of recordings",
  );
});

test("a requirement that the machine meets is not named as the reason of a skip", () => {
  process.env.GANETI_TS_CORPUS = "recordings";
  expect(reasonOf("recorded calls", "process.env.GANETI_TS_CORPUS")).toMatch(/^left out/);
});

describe("a test with the reason in its title", () => {
  test.each([
    { title: "a killed call ends [lacks processes]", said: "lacks processes" },
    { title: "exchanges (skipped: no network)", said: "no network" },
  ])("$title", ({ title, said }) => {
    expect(reasonOf(title, "")).toBe(said);
  });
});

test("each reason is one line with the number of its tests, the most frequent first", () => {
  const own = { title: "x [lacks y]", text: "" };
  const recorded = { title: "x", text: "GANETI_TS_CORPUS" };
  expect(
    skipLines([
      { ...own, file: "a.test.ts" },
      { ...recorded, file: "b.test.ts" },
      { ...recorded, file: "c.test.ts" },
      { ...recorded, file: "c.test.ts" },
    ]),
  ).toEqual([
    "3 skipped: GANETI_TS_CORPUS names no folder of recordings (b.test.ts and 1 more)",
    "1 skipped: lacks y (a.test.ts)",
  ]);
});

test("every file that skips tests shows a need, or gives the reason in the title", () => {
  const silent = trackedFiles()
    .filter(({ path }) => path.endsWith(".test.ts") && !path.endsWith(".reference.test.ts"))
    .filter(({ path }) => !path.startsWith("tooling/checks/"))
    .filter(({ text }) => /\b(?:test|describe)\.skip/.test(text))
    .filter(({ text }) => !needs.some(({ shownBy }) => shownBy.test(text)))
    .map(({ path }) => path);
  expect(silent).toEqual([]);
});
