import { afterEach, expect, test, vi } from "vitest";
import { runSeeds } from "./run-seeds.js";

const { argv, exitCode } = process;
afterEach(() => {
  process.argv = argv;
  process.exitCode = exitCode;
  vi.restoreAllMocks();
});

test.each([
  { words: ["--help"], stream: "log", code: 0 },
  { words: ["--", "-h", "--from=3"], stream: "log", code: 0 },
  { words: ["--form=3"], stream: "error", code: 1 },
  { words: ["--from=x"], stream: "error", code: 1 },
  { words: ["5"], stream: "error", code: 1 },
  { words: ["--nodes="], stream: "error", code: 1 },
] as const)("$words print the options, and run nothing", async ({ words, stream, code }) => {
  process.argv = ["node", "simulate", ...words];
  const printed = vi.spyOn(console, stream).mockImplementation(() => {});
  let runs = 0;
  await runSeeds("simulation", { nodes: 4 }, async () => {
    runs++;
    return { broken: undefined, counts: {} };
  });
  expect([runs, process.exitCode]).toEqual([0, code]);
  expect(String(printed.mock.calls[0])).toContain("--nodes=NUMBER  (4)");
});

test("known options choose the seeds and are passed on", async () => {
  process.argv = ["node", "simulate", "--", "--from=3", "--count=2", "--nodes=7"];
  vi.spyOn(console, "log").mockImplementation(() => {});
  const runs: unknown[] = [];
  await runSeeds("simulation", { nodes: 4 }, async (seed, { nodes }) => {
    runs.push([seed, nodes]);
    return { broken: undefined, counts: {} };
  });
  expect(runs).toEqual([
    [3, 7],
    [4, 7],
  ]);
});
