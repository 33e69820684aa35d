import { expect, test } from "vitest";
import { readFloat, readInteger, readSize, readTruth } from "./number-reader.js";

test.each([
  ["5", 5],
  ["-5", -5],
  [" 7", 7],
  ["- 5", -5],
  ["-0", 0],
  ["007", 7],
  ["0x1F", 31],
  ["-0x10", -16],
  ["0o17", 15],
  ["(5)", 5],
  ["( ( - 5 ) )", -5],
  ["9007199254740993", 9007199254740992],
  ["18446744073709551615", -1],
])("the integer %j is %d", (text, value) => {
  expect(readInteger(text, "n1")).toBe(value);
});

test.each([
  ["1.5", 1.5],
  ["1e3", 1000],
  ["1e-5", 1e-5],
  ["-2.0", -2],
  ["-0", -0],
  ["0x10", 16],
  ["1e309", Infinity],
  ["NaN", Number.NaN],
  ["-Infinity", -Infinity],
  ["(1.25)", 1.25],
])("the number %j is %d", (text, value) => {
  expect(readFloat(text, "n1")).toBe(value);
});

test.each(["", "x", "-", "+1", ".5", "-.5", "--5", "- -5", "-(5)", "(5", "()", "NaNx", "NaN'"])(
  "%j is no number at all",
  (text) => {
    const message = `n1: cannot parse string '${text}'`;
    expect(() => readFloat(text, "n1")).toThrow(message);
    expect(() => readInteger(text, "n1")).toThrow(message);
  },
);

test.each(["1.5", "1.0", "1e3", "NaN", "Infinity"])("%j is a number, but no integer", (text) => {
  expect(() => readInteger(text, "n1")).toThrow(`n1: cannot parse string '${text}'`);
  expect(() => readFloat(text, "n1")).not.toThrow();
});

test.each([
  ["7 ", " "],
  ["5.", "."],
  ["1..2", "..2"],
  ["1_000", "_000"],
  ["1e", "e"],
  ["0x", "x"],
  ["0x1g", "g"],
  ["5)", ")"],
  ["(- 5 ) x", " x"],
  ["5 5", " 5"],
])("%j is a number with %j behind it", (text, rest) => {
  const message = `n1: leftover characters when parsing '${text}': '${rest}'`;
  expect(() => readInteger(text, "n1")).toThrow(message);
  expect(() => readFloat(text, "n1")).toThrow(message);
});

test("a truth value is spelled exactly, parentheses apart", () => {
  expect(readTruth("True", "exclusive storage")).toBe(true);
  expect(readTruth(" (False)", "exclusive storage")).toBe(false);
  for (const text of ["true", "", "Truex"]) {
    expect(() => readTruth(text, "exclusive storage")).toThrow(
      `exclusive storage: cannot parse string '${text}'`,
    );
  }
});

test.each([
  ["10", 10],
  ["10m", 10],
  ["10 g", 10240],
  ["10tib", 10485760],
  ["10G", 9536],
  ["10MB", 9],
  ["3T", 2861022],
  ["1000M", 953],
  ["8T", 7629394],
  ["7gb", 6675],
  ["0x10g", 16384],
  ["-5g", -5120],
  ["1gIB", 1024],
])("%j is %d MiB", (text, mib) => {
  expect(readSize(text, "disk size")).toBe(mib);
});

test.each([
  ["1.5g", "disk size: Can't parse string '1.5g'"],
  ["", "disk size: Can't parse string ''"],
  ["1KB", "disk size: Unknown unit 'KB'"],
  ["1 g ", "disk size: Unknown unit 'g '"],
])("the size %j is refused", (text, message) => {
  expect(() => readSize(text, "disk size")).toThrow(message);
});
