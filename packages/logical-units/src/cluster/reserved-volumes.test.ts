import { expect, test } from "vitest";
import { reservedVolumes } from "./reserved-volumes.js";

test("a pattern is about the whole name of a volume, and what is no pattern is about none", () => {
  const isReserved = reservedVolumes(["[a", "xenvg/root", "xenvg/swap[0-9]"]);
  const names = ["xenvg/root", "xenvg/root2", "xenvg/swap7", "xenvg/[a", "a"];
  expect(names.filter(isReserved)).toEqual(["xenvg/root", "xenvg/swap7"]);
});

test("a pattern that tries every way takes no time", () => {
  expect(reservedVolumes(["(x+x+)+y"])("x".repeat(5000))).toBe(false);
});
