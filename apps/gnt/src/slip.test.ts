import { expect, test } from "vitest";
import { programs } from "./programs/index.js";
import { slipInProgram } from "./slip.js";

test.each([
  ["instnce", "gnt: there is no program 'instnce'. Did you mean 'instance'?"],
  ["gnt-jbo", "gnt: there is no program 'gnt-jbo'. Did you mean 'gnt-job'?"],
  [
    "console",
    "gnt: there is no program 'console'. It is a command of programs: gnt instance console",
  ],
  ["nonsense", undefined],
  ["", undefined],
])("gnt %s", async (given, says) => {
  const all = await Promise.all(Object.values(programs).map(async (one) => (await one()).program));
  expect(slipInProgram(given, all)).toBe(says);
});
