import type { Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { info, secondsText, step, warn } from "./effects.js";

test("log lines have Ganeti's forms", () => {
  const lines: Json[] = [];
  const world = { log: (line: Json) => void lines.push(line) };
  info(world, "booting");
  warn(world, "it is late", "sleep");
  warn(world, "", "only a hint");
  step(world, 2, 6, "Check peer consistency");
  expect(lines).toEqual([
    " - INFO: booting",
    " - WARNING: it is late",
    "      Hint: sleep",
    "      Hint: only a hint",
    "STEP 2/6 Check peer consistency",
  ]);
});

test.each([
  [0, "0s"],
  [59.6, "1m 0s"],
  [3661, "1h 1m 1s"],
  [90_000, "1d 1h 0m 0s"],
])("%d seconds are shown as %s", (seconds, text) => {
  expect(secondsText(seconds)).toBe(text);
});
