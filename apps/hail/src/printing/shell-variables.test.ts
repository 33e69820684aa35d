import { expect, test } from "vitest";
import { shellVariables } from "./shell-variables.js";

test.each<[string | number, string]>([
  [12, "12"],
  ["1.0", "1.0"],
  ["NaN", "NaN"],
  ["", ""],
  ["é7", "é7"],
  [-12, "'-12'"],
  ["1.0e-2", "'1.0e-2'"],
  ["fake-uuid-01", "'fake-uuid-01'"],
  ["a b", "'a b'"],
])("the shell variable %j is printed as %s", (value, text) => {
  expect(shellVariables("HTS", [["Key_1", value]])).toBe(`HTS_KEY_1=${text}\n`);
});
