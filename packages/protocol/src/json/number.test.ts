import { expect, test } from "vitest";
import { doubleAt, integerAt } from "./number.js";

const bytes = (text: string) => new TextEncoder().encode(`${text},`);
const nines = "9".repeat(100_000);

test.each([
  { text: "0", integer: 0 },
  { text: "-0", integer: 0 },
  { text: "1024", integer: 1024 },
  { text: "-512", integer: -512 },
  { text: "1.", integer: 1 },
  { text: "2.0", integer: 2 },
  { text: "1e0", integer: 1 },
  { text: "12E2", integer: 1200 },
  { text: "12.34e2", integer: 1234 },
  { text: "1200e-2", integer: 12 },
  // Halves go to the even neighbour.
  { text: "0.5", integer: 0 },
  { text: "1.5", integer: 2 },
  { text: "2.5", integer: 2 },
  { text: "2048.5", integer: 2048 },
  { text: "2049.5", integer: 2050 },
  { text: "-0.5", integer: 0 },
  { text: "-1.5", integer: -2 },
  { text: "-2.5", integer: -2 },
  { text: "25e-1", integer: 2 },
  { text: "2.50000000000000000000000001", integer: 3 },
  { text: "2.49999999999999999999999999", integer: 2 },
  { text: "0.05", integer: 0 },
  { text: "0.51", integer: 1 },
  { text: "1e-99999", integer: 0 },
  // Sixteen digits and more.
  { text: "9007199254740993", integer: 9007199254740992 },
  { text: "9223372036854775807", integer: 2 ** 63 },
  // Values beyond 64 bits wrap around.
  { text: "9223372036854775808", integer: -(2 ** 63) },
  { text: "18446744073709551616", integer: 0 },
  { text: "18446744073709551617", integer: 1 },
  { text: "-18446744073709551617", integer: -1 },
  { text: "1e20", integer: Number(7766279631452241920n) },
  { text: "1e64", integer: 0 },
  { text: "1e999999999", integer: 0 },
  { text: `1${"0".repeat(100)}7`, integer: 7 },
  { text: `${nines}.${nines}`, integer: 0 },
])("$text is the integer $integer", ({ text, integer }) => {
  expect(integerAt(bytes(text), 0)).toBe(integer);
});

test.each([
  { text: "-0", double: 0 },
  { text: "-0.0", double: 0 },
  { text: "1.", double: 1 },
  { text: "32.5", double: 32.5 },
  { text: "0.1", double: 0.1 },
  { text: "-1.5e3", double: -1500 },
  { text: "9007199254740993", double: 9007199254740992 },
  { text: "1e400", double: Number.POSITIVE_INFINITY },
])("$text is the double $double", ({ text, double }) => {
  expect(doubleAt(bytes(text), 0)).toBe(double);
});
