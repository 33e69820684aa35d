// The quick way to read a message against the one that loses nothing.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeQuickly, decodeScanned } from "../src/iallocator/decode-message.js";
import { aMessage, requestTypes } from "./message.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("what the quick way reads, it reads like the other", () => {
  const seen = { read: 0, left: 0 };
  const originals = requestTypes.map((type) => JSON.stringify(aMessage(type)));
  const pieces = ["1.5", "1e2", "-0", '"x"', "null", '"10":1,', '"name":"x",', "true", "", "{}"];
  const changed = fc.record({
    original: fc.constantFrom(...originals),
    at: fc.nat(4000),
    cut: fc.nat(3),
    piece: fc.constantFrom(...pieces),
  });
  fc.assert(
    fc.property(changed, ({ original, at, cut, piece }) => {
      // Most changes break the text; those right behind a comma or colon have a chance.
      const start =
        original.slice(at % original.length).search(/[,:{[]/) + (at % original.length) + 1;
      const bytes = bytesOf(original.slice(0, start) + piece + original.slice(start + cut));
      const parsed = decodeQuickly(bytes);
      if (parsed !== undefined) expect(parsed).toEqual(decodeScanned(bytes));
      seen[parsed === undefined ? "left" : "read"]++;
    }),
    { numRuns: 5000 },
  );
  expect(seen.read).toBeGreaterThan(100);
  expect(seen.left).toBeGreaterThan(100);
});

test.each([
  { why: "node names that look like numbers", from: '"node1.example.com"', to: '"10"', all: true },
  { why: "a repeated key", from: '"version":2', to: '"version":2,"version":2' },
  { why: "a fraction for an integer", from: '"memory":', to: '"memory":0.5,"was":' },
  { why: "a number beyond 2^53", from: '"memory":', to: '"memory":9007199254740993,"was":' },
])("$why is left to the other way", ({ from, to, all }) => {
  const text = JSON.stringify(aMessage("allocate"));
  const changed = all ? text.replaceAll(from, to) : text.replace(from, to);
  expect(changed).not.toBe(text);
  expect(decodeQuickly(bytesOf(text))).toBeDefined();
  expect(decodeQuickly(bytesOf(changed))).toBeUndefined();
});
