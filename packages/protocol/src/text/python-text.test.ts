import { expect, test } from "vitest";
import { pythonLiteral, pythonText } from "./python-text.js";

test.each([
  [null, "None"],
  [true, "True"],
  [false, "False"],
  [3, "3"],
  [1.5, "1.5"],
  [1e-5, "1e-05"],
  [1_795_210_046_614_350_001n, "1795210046614350001"],
  ["it", "'it'"],
  ["it's", `"it's"`],
  [`"it's"`, `'"it\\'s"'`],
  ["a\\b\n\t\r", "'a\\\\b\\n\\t\\r'"],
  ["\u0001\u007f\u00ad\u2028", "'\\x01\\x7f\\xad\\u2028'"],
  ["é😀", "'é😀'"],
  [[], "[]"],
  [{}, "{}"],
  [{ a: [1, { b: null }], "c d": "x" }, "{'a': [1, {'b': None}], 'c d': 'x'}"],
])("%o is %s to Python", (value, text) => {
  expect(pythonLiteral(value)).toBe(text);
});

test("a text by itself has no quotes", () => {
  expect(pythonText("it's")).toBe("it's");
});
