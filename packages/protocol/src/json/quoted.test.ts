import { expect, test } from "vitest";
import { quoted, quotedList } from "./quoted.js";

test.each([
  { text: "plain", shown: '"plain"' },
  { text: 'say "x" \\ y', shown: '"say \\"x\\" \\\\ y"' },
  { text: "a\nb\tc\r\b\f\v\u0007", shown: '"a\\nb\\tc\\r\\b\\f\\v\\a"' },
  { text: "\u0000\u0001\u001b\u001f\u007f", shown: '"\\NUL\\SOH\\ESC\\US\\DEL"' },
  { text: "café", shown: '"caf\\233"' },
  { text: "😀", shown: '"\\128512"' },
  // Two places where the escape would swallow the next character.
  { text: "é5", shown: '"\\233\\&5"' },
  { text: "éa", shown: '"\\233a"' },
  { text: "\u000eH", shown: '"\\SO\\&H"' },
  { text: "\u000eh", shown: '"\\SOh"' },
])("$text is shown as $shown", ({ text, shown }) => {
  expect(quoted(text)).toBe(shown);
});

test("a list has no blanks", () => {
  expect(quotedList(["b", "a"])).toBe('["b","a"]');
  expect(quotedList([])).toBe("[]");
});
