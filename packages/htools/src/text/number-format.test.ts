import { expect, test } from "vitest";
import { formatFixed, formatPositional, formatShow } from "./number-format.js";

test.each([
  { value: 0.125, digits: 2, text: "0.12", why: "a tie goes to the even digit below" },
  { value: 0.375, digits: 2, text: "0.38", why: "or above" },
  { value: 0.145, digits: 2, text: "0.14", why: "what counts are the shortest digits" },
  { value: 0.155, digits: 2, text: "0.16", why: "not the binary value behind them" },
  { value: 20.001953125, digits: 8, text: "20.00195312", why: "a score that is a tie" },
  { value: 20.009765625, digits: 8, text: "20.00976562", why: "another" },
  { value: 20.005859375, digits: 8, text: "20.00585938", why: "and one that goes up" },
  { value: 0.5, digits: 0, text: "0", why: "no digits" },
  { value: 1.5, digits: 0, text: "2", why: "no digits, odd" },
  { value: 2.5, digits: 0, text: "2", why: "no digits, even" },
  { value: 1000000.5, digits: 0, text: "1000000", why: "no digits, large" },
  { value: 999.9999, digits: 2, text: "1000.00", why: "a carry through all digits" },
  { value: 0.95, digits: 1, text: "1.0", why: "a carry into the whole" },
  { value: 0.0001, digits: 2, text: "0.00", why: "nothing is left" },
  { value: 0.006, digits: 2, text: "0.01", why: "the first digit is the one rounded to" },
  { value: 3, digits: 4, text: "3.0000", why: "zeros fill up" },
  { value: 1e22, digits: 0, text: "10000000000000000000000", why: "no exponent, ever" },
  { value: 1e-9, digits: 8, text: "0.00000000", why: "nor below" },
  { value: -2.675, digits: 2, text: "-2.68", why: "negative" },
  { value: -0.2, digits: 0, text: "-0", why: "the sign stays when the digits go" },
  { value: Number.NaN, digits: 4, text: "NaN", why: "not a number" },
  { value: -Infinity, digits: 4, text: "-Infinity", why: "infinite" },
])("$value with $digits digits is $text: $why", ({ value, digits, text }) => {
  expect(formatFixed(value, digits)).toBe(text);
});

test.each([
  [4, "4.0"],
  [0, "0.0"],
  [-0, "-0.0"],
  [0.1, "0.1"],
  [0.05, "5.0e-2"],
  [1.234e-7, "1.234e-7"],
  [1.4285714285714284, "1.4285714285714284"],
  [9999999, "9999999.0"],
  [1e7, "1.0e7"],
  [1e22, "1.0e22"],
  [-32, "-32.0"],
  [Number.NaN, "NaN"],
])("%d shows as %s", (value, text) => {
  expect(formatShow(value)).toBe(text);
});

test.each([
  [1, "1.0"],
  [0, "0.0"],
  [0.00001, "0.00001"],
  [-0.5, "-0.5"],
  [123456789.25, "123456789.25"],
  [1e22, "10000000000000000000000.0"],
  [Infinity, "Infinity"],
])("%d in full is %s", (value, text) => {
  expect(formatPositional(value)).toBe(text);
});
