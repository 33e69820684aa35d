import { JsonError, parseJson } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-json.js";

test("whole numbers are exact, however long they are", () => {
  const seen = { exact: 0, beyond: 0 };
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(60), (long, bits) => {
      const number = long >> BigInt(bits);
      const [read] = readJson(`[${number}]`) as [number | bigint];
      seen[typeof read === "bigint" ? "beyond" : "exact"] += 1;
      expect(BigInt(read)).toBe(number);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(seen.exact, seen.beyond)).toBeGreaterThan(20);
});

test("any text is what the careful reader makes of it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      expect(readJson(text)).toEqual(parseJson(text));
    }),
  );
});

test("what is no JSON is told with the place where it ends to be", () => {
  expect(() => readJson('{"a": [1, }')).toThrow(JsonError);
  expect(() => readJson('{"a": [1, }')).toThrow(/at offset 10$/);
});
