import { expect, test } from "vitest";
import { encodeAnswer } from "./encode-answer.js";

test("one line, without blanks, keys in Ganeti's order whatever the order given", () => {
  const answer = { result: ["node1", "node2"], info: "Request successful: x", success: true };
  expect(encodeAnswer(answer)).toBe(
    '{"success":true,"info":"Request successful: x","result":["node1","node2"]}\n',
  );
});

test("a secondary is a string, not a list", () => {
  expect(encodeAnswer({ success: true, info: "", result: "node2" })).toContain('"result":"node2"}');
});

test.each([
  { why: "quotes and backslashes are escaped", info: 'a"b\\c', written: 'a\\"b\\\\c' },
  {
    why: "some control characters have short forms",
    info: "\n\t\r\b\f",
    written: "\\n\\t\\r\\b\\f",
  },
  { why: "the others do not", info: "\u0001\u001f", written: "\\u0001\\u001f" },
  {
    why: "everything else is written as it is",
    info: "/\u007f\u2028é😀",
    written: "/\u007f\u2028é😀",
  },
])("$why", ({ info, written }) => {
  expect(encodeAnswer({ success: false, info, result: [] })).toBe(
    `{"success":false,"info":"${written}","result":[]}\n`,
  );
});
