import { expect, test } from "vitest";
import { reservedVolumes } from "./volumes.js";

test("a pattern matches the whole name of a volume, and an invalid pattern matches none", () => {
  const isReserved = reservedVolumes(["[a", "xenvg/root", "xenvg/swap[0-9]"]);
  const names = ["xenvg/root", "xenvg/root2", "xenvg/swap7", "xenvg/[a", "a"];
  expect(names.filter(isReserved)).toEqual(["xenvg/root", "xenvg/swap7"]);
});

test("a pattern with nested repetition matches without backtracking for ages", () => {
  expect(reservedVolumes(["(x+x+)+y"])("x".repeat(5000))).toBe(false);
});
