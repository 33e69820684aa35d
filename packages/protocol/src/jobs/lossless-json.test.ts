import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonError, parseJson } from "./lossless-json.js";

/** Long enough to be left to the engine's reader, if it has no long numbers. */
const long = (text: string) => text.padEnd(2000);

test("whole numbers are exact, however long they are", () => {
  const seen = { exact: 0, inexact: 0 };
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(60), (whole, bits) => {
      const number = whole >> BigInt(bits);
      const [read] = parseJson(long(`[${number}]`)) as [number | bigint];
      seen[typeof read === "bigint" ? "inexact" : "exact"] += 1;
      expect(BigInt(read)).toBe(number);
    }),
    { numRuns: 500, examples: [[2n ** 53n + 1n, 0]] },
  );
  expect(Math.min(seen.exact, seen.inexact)).toBeGreaterThan(20);
});

test("long and short texts are read alike", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      expect(parseJson(long(text))).toEqual(parseJson(text));
    }),
    { examples: [['{"__proto__":1,"b":2,"1":3,"b":4}'], ["-0"], ['"\\u00e9\\n"']] },
  );
});

test.each([
  { text: `${"[".repeat(257)}${"]".repeat(257)}`, says: "nested deeper than 256 at offset 256" },
  { text: '{"a":[1e400]}', says: "a number is too large at offset 6" },
  { text: '{"a": [1, }', says: "no value at offset 10" },
])("a text that is refused says where: $says", ({ text, says }) => {
  expect(() => parseJson(text)).toThrow(new JsonError(...split(says)));
  expect(() => parseJson(long(text))).toThrow(new JsonError(...split(says)));
});

test("lists may nest as deep as the bound", () => {
  const text = `${"[".repeat(256)}${"]".repeat(256)}`;
  expect(JSON.stringify(parseJson(text))).toBe(text);
  expect(JSON.stringify(parseJson(long(text)))).toBe(text);
});

const split = (says: string): [string, number] => {
  const [problem = "", offset] = says.split(" at offset ");
  return [problem, Number(offset)];
};
