import { expect, test } from "vitest";
import { choice, commaList, yesOrNo } from "./option-values.js";

test("yes and no are spelled exactly; nothing means yes", () => {
  expect([yesOrNo(), yesOrNo("yes"), yesOrNo("no")]).toEqual([true, true, false]);
  expect(() => yesOrNo("Yes")).toThrow("Invalid choice 'Yes', pass one of 'yes' or 'no'");
  expect(() => yesOrNo("")).toThrow("Invalid choice '', pass one of 'yes' or 'no'");
});

test("a wrong choice is refused with the list of valid words", () => {
  expect(choice("b", ["a", "b", "c"])).toBe("b");
  expect(() => choice("x", ["a", "b", "c"])).toThrow(
    "Invalid choice 'x', pass one of 'a', 'b' or 'c'",
  );
});

test("an empty list option has no entries, and empty entries are kept", () => {
  expect(commaList("")).toEqual([]);
  expect(commaList("a,,b,")).toEqual(["a", "", "b", ""]);
});
