import { expect, test } from "vitest";
import { sizeText } from "./sizes.js";

test.each([
  [0, "h", "0M"],
  [1023, "h", "1023M"],
  [1024, "h", "1.0G"],
  [1280, "h", "1.2G"],
  [1536, "h", "1.5G"],
  [1024 * 1024, "h", "1.0T"],
  [1536, "m", "1536"],
  [1536, "g", "1.5"],
  [1536, "t", "0.0"],
  [0.5, "m", "0"],
  [1.5, "m", "2"],
])("%d MiB in unit %s are %s", (size, unit, text) => {
  expect(sizeText(size, unit)).toBe(text);
});
