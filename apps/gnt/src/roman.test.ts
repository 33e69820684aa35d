import { expect, test } from "vitest";
import { roman } from "./roman.js";

test.each([
  [1, "I"],
  [4, "IV"],
  [20, "XX"],
  [2048, "MMXLVIII"],
  [4999, "MMMMCMXCIX"],
])("%i is %s", (number, text) => expect(roman(number)).toBe(text));

test.each([0, -1, 1.5, 5000])("%d has no Roman form", (number) =>
  expect(roman(number)).toBeUndefined(),
);

const values = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 } as const;

test("every Roman number reads back as itself", () => {
  for (let number = 1; number < 5000; number++) {
    const digits = [...(roman(number) ?? "")].map((sign) => values[sign as keyof typeof values]);
    const sum = digits.reduce(
      (total, digit, at) => total + (digit < (digits[at + 1] ?? 0) ? -digit : digit),
      0,
    );
    expect(sum).toBe(number);
  }
});
