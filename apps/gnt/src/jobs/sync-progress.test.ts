import fc from "fast-check";
import { expect, test } from "vitest";
import { syncBars, syncProgress } from "./sync-progress.js";

test.each([
  [" - INFO: - device disk/0: 12.50% done, 1m 3s remaining (estimated)", ["disk/0", 12.5, 63]],
  [" - INFO: - device disk/1:  5.00% done, 2h 0m 1s remaining (estimated)", ["disk/1", 5, 7201]],
  [" - INFO: - device disk/0:  0.00% done, no time estimate", ["disk/0", 0, undefined]],
  ["disk/0 sent 86M, 2000.0 MiB/s, 8%, ETA 1m 1s", ["disk/0", 8, 61]],
  ["* memory transfer progress: 45.25 %", ["memory", 45.25, undefined]],
  ["disk/1 sent 1.5G, 20.5 MiB/s, 100%", ["disk/1", 100, undefined]],
])("%s", (message, [disk, percent, secondsLeft]) => {
  expect(syncProgress(message)).toEqual({ disk, percent, secondsLeft });
});

test("messages about other subjects show no progress", () => {
  expect(syncProgress(" - INFO: Waiting for instance web1 to sync disks")).toBeUndefined();
});

test("a bar advances between two messages, and is full only when the job says so", () => {
  const said = { disk: "disk/0", percent: 50, secondsLeft: 60 };
  expect(syncBars([{ ...said, age: 0 }], 79)).toBe(
    "disk/0 [############............]  50.0% 1m 00s left",
  );
  expect(syncBars([{ ...said, age: 30 }], 79)).toBe(
    "disk/0 [##################......]  75.0% 30s left",
  );
  expect(syncBars([{ ...said, age: 600 }], 79)).toBe(
    "disk/0 [########################]  99.9% 0s left",
  );
  expect(syncBars([{ ...said, secondsLeft: undefined, age: 9 }], 79)).toBe(
    "disk/0 [############............]  50.0%",
  );
});

test("bars never go back over time", () => {
  const percentOf = (bar: string) => Number(/ ([\d.]+)%/.exec(bar)?.[1]);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 99, noNaN: true }),
      fc.integer({ min: 1, max: 100_000 }),
      fc.tuple(fc.nat(200_000), fc.nat(200_000)),
      (percent, secondsLeft, [one, other]) => {
        const at = (age: number) =>
          percentOf(syncBars([{ disk: "disk/0", percent, secondsLeft, age }], 79));
        expect(at(Math.min(one, other))).toBeLessThanOrEqual(at(Math.max(one, other)));
      },
    ),
  );
});

test("the line fits any width that has room for the figures", () => {
  const state = fc.record({
    disk: fc.constantFrom("disk/0", "disk/11"),
    percent: fc.double({ min: 0, max: 100, noNaN: true }),
    secondsLeft: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
    age: fc.nat(1000),
  });
  const seen = { bars: 0, figures: 0 };
  fc.assert(
    fc.property(
      fc.array(state, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 70, max: 200 }),
      (states, columns) => {
        const line = syncBars(states, columns);
        expect(line.length).toBeLessThanOrEqual(columns);
        for (const { disk } of states) expect(line).toContain(disk);
        if (line.includes("[")) seen.bars++;
        else seen.figures++;
      },
    ),
    { numRuns: 300 },
  );
  expect(Math.min(seen.bars, seen.figures)).toBeGreaterThan(0);
});
