import { expect, test } from "vitest";
import { Entries, numberText, valueText } from "./value-text.js";

test.each([
  [0, "0"],
  [-0, "0"],
  [5, "5"],
  [-3, "-3"],
  [1e22, "10000000000000000000000"],
  [123n ** 9n, "6443858614676334363"],
  [0.1, "0.1"],
  [-1.5, "-1.5"],
  [9999999.5, "9999999.5"],
  [12345678.5, "1.23456785e7"],
  [0.05, "5.0e-2"],
  [-0.015, "-1.5e-2"],
  [5e-324, "5.0e-324"],
  [1795210009.6001744, "1.7952100096001744e9"],
])("%d is written as Haskell writes it: %s", (value, text) => {
  expect(numberText(value)).toBe(text);
});

test("strings escape control characters, quotes and backslashes, and nothing else", () => {
  expect(valueText('\u0001\n\u007f"\\/é', 100)).toBe('"\\u0001\\n\u007f\\"\\\\/é"');
});

test("what is longer than the limit is not written to its end", () => {
  let made = 0;
  const endless = new Entries(
    function* () {
      for (;;) yield [`k${made++}`, [true, null]];
    },
    () => undefined,
  );
  expect(valueText(endless, 1000)).toBeUndefined();
  expect(made).toBeLessThan(100);
  expect(valueText({ a: [1, {}], b: [] }, 100)).toBe('{"a":[1,{}],"b":[]}');
  expect(valueText("four", 6)).toBe('"four"');
  expect(valueText("five!", 6)).toBeUndefined();
});
